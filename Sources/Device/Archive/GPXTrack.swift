import MediaCore

/// `track.gpx`: GPX 1.1, one point a line, so that it is easy to see how much of a torn file is whole.
///
/// ```
/// <trkpt lat="52.5163000" lon="13.3777000"><time>2026-11-21T12:00:00Z</time><extensions><ls:offset>12.345</…>…</trkpt>
/// ```
///
/// `time` is the receiver's own; else that of the wall clock, if it can be trusted; else it is left out. `ls:offset` is
/// always there: seconds from the archive's start, which needs no clock.
package enum GPXTrack {
  static let fileName = "track.gpx"

  static let head = """
    <?xml version="1.0" encoding="UTF-8"?>
    <gpx version="1.1" creator="LiveSessions" xmlns="http://www.topografix.com/GPX/1/1" \
    xmlns:ls="urn:livesessions:track:1"><trk><trkseg>

    """
  static let tail = "</trkseg></trk></gpx>\n"

  /// Writes a point's line.
  ///
  /// - Parameters:
  ///   - offsetMilliseconds: from the archive's start.
  ///   - wallTime: seconds since 1970 by the wall clock, or `nil` when it cannot be trusted.
  static func line(_ fix: PositionFix, offsetMilliseconds: Int64, wallTime: Int64?) -> String {
    let time = (fix.time ?? wallTime).map { "<time>\(UTCTime.text($0))</time>" } ?? ""
    let offset = decimal(max(0, offsetMilliseconds), places: 3)
    return "<trkpt lat=\"\(degrees(fix.latitude))\" lon=\"\(degrees(fix.longitude))\">\(time)"
      + "<extensions><ls:offset>\(offset)</ls:offset></extensions></trkpt>\n"
  }

  /// Seven places are a centimetre.
  private static func degrees(_ value: Double) -> String {
    let scaled = Int64(saturating: (min(max(value, -180), 180) * 1e7).rounded())
    return (scaled < 0 ? "-" : "") + decimal(abs(scaled), places: 7)
  }

  private static func decimal(_ value: Int64, places: Int) -> String {
    let digits = String(value)
    let padded = String(repeating: "0", count: max(0, places + 1 - digits.utf8.count)) + digits
    return padded.dropLast(places) + "." + padded.suffix(places)
  }
}

extension GPXTrack {
  /// How many of the bytes, from the start of a line on, are whole lines of points.
  package static func wholeByteCount(_ bytes: [UInt8]) -> Int {
    var whole = 0
    while let end = bytes[whole...].firstIndex(of: UInt8(ascii: "\n")), isPoint(bytes[whole..<end]) { whole = end + 1 }
    return whole
  }

  private static func isPoint(_ line: ArraySlice<UInt8>) -> Bool {
    line.starts(with: "<trkpt lat=\"".utf8) && line.reversed().starts(with: "</trkpt>".utf8.reversed())
      && line.allSatisfy { (0x20..<0x7F).contains($0) && $0 != UInt8(ascii: "&") }
      && line.count(where: { $0 == UInt8(ascii: "<") }) == line.count(where: { $0 == UInt8(ascii: ">") })
  }
}
