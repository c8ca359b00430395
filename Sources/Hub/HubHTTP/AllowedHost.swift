/// An entry of `allowed_hosts`: a name or an address, with or without a port.
struct AllowedHost {
  /// Without port and brackets.
  let name: String
  let hasPort: Bool

  init(_ text: String) {
    if text.hasPrefix("["), let end = text.firstIndex(of: "]") {
      name = String(text[..<end].dropFirst())
      hasPort = text[end...].dropFirst().hasPrefix(":")
    } else {
      let colon = text.lastIndex(of: ":")
      name = String(text[..<(colon ?? text.endIndex)])
      hasPort = colon != nil
    }
  }

  var isLoopback: Bool { name == "localhost" || name == "::1" || name.hasPrefix("127.") }
}

extension HubConfiguration {
  /// The page's URL for links that are made without a request: under the first of `allowed_hosts`, through a proxy if the hub
  /// itself speaks HTTP; without any, on this machine.
  public var pageURL: String {
    let text = effectiveHosts[0]
    let host = AllowedHost(text)
    let isPlain = tls == nil && host.isLoopback
    let isOwnPort = tls != nil || host.isLoopback
    let needsPort = isOwnPort && !host.hasPort && listen.port != (isPlain ? 80 : 443)
    return "\(isPlain ? "http" : "https")://\(text)\(needsPort ? ":\(listen.port)" : "")"
  }

  /// Whether that URL leads nowhere from other machines.
  public var isPageLocal: Bool { AllowedHost(effectiveHosts[0]).isLoopback }
}
