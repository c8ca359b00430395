import NIOHTTP1

/// Where a request says that it comes from, and whom it wants to reach.
///
/// A page in a browser of the machine reaches loopback as well. It is refused by what a browser says of it and a program
/// does not: `Origin`, and a `Host` that is not the machine itself, as after DNS rebinding.
struct RequestOrigin {
  private static let names: Set<String> = ["localhost", "127.0.0.1", "[::1]"]
  private let headers: HTTPHeaders

  init(_ headers: HTTPHeaders) { self.headers = headers }

  /// No page reaches a Unix socket, where any `Host` is as good as another.
  func isAllowed(at place: LocalHTTPServer.Place) -> Bool {
    guard !headers.contains(name: "Origin") else { return false }
    switch place {
    case .unix: return true
    case .loopback(let host, _):
      let hosts = headers["Host"]
      guard hosts.count == 1 else { return false }
      let name = Self.withoutPort(hosts[0].lowercased())
      return Self.names.contains(name) || name == host || name == "[\(host)]"
    }
  }

  private static func withoutPort(_ host: String) -> String {
    guard let colon = host.lastIndex(of: ":"), host[colon...].dropFirst().allSatisfy(\.isNumber) else { return host }
    return String(host[..<colon])
  }
}
