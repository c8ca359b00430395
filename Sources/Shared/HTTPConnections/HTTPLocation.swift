/// A resource of an HTTP server: what an `http` or `https` URL names, with its query.
public struct HTTPLocation: Sendable, Hashable {
  /// Octets of a URL, or of a reference to one, at most.
  public static let longestURL = 2_048

  /// Without a path.
  public let origin: HTTPOrigin
  /// Begins with a slash; with the query, where there is one.
  public let path: String

  /// `nil` unless `url` is `http://` or `https://`, host, optional port, path and query, all of printable ASCII, without
  /// user or fragment.
  public init?(_ url: String) {
    guard url.utf8.count <= Self.longestURL, let scheme = url.firstRange(of: "://") else { return nil }
    let authority = url[scheme.upperBound...].prefix { $0 != "/" && $0 != "?" }
    guard let origin = HTTPOrigin(String(url[..<authority.endIndex])) else { return nil }
    self.init(origin, String(url[authority.endIndex...]))
  }

  private init?(_ origin: HTTPOrigin, _ target: String) {
    guard target.utf8.allSatisfy({ (0x21...0x7E).contains($0) }), !target.contains("#"), !target.contains("\\") else {
      return nil
    }
    self.origin = origin
    path = target.hasPrefix("/") ? target : "/" + target
  }

  /// What a reference in an answer of this resource names (RFC 3986 §5.2), such as that of a `Location` field; `nil` where
  /// it is none of HTTP.
  public func resolving(_ reference: String) -> HTTPLocation? {
    guard !reference.isEmpty, reference.utf8.count <= Self.longestURL else { return nil }
    let scheme = origin.isSecure ? "https:" : "http:"
    if reference.hasPrefix("//") { return HTTPLocation(scheme + reference) }
    if let colon = reference.firstIndex(of: ":"), !reference[..<colon].contains(where: { "/?#".contains($0) }) {
      return HTTPLocation(reference)
    }
    let ownPath = path.prefix { $0 != "?" }
    if reference.hasPrefix("?") { return HTTPLocation(origin, ownPath + reference) }
    let base = reference.hasPrefix("/") ? "" : ownPath[...(ownPath.lastIndex(of: "/") ?? ownPath.startIndex)]
    let target = base + reference
    let end = target.firstIndex(of: "?") ?? target.endIndex
    return HTTPLocation(origin, Self.withoutDotSegments(target[..<end]) + target[end...])
  }

  /// RFC 3986 §5.2.4.
  private static func withoutDotSegments(_ path: Substring) -> String {
    let segments = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
    var kept: [Substring] = []
    for segment in segments {
      switch segment {
      case ".": break
      case "..": _ = kept.popLast()
      default: kept.append(segment)
      }
    }
    if segments.last == "." || segments.last == ".." { kept.append("") }
    return "/" + kept.joined(separator: "/")
  }
}

extension HTTPLocation: CustomStringConvertible {
  /// Without the query, which may hold a secret.
  public var description: String { "\(origin)\(path.prefix { $0 != "?" })" }
}
