import ConfigFile
public import MediaCore

/// `[network]`: where media flows.
public struct NetworkSettings: Sendable, Hashable {
  /// The UDP port of all sessions; 0 takes any free one.
  public var port: UInt16
  /// The addresses to bind, with ``port``; nil means every interface that is up.
  public var addresses: [TransportAddress]?

  init(_ table: ConfigTable) {
    let port = UInt16(table.integer("port", default: 0, in: 0...65_535))
    self.port = port
    addresses = table.values("addresses") { text throws(ConfigValueError) in
      guard let address = TransportAddress(host: text, port: port) else {
        throw ConfigValueError(
          "\"\(text)\" is not a numeric IP address", remedy: "write for example addresses = [\"127.0.0.1\"]")
      }
      return address
    }
    if table.isEmptyArray("addresses") {
      table.addError("addresses is empty", remedy: "leave it out for every interface", at: "addresses")
    }
  }
}
