import HTTPConnections
import Testing

@Suite struct HTTPLocationTests {
  private let base = HTTPLocation("https://sfu.example:8443/whip/front?room=a")!

  @Test func aURLHasItsQuery() {
    #expect(base.origin.hostField == "sfu.example:8443" && base.path == "/whip/front?room=a")
    #expect("\(base)" == "https://sfu.example:8443/whip/front")
    #expect(HTTPLocation("http://[::1]?x")?.path == "/?x")
    #expect(HTTPLocation("http://h")?.path == "/")
  }

  @Test(arguments: [
    "", "h", "ftp://h/", "https:///x", "https://u@h/", "https://h/#f", "https://h/a b", "https://h/\\", "https://h:0/",
    "https://h/\u{7F}", "https://h/ä", "https://h/" + String(repeating: "a", count: 3_000),
  ])
  func whatIsNoURLIsRefused(text: String) { #expect(HTTPLocation(text) == nil) }

  /// RFC 3986 §5.4.
  @Test(arguments: [
    ("/s/1", "https://sfu.example:8443/s/1"), ("1", "https://sfu.example:8443/whip/1"),
    ("./1", "https://sfu.example:8443/whip/1"), ("../1/", "https://sfu.example:8443/1/"),
    ("../../../1", "https://sfu.example:8443/1"), ("..", "https://sfu.example:8443/"),
    ("?x=1", "https://sfu.example:8443/whip/front?x=1"), ("1?y=../2", "https://sfu.example:8443/whip/1?y=../2"),
    ("//other/1", "https://other/1"), ("http://other/1?q", "http://other/1?q"),
    ("a/b:c", "https://sfu.example:8443/whip/a/b:c"),
  ])
  func aReferenceIsResolved(reference: String, expected: String) throws {
    #expect(base.resolving(reference) == HTTPLocation(expected))
  }

  @Test(arguments: ["", "javascript:x", "mailto:a@b", "a b", "#f", "https://u@h/"])
  func whatIsNoReferenceIsRefused(text: String) { #expect(base.resolving(text) == nil) }
}
