import ConfigFile

/// URLs of services that the device speaks HTTP with.
enum ServiceURL {
  /// Checks that a text is a URL without user, query and fragment, and that no secret crosses a network in plain.
  ///
  /// - Parameters:
  ///   - what: what it is to be the URL of, such as `a hub`.
  ///   - exposure: what plain http to another machine would do.
  static func check(
    _ text: String, of what: String, example: String, exposure: String, isPlainAllowed: Bool
  ) throws(ConfigValueError) -> String {
    let isPlain = text.hasPrefix("http://")
    let host = host(of: text)
    let isPrintable = text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    guard isPlain || text.hasPrefix("https://"), !host.isEmpty, isPrintable,
      !text.contains(where: { "?#@\\".contains($0) })
    else {
      throw ConfigValueError("\"\(text)\" is not the URL of \(what)", remedy: "write for example \"\(example)\"")
    }
    guard !isPlain || isPlainAllowed || isLoopback(host) else {
      throw ConfigValueError(
        "plain http to another machine \(exposure)",
        remedy: "use https, or set allow_plain_http = true on a network that you trust")
    }
    return text
  }

  /// The host of a URL, IPv6 addresses in their brackets.
  static func host(of url: String) -> Substring {
    guard let scheme = url.firstRange(of: "://") else { return "" }
    let authority = url[scheme.upperBound...].prefix { $0 != "/" }
    if authority.hasPrefix("["), let end = authority.firstIndex(of: "]") { return authority[...end] }
    return authority.prefix { $0 != ":" }
  }

  static func isLoopback(_ host: Substring) -> Bool {
    host == "localhost" || host == "[::1]" || (host.hasPrefix("127.") && host.allSatisfy { "0123456789.".contains($0) })
  }
}
