internal import Signalling

/// The forms of identifiers as regular expressions, by the type that checks them; a test compares the two.
struct TextForm: Sendable {
  /// ECMA 262, anchored.
  var pattern: String
  var example: String

  static let of: [String: TextForm] = [
    "SessionID": TextForm(
      pattern: "^[A-Za-z0-9_-]{1,\(MessageLimits.identifier)}$", example: "0b0c5c4e-9a53-4c8e-8a3e-4f6f1f0a7d11"),
    "ArchiveID": TextForm(
      pattern: "^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$", example: "0b0c5c4e9a534c8e8a3e4f6f1f0a7d11"),
    "CameraName": TextForm(pattern: "^[a-z0-9][a-z0-9_-]{0,31}$", example: "yard"),
    "DetectedEventID": TextForm(
      pattern: "^[0-9]{8}T[0-9]{6}Z-[0-9a-f]{8}$", example: "20261124T195512Z-9f3c01ab"),
    "GivenName": TextForm(
      pattern: "^[^ \(unnamed)]([^\(unnamed)]{0,\(MessageLimits.code - 2)}[^ \(unnamed)])?$", example: "back yard"),
    "EventCode": TextForm(pattern: "^[a-z][a-z0-9-]{0,\(MessageLimits.code - 1)}$", example: "motion"),
    "EventCursor": TextForm(
      pattern: "^[0-9]{1,15}-[0-9]{8}T[0-9]{6}Z-[0-9a-f]{8}$", example: "1795550112000-20261124T195512Z-9f3c01ab"),
  ]

  /// What no given name has, but for formatting that is never typed.
  private static let unnamed = #"<>\u0000-\u001F\u007F-\u009F\u2028-\u202E\u2066-\u2069"#

  /// The keywords of a text that a type of this name checks.
  static func keywords(_ type: String) -> [String: JSONTree] {
    guard let form = of[type] else { return [:] }
    return ["pattern": .text(form.pattern)]
  }
}
