extension RedisConnectionSettings.Address {
  /// No name of DNS is longer (RFC 1035 section 2.3.4).
  private static let maximumHostBytes = 255

  /// An address that a server or a sentinel names: printable ASCII without blanks, since it is looked up and logged.
  init?(namedHost host: String, port: Int64?) {
    guard let port = port.flatMap({ UInt16(exactly: $0) }), port > 0,
      (1...Self.maximumHostBytes).contains(host.utf8.count), host.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
    else { return nil }
    self.init(host: host, port: Int(port))
  }
}
