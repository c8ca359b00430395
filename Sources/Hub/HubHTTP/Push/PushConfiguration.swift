internal import ConfigFile
public import HubCore

/// `[push]`: ringing people whose page is closed.
public struct PushConfiguration: Sendable, Equatable {
  /// Whom the operators of push services write to: `mailto:…` or an `https` URL (RFC 8292, section 2.1).
  public var contact: String
  /// Push services that may have addresses that are not public.
  public var services: [PushServiceName]
  /// Certificates (PEM) of authorities that are trusted besides the system's.
  public var authorityFile: String?

  public init(contact: String, services: [PushServiceName] = [], authorityFile: String? = nil) {
    (self.contact, self.services, self.authorityFile) = (contact, services, authorityFile)
  }
}

extension PushConfiguration {
  /// What the file has; without a contact there is no push.
  struct Keys: SettingGroup {
    var contact: String?
    var services: [PushServiceName] = []
    var authorityFile: String?

    static let settings: [Setting<Keys>] = [
      Setting(
        "contact", \.contact, .text("mail or web address", text: \.self, parse: parseContact),
        example: "\"mailto:admin@example.org\"",
        """
        Whom the operators of push services write to in case of trouble: `mailto:` and an address that is read, or an \
        https URL. Some push services refuse messages without. Required with this table.
        """),
      Setting(
        "services", \.services, .texts("list of hosts", text: { $0.setting }, parse: parseService),
        example: "[\"push.example.org\", \"push.lan:8443\"]",
        """
        Push services of your own, as host or host:port, whose addresses need not be public. Others are reached by name \
        on port 443 at public addresses alone.
        """),
      Setting(
        "certificate_authorities_file", \.authorityFile, .string, example: "\"/etc/livesessions/push-ca.pem\"",
        "Certificates (PEM) of authorities that are trusted for push services besides the system's."),
    ]

    static func check(_ table: ConfigTable, _ keys: inout Keys) {
      guard !table.isEmpty, !table.contains("contact") else { return }
      table.addMissing("contact", example: "\"mailto:admin@example.org\"")
    }

    var configuration: PushConfiguration? {
      contact.map { PushConfiguration(contact: $0, services: services, authorityFile: authorityFile) }
    }
  }

  private static func parseContact(_ text: String) throws(ConfigValueError) -> String {
    guard isContact(text) else {
      throw ConfigValueError(
        "contact is neither mailto: with an address nor an https URL: \(text)",
        remedy: #"write for example "mailto:admin@example.org""#)
    }
    return text
  }

  /// Apple's service refuses what does not look like an address.
  private static func isContact(_ text: String) -> Bool {
    guard text.utf8.count <= 256, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { return false }
    if text.hasPrefix("mailto:") {
      let parts = text.dropFirst("mailto:".count).split(separator: "@", omittingEmptySubsequences: false)
      return parts.count == 2 && !parts[0].isEmpty && parts[1].contains(".") && PushServiceName(String(parts[1])) != nil
    }
    let authority = text.dropFirst("https://".count).prefix { $0 != "/" }
    return text.hasPrefix("https://") && PushServiceName(String(authority)) != nil
  }

  private static func parseService(_ text: String) throws(ConfigValueError) -> PushServiceName {
    guard let service = PushServiceName(text) else {
      throw ConfigValueError(
        "\(text) is no push service", remedy: #"write for example "push.example.org" or "push.example.org:8443""#)
    }
    return service
  }
}

extension PushServiceName {
  /// As hub.toml has it.
  fileprivate var setting: String { isSecure ? String(description.dropFirst("https://".count)) : description }
}
