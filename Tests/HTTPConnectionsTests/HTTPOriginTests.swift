import HTTPConnections
import Testing

@Suite struct HTTPOriginTests {
  @Test func partsOfURLs() throws {
    let plain = try #require(HTTPOrigin("http://hub.example"))
    #expect((plain.isSecure, plain.host, plain.port, plain.pathPrefix) == (false, "hub.example", 80, ""))
    let secure = try #require(HTTPOrigin("HTTPS://[2001:db8::1]:8443/live/"))
    #expect((secure.isSecure, secure.host, secure.port, secure.pathPrefix) == (true, "2001:db8::1", 8443, "/live"))
    #expect("\(secure)" == "https://[2001:db8::1]:8443/live")
    #expect(HTTPOrigin("https://x:443")?.description == "https://x")
  }
}
