/// Which connections to other machines go through a proxy.
public struct ProxyRoute: Sendable, Hashable {
  /// Nothing goes through a proxy.
  public static let direct = ProxyRoute(nil)

  private static let maximumExceptions = 256

  public let proxy: HTTPProxy?
  /// In lower case; `*` alone is every host.
  private let exceptions: [Substring]
  /// Whether connections without TLS go through it, too.
  private let includesPlain: Bool

  /// - Parameter exceptions: as in `NO_PROXY`: names, each with all below it, and numeric addresses, separated by commas or
  ///   blanks; each may have a port; `*` is every host.
  ///   - includesPlain: whether connections without TLS go through the proxy, too.
  public init(_ proxy: HTTPProxy?, exceptions: String = "", includesPlain: Bool = true) {
    self.proxy = proxy
    self.includesPlain = includesPlain
    self.exceptions = exceptions.lowercased().split { $0 == "," || $0 == " " || $0 == "\t" }
      .prefix(Self.maximumExceptions).map { $0 }
  }

  /// The proxy for connections to a host; nil where they are direct. This machine is never asked for by a proxy.
  public func proxy(to host: String, port: Int, isSecure: Bool) -> HTTPProxy? {
    guard let proxy, isSecure || includesPlain, !Self.isThisMachine(host),
      !exceptions.contains(where: { Self.matches($0, host, port) })
    else {
      return nil
    }
    return proxy
  }

  private static func isThisMachine(_ host: String) -> Bool {
    host == "localhost" || host.hasSuffix(".localhost") || host == "::1"
      || host.hasPrefix("127.") && host.utf8.allSatisfy { $0 == UInt8(ascii: ".") || (48...57).contains($0) }
  }

  private static func matches(_ exception: Substring, _ host: String, _ port: Int) -> Bool {
    var name = exception
    if name == "*" { return true }
    if name.hasPrefix("["), let end = name.firstIndex(of: "]") {
      guard matchesPort(name[name.index(after: end)...], port) else { return false }
      name = name[..<end].dropFirst()
    } else if name.count(where: { $0 == ":" }) == 1, let colon = name.firstIndex(of: ":") {
      guard matchesPort(name[colon...], port) else { return false }
      name = name[..<colon]
    }
    if name.hasPrefix("*.") { name = name.dropFirst(2) } else if name.hasPrefix(".") { name = name.dropFirst() }
    let host = host.lowercased()
    return !name.isEmpty && (host == name || host.hasSuffix("." + name))
  }

  private static func matchesPort(_ text: Substring, _ port: Int) -> Bool { text.isEmpty || text == ":\(port)" }
}
