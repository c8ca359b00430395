import TLSClient
import Testing

@Suite struct HTTPProxyTests {
  @Test(arguments: [
    ("http://proxy.example:8080", "http://proxy.example:8080"), ("proxy.example", "http://proxy.example:3128"),
    ("HTTP://[2001:db8::1]:80/", "http://[2001:db8::1]:80"), ("http://u:p%40ss@h:1", "http://h:1"),
  ])
  func aURLIsTaken(url: String, expected: String) throws {
    let proxy = try #require(HTTPProxy(url))
    #expect("\(proxy)" == expected)
  }

  @Test(arguments: [
    "", "http://", "https://h:1", "socks5://h:1", "http://h:0", "http://h:99999", "http://h/path", "http://h?x",
    "h:1:2",
    "http://u%zz@h", "http://u%ff@h", "http://u%0a@h", "http://h b", "http://[::1", "http://u@",
  ])
  func whatIsNoProxyIsRefused(url: String) { #expect(HTTPProxy(url) == nil) }

  /// RFC 7617 §2.
  @Test func credentialsAreShownToTheProxyAlone() throws {
    let proxy = try #require(HTTPProxy("http://Aladdin:open%20sesame@h"))
    let request = String(decoding: ProxyTunnel(to: "hub.example", port: 443, through: proxy).request, as: UTF8.self)
    #expect(
      request == "CONNECT hub.example:443 HTTP/1.1\r\nHost: hub.example:443\r\n"
        + "Proxy-Authorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==\r\n\r\n")
    #expect(!"\(proxy) \(String(reflecting: proxy))".contains("sesame"))
    var dumped = ""
    dump(proxy, to: &dumped)
    #expect(!dumped.contains("QWxh"))
    #expect(HTTPProxy("h", credentials: "Aladdin:open sesame")?.with(credentials: nil) == HTTPProxy("h"))
  }
}

@Suite struct ProxyRouteTests {
  private static let proxy = HTTPProxy("proxy:1")

  @Test(arguments: [
    ("hub.example", 443, "", true), ("hub.example", 443, "*", false), ("hub.example", 443, "other, .example", false),
    ("hub.example", 443, "HUB.example", false), ("myhub.example", 443, "hub.example", true),
    ("a.hub.example", 443, "hub.example", false), ("hub.example", 443, "hub.example:8443", true),
    ("hub.example", 8443, "hub.example:8443", false), ("hub.example", 443, "*.example", false),
    ("2001:db8::1", 443, "2001:db8::1", false), ("2001:db8::1", 443, "[2001:db8::1]:443", false),
    ("192.0.2.1", 443, "192.0.2.1", false), ("localhost", 443, "", false), ("127.0.0.2", 80, "", false),
    ("::1", 1, "", false),
  ])
  func exceptionsAreDirect(host: String, port: Int, exceptions: String, isProxied: Bool) {
    let route = ProxyRoute(Self.proxy, exceptions: exceptions)
    #expect((route.proxy(to: host, port: port, isSecure: true) != nil) == isProxied)
  }

  @Test func aVariableForTLSIsForTLS() {
    let route = ProxyRoute(Self.proxy, includesPlain: false)
    #expect(
      route.proxy(to: "h", port: 80, isSecure: false) == nil && route.proxy(to: "h", port: 443, isSecure: true) != nil)
    #expect(ProxyRoute.direct.proxy(to: "h", port: 443, isSecure: true) == nil)
  }
}

@Suite struct ProxyTunnelTests {
  private static func receive(_ pieces: [String]) -> ProxyTunnel.Outcome {
    var tunnel = ProxyTunnel(to: "h", port: 1, through: HTTPProxy("u:p@proxy:1")!)
    var outcome = ProxyTunnel.Outcome.pending
    for piece in pieces where outcome == .pending { outcome = tunnel.receive(piece.utf8) }
    return outcome
  }

  @Test func anAnswerOpensTheTunnel() {
    let head = "HTTP/1.1 200 Connection established\r\nVia: x\r\n\r\n"
    #expect(Self.receive([head]) == .open(consumed: head.utf8.count))
    #expect(Self.receive([head + "rest"]) == .open(consumed: head.utf8.count))
    #expect(Self.receive(head.map { String($0) }.flatMap { $0 == "\r\n" ? ["\r", "\n"] : [$0] }) == .open(consumed: 1))
    #expect(Self.receive(["HTTP/1.0 200\n\n"]) == .open(consumed: 14))
    #expect(Self.receive(["HTTP/1.1 200 OK\r\n"]) == .pending)
  }

  @Test(arguments: [
    (407, "refuses user and password (407)"), (401, "refuses user and password (401)"), (403, "forbids the way to h:1"),
    (502, "does not get to h:1 (502)"),
  ])
  func aRefusalSaysWhatHelps(status: Int, text: String) {
    guard case .refused(let refusal) = Self.receive(["HTTP/1.1 \(status) No\r\n\r\n"]) else {
      Issue.record("not refused")
      return
    }
    #expect("\(refusal)".contains(text) && !"\(refusal)".contains("u:p"))
  }

  @Test(arguments: [
    "SSH-2.0-OpenSSH\r\n\r\n", "HTTP/2 200 OK\r\n\r\n", "HTTP/1.1 20 OK\r\n\r\n", "HTTP/1.1\r\n\r\n", "\r\n\r\n",
    String(repeating: "x", count: 9_000),
  ])
  func whatIsNoAnswerIsRefused(text: String) {
    guard case .refused(let refusal) = Self.receive([text]) else {
      Issue.record("not refused")
      return
    }
    #expect(refusal.cause == .malformed)
  }
}
