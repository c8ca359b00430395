import Foundation

/// An encoded frame of a sample.
public struct SampleFrame: Sendable {
  public var payload: [UInt8]
  /// Milliseconds from the sample's start.
  public var milliseconds: Int64
  public var isKeyFrame: Bool

  /// The same, later.
  public func delayed(by milliseconds: Int64) -> SampleFrame {
    SampleFrame(payload: payload, milliseconds: self.milliseconds + milliseconds, isKeyFrame: isKeyFrame)
  }
}

/// Real VP8 and Opus, encoded by ffmpeg once a test run.
public enum SampleMedia {
  public static let width: UInt16 = 320
  public static let height: UInt16 = 240
  /// Milliseconds of each sample.
  public static let duration: Int64 = 12_000

  /// 30 frames a second, a key frame every 2 s.
  public static func video() throws -> [SampleFrame] { try videoSample.get() }

  /// The same at another size, as after a camera was swapped.
  public static func largerVideo() throws -> [SampleFrame] { try largerVideoSample.get() }

  /// Small frames and few bytes, for tests that record thousands of times: 10 a second, a key frame every 2 s.
  public static func smallVideo() throws -> [SampleFrame] { try smallVideoSample.get() }

  /// Mono, 20 ms a packet.
  public static func audio() throws -> [SampleFrame] { try audioSample.get() }

  /// A second of each size, ten frames a second.
  public static func clip(sizes: [(width: Int, height: Int)]) throws -> [SampleFrame] {
    try sizes.enumerated().flatMap { index, size in
      try encodeVideo(size: "\(size.width)x\(size.height)", rate: 10, duration: 1_000)
        .map { $0.delayed(by: Int64(index) * 1_000) }
    }
  }

  private static let videoSample = Result { try encodeVideo(size: "\(width)x\(height)") }
  private static let largerVideoSample = Result { try encodeVideo(size: "640x480") }
  private static let smallVideoSample = Result { try encodeVideo(size: "64x48", rate: 10, bitrate: "16k") }
  private static let audioSample = Result { try encodeAudio() }

  private static func encodeVideo(size: String, rate: Int64 = 30, bitrate: String = "400k", duration: Int64 = duration)
    throws -> [SampleFrame]
  {
    let folder = try TemporaryFolder()
    try ExternalProgram.run(
      "ffmpeg",
      [
        "-v", "error", "-f", "lavfi", "-i", "testsrc=size=\(size):rate=\(rate):duration=\(duration / 1000)", "-c:v",
        "libvpx",
        "-b:v", bitrate, "-g", "\(2 * rate)", "-keyint_min", "\(2 * rate)", "-deadline", "realtime", "-cpu-used", "8",
        "-auto-alt-ref",
        "0",
        "-f", "ivf", folder.url("video.ivf").path,
      ])
    let bytes = [UInt8](try Data(contentsOf: folder.url("video.ivf")))
    return IVF.frames(bytes).enumerated().map { index, payload in
      SampleFrame(payload: payload, milliseconds: Int64(index) * 1000 / rate, isKeyFrame: payload[0] & 1 == 0)
    }
  }

  private static func encodeAudio() throws -> [SampleFrame] {
    let folder = try TemporaryFolder()
    try ExternalProgram.run(
      "ffmpeg",
      [
        "-v", "error", "-f", "lavfi", "-i", "sine=frequency=440:sample_rate=48000:duration=\(duration / 1000)", "-c:a",
        "libopus", "-b:a", "32k", "-frame_duration", "20", "-f", "ogg", folder.url("audio.ogg").path,
      ])
    let bytes = [UInt8](try Data(contentsOf: folder.url("audio.ogg")))
    return Ogg.packets(bytes).dropFirst(2).enumerated().map { index, payload in
      SampleFrame(payload: payload, milliseconds: Int64(index) * 20, isKeyFrame: true)
    }
  }
}

/// The container that vpxenc writes: a 32-byte header, then 12 bytes before each frame, all little-endian.
private enum IVF {
  static func frames(_ bytes: [UInt8]) -> [[UInt8]] {
    var frames: [[UInt8]] = []
    var offset = 32
    while offset + 12 <= bytes.count {
      let size = (0..<4).reduce(0) { $0 | Int(bytes[offset + $1]) << (8 * $1) }
      frames.append(Array(bytes[offset + 12..<offset + 12 + size]))
      offset += 12 + size
    }
    return frames
  }
}

/// The container of RFC 3533: pages with a table of segments, of which packets consist.
private enum Ogg {
  static func packets(_ bytes: [UInt8]) -> [[UInt8]] {
    var packets: [[UInt8]] = []
    var packet: [UInt8] = []
    var offset = 0
    while offset + 27 <= bytes.count {
      let segmentCount = Int(bytes[offset + 26])
      var content = offset + 27 + segmentCount
      for segment in bytes[offset + 27..<content].map(Int.init) {
        packet += bytes[content..<content + segment]
        content += segment
        guard segment < 255 else { continue }
        packets.append(packet)
        packet = []
      }
      offset = content
    }
    return packets
  }
}
