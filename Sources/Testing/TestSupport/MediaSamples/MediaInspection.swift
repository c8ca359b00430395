import Foundation

/// What programs that we did not write think of a media file.
public enum MediaInspection {
  /// A packet as ffprobe shows it.
  public struct Packet: Hashable, Sendable {
    /// The stream's number in the file.
    public var stream: Int
    public var milliseconds: Int64
    public var byteCount: Int
    public var isKeyFrame: Bool
  }

  /// What ffprobe complains about when it reads every packet.
  public static func probeWarnings(_ path: String) throws -> String {
    let output = try ExternalProgram.run(
      "ffprobe", ["-v", "warning", "-count_packets", "-show_entries", "stream=nb_read_packets", path],
      expectsSuccess: false)
    return output.standardError + (output.status == 0 ? "" : "status \(output.status)")
  }

  /// What ffmpeg complains about when it decodes everything.
  public static func decodeWarnings(_ path: String) throws -> String {
    let output = try ExternalProgram.run(
      "ffmpeg", ["-v", "warning", "-err_detect", "crccheck", "-i", path, "-f", "null", "-"], expectsSuccess: false)
    return output.standardError + (output.status == 0 ? "" : "status \(output.status)")
  }

  /// The packets of a file in the order of the file.
  public static func packets(_ path: String) throws -> [Packet] {
    let output = try ExternalProgram.run(
      "ffprobe", ["-v", "error", "-show_entries", "packet=stream_index,pts_time,size,flags", "-of", "csv=p=0", path])
    return output.text.split(separator: "\n").map { line in
      let fields = line.split(separator: ",")
      return Packet(
        stream: Int(fields[0])!, milliseconds: Int64((Double(fields[1])! * 1000).rounded()),
        byteCount: Int(fields[2])!, isKeyFrame: fields[3].hasPrefix("K"))
    }
  }

  /// Seconds, as the file's header says; `nil` if it does not.
  public static func duration(_ path: String) throws -> Double? {
    let output = try ExternalProgram.run(
      "ffprobe", ["-v", "error", "-show_entries", "format=duration", "-of", "csv=p=0", path])
    return Double(output.text.trimmingCharacters(in: .whitespacesAndNewlines))
  }

  /// The time of the first packet that a player gets which seeks to `seconds`.
  public static func firstPacket(_ path: String, seekingTo seconds: Double) throws -> Packet? {
    let output = try ExternalProgram.run(
      "ffprobe",
      [
        "-v", "error", "-select_streams", "v", "-read_intervals", "\(seconds)%+#1", "-show_entries",
        "packet=stream_index,pts_time,size,flags", "-of", "csv=p=0", path,
      ])
    guard let line = output.text.split(separator: "\n").first else { return nil }
    let fields = line.split(separator: ",")
    return Packet(
      stream: Int(fields[0])!, milliseconds: Int64((Double(fields[1])! * 1000).rounded()), byteCount: Int(fields[2])!,
      isKeyFrame: fields[3].hasPrefix("K"))
  }

  /// What `mkvmerge --identify` says: whether it recognises and supports the file, and its codecs.
  public static func identify(_ path: String) throws -> (isSupported: Bool, codecs: [String], warnings: [String]) {
    let output = try ExternalProgram.run("mkvmerge", ["--identify", "-J", path])
    let json = try JSONSerialization.jsonObject(with: output.standardOutput) as? [String: Any]
    let container = json?["container"] as? [String: Any]
    let tracks = json?["tracks"] as? [[String: Any]] ?? []
    let complaints = (json?["errors"] as? [String] ?? []) + (json?["warnings"] as? [String] ?? [])
    let isSupported = container?["recognized"] as? Bool == true && container?["supported"] as? Bool == true
    return (isSupported, tracks.compactMap { $0["codec"] as? String }, complaints)
  }
}
