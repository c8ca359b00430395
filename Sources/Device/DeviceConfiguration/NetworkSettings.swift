import ConfigFile
public import MediaCore

/// `[network]`: where media flows.
public struct NetworkSettings: Sendable, Hashable {
  /// The UDP port of all sessions; 0 takes any free one.
  public var port: UInt16
  /// The addresses to bind, with ``port``; nil means every interface that is up.
  public var addresses: [TransportAddress]?
  public var transportPolicy: TransportPolicy
  /// Certificates of authorities that are trusted besides the system's when a TURN server is reached over TLS.
  public var turnAuthorityFile: String?

  /// Which ways media may take; browsers' `iceTransportPolicy`.
  public enum TransportPolicy: String, Sendable, Hashable, CaseIterable {
    case all
    /// Through TURN servers alone.
    case relay
  }

  init(_ table: ConfigTable) {
    let port = UInt16(clamping: table.integer("port", default: 0, in: 0...65_535))
    self.port = port
    addresses = table.values("addresses") { text throws(ConfigValueError) in
      guard let address = TransportAddress(host: text, port: port) else {
        throw ConfigValueError(
          "\"\(text)\" is not a numeric IP address", remedy: "write for example addresses = [\"127.0.0.1\"]")
      }
      return address
    }
    transportPolicy = table.choice("transport_policy") ?? .all
    turnAuthorityFile = table.absolutePath("turn_ca_file")
    if table.isEmptyArray("addresses") {
      table.addError("addresses is empty", remedy: "leave it out for every interface", at: "addresses")
    }
  }
}
