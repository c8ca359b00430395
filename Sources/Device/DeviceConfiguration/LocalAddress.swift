import ConfigFile
import MediaCore

/// Where the daemon listens for programs on its machine.
public enum LocalAddress: Sendable, Hashable {
  /// An address of loopback.
  case loopback(ServiceEndpoint)
  /// A Unix socket's absolute path.
  case unix(path: String)

  /// - Parameters:
  ///   - key: the setting, and an example of it, for errors.
  ///   - exposure: what another address would do.
  static func parse(
    _ text: String, key: String, example: String, exposure: String
  ) throws(ConfigValueError) -> LocalAddress {
    if text.hasPrefix("/") { return try socket(text, key) }
    guard var endpoint = ServiceEndpoint(text) else {
      throw ConfigValueError(
        "\(key) cannot be \"\(text)\"", remedy: "write for example \(key) = \"\(example)\", or a path for a Unix socket"
      )
    }
    if endpoint.host == "localhost" { endpoint.host = "127.0.0.1" }
    guard isLoopback(endpoint) else {
      throw ConfigValueError(
        "\(key) = \"\(text)\" would \(exposure)",
        remedy: "use an address of loopback, and let a proxy or ssh carry it further")
    }
    return .loopback(endpoint)
  }

  private static func socket(_ path: String, _ key: String) throws(ConfigValueError) -> LocalAddress {
    guard path.utf8.count <= 107 else {
      throw ConfigValueError("\(key) is longer than the 107 bytes that Linux permits", remedy: "shorten it")
    }
    return .unix(path: path)
  }

  private static func isLoopback(_ endpoint: ServiceEndpoint) -> Bool {
    guard TransportAddress(host: endpoint.host, port: endpoint.port) != nil else { return false }
    return endpoint.host == "::1" || endpoint.host.hasPrefix("127.")
  }
}
