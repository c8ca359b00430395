import ConfigFile

/// `[evidence]`: whether recordings prove what the device saw.
public struct EvidenceSettings: Sendable, Hashable {
  /// The file below `$CREDENTIALS_DIRECTORY` that systemd's `LoadCredential=` provides, in place of a key that the device makes.
  public static let credentialName = "evidence-key"

  /// Whether archives get a signed chain of statements.
  public var isEnabled: Bool
  /// The URL of a time-stamping authority (RFC 3161); nil asks none. Without effect unless evidence is enabled.
  public var timestampAuthority: String?

  init(_ table: ConfigTable) {
    isEnabled = table.bool("enabled", default: false)
    timestampAuthority = table.value("timestamp_authority", parse: Self.authority)
  }

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
