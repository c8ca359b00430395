public import ConfigFile

/// `[evidence]`: whether recordings prove what the device saw.
public struct EvidenceSettings: SettingGroup, Hashable {
  /// The file below `$CREDENTIALS_DIRECTORY` that systemd's `LoadCredential=` provides, in place of a key that the device makes.
  public static let credentialName = "evidence-key"

  /// Whether archives get a signed chain of statements.
  public var isEnabled = false
  /// The URL of a time-stamping authority (RFC 3161); nil asks none. Without effect unless evidence is enabled.
  public var timestampAuthority: String?

  public init() {}

  static let settings: [Setting<EvidenceSettings>] = [
    Setting("enabled", \.isEnabled, .bool, "Sign what recordings consist of, as they grow: a signature a second."),
    Setting(
      "timestamp_authority", \.timestampAuthority, .text("URL", text: \.self, parse: authority),
      example: "\"https://timestamps.example/tsr\"",
      """
      A time-stamping authority (RFC 3161) that confirms when a recording had ended, as soon as the network permits. \
      It receives a digest, and nothing about the recording.
      """),
  ]

  /// The answers are signed, so plain http will do.
  private static func authority(_ text: String) throws(ConfigValueError) -> String {
    let isURL = text.hasPrefix("https://") || text.hasPrefix("http://")
    let rest = text.dropFirst(text.hasPrefix("https://") ? 8 : 7)
    guard isURL, !rest.isEmpty, !rest.hasPrefix("/"), rest.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
      !rest.contains(where: { "?#@\\".contains($0) })
    else {
      throw ConfigValueError(
        "\"\(text)\" is not the URL of a time-stamping authority",
        remedy: "write for example \"https://timestamps.example/tsr\", without user, query or fragment")
    }
    return text
  }
}
