import ICE
import TLSClient

extension ProxyRoute {
  /// The proxy through which a TURN server is reached: over TLS alone, since proxies see through nothing else.
  func proxy(to url: ICEServerURL) -> HTTPProxy? {
    url.transport == .tls ? proxy(to: url.host, port: Int(url.port), isSecure: true) : nil
  }
}
