import Glibc
import Signalling

/// What copies of recordings are called: `front-door_2026-11-26_15-23_yard.webm`.
enum RecordingFileName {
  private static let longestPart = 40

  /// - Parameters:
  ///   - title: of the device.
  ///   - start: when it begins, in milliseconds since 1970; the name has it in the device's time zone.
  ///   - file: which of the archive's files it is, or is of.
  static func text(title: String, start: Int64, _ file: ArchivedFile?) -> String {
    let whose = file.map { $0.camera ?? ($0.streamId == "device" ? "" : $0.streamId) } ?? ""
    return ([plain(title), time(start), plain(whose)].filter { !$0.isEmpty }).joined(separator: "_") + ".webm"
  }

  /// Lower-case letters, digits and single hyphens: what every file system and every header takes.
  private static func plain(_ text: String) -> String {
    var plain = ""
    for byte in text.lowercased().utf8 where plain.utf8.count < longestPart {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"):
        plain.unicodeScalars.append(Unicode.Scalar(byte))
      default:
        if !plain.isEmpty, !plain.hasSuffix("-") { plain += "-" }
      }
    }
    if plain.hasSuffix("-") { plain.removeLast() }
    return plain
  }

  private static func time(_ milliseconds: Int64) -> String {
    var (seconds, parts) = (time_t(milliseconds / 1_000), tm())
    guard localtime_r(&seconds, &parts) != nil else { return "" }
    let two = { (number: Int32) in (number < 10 ? "0" : "") + String(number) }
    let day = [String(parts.tm_year + 1_900), two(parts.tm_mon + 1), two(parts.tm_mday)].joined(separator: "-")
    return "\(day)_\(two(parts.tm_hour))-\(two(parts.tm_min))"
  }
}
