public import ConfigFile
public import MediaCore

/// `[network]`: where media flows.
public struct NetworkSettings: SettingGroup, Hashable {
  /// The UDP port of all sessions; 0 takes any free one.
  public var port: UInt16 = 0
  /// The addresses to bind, with ``port``; nil means every interface that is up.
  public var addresses: [TransportAddress]?
  public var transportPolicy = TransportPolicy.all
  /// Certificates of authorities that are trusted besides the system's when a TURN server is reached over TLS.
  public var turnAuthorityFile: String?

  /// Which ways media may take; browsers' `iceTransportPolicy`.
  public enum TransportPolicy: String, Sendable, Hashable, CaseIterable {
    case all
    /// Through TURN servers alone.
    case relay
  }

  public init() {}

  static let settings: [Setting<NetworkSettings>] = [
    Setting(
      "port", \.port,
      SettingType.integer(0...65_535).map({ UInt16(clamping: $0) }, back: { Int(clamping: $0) }),
      "The UDP port that all calls share; 0 takes any free one. A firewall needs a fixed one."),
    Setting(
      "addresses", \.addresses, .texts("list of IP addresses", parse: address), example: "[\"127.0.0.1\"]",
      isSampled: true,
      """
      The addresses on which calls are taken; every interface that is up without it. With `["127.0.0.1"]` the device \
      can be called from this machine only.
      """),
    Setting(
      "transport_policy", \.transportPolicy, .choice(),
      """
      With `"relay"` callers never learn this device's addresses: media passes through the hub's TURN servers alone, \
      and without one there is no call.
      """),
    Setting(
      "turn_ca_file", \.turnAuthorityFile, .absolutePath, example: "\"/etc/livesessions/turn-ca.pem\"",
      """
      The certificate (PEM) of an authority of your own, where the hub names TURN servers over TLS (`turns:`) whose \
      certificates the system does not trust by itself.
      """),
  ]

  static func check(_ table: ConfigTable, _ settings: inout NetworkSettings) {
    settings.addresses = settings.addresses?.map { [port = settings.port] address in
      var address = address
      address.port = port
      return address
    }
    if table.isEmptyArray("addresses") {
      table.addError("addresses is empty", remedy: "leave it out for every interface", at: "addresses")
    }
  }

  private static func address(_ text: String) throws(ConfigValueError) -> TransportAddress {
    guard let address = TransportAddress(host: text, port: 0) else {
      throw ConfigValueError(
        "\"\(text)\" is not a numeric IP address", remedy: "write for example addresses = [\"127.0.0.1\"]")
    }
    return address
  }
}
