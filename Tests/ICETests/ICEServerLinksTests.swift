import Signalling
import Testing

@Suite struct ICEServerLinksTests {
  /// The examples of RFC 9725 §4.6.
  @Test func serversAreTaken() {
    let servers = ICEServerLinks.servers(in: [
      "<stun:stun.example.net>; rel=\"ice-server\"",
      "<turn:turn.example.net?transport=udp>; rel=\"ice-server\"; username=\"user\"; credential=\"my\\\"Password, 1\"; "
        + "credential-type=\"password\", <turns:t.example>;rel=ice-server;username=u;credential=c",
      "<https://h/next>; rel=next",
    ])
    #expect(
      servers.map(\.urls) == [["stun:stun.example.net"], ["turn:turn.example.net?transport=udp"], ["turns:t.example"]])
    #expect(servers[1].username == "user" && servers[1].credential == "my\"Password, 1")
    #expect(servers[2].username == "u" && servers[2].credential == "c")
  }

  @Test(arguments: [
    "", ",", "<", "<>; rel=ice-server", "<turn:a", "turn:a; rel=ice-server", "<a b>; rel=ice-server",
    "<turn:a>; rel=\"ice-server",
    "<turn:a>; rel=ice-server; credential-type=oauth", "<turn:a>; rel=\"ice-servers\"", "<turn:a>", ";;;<<>>,,\"",
  ])
  func whatIsNoServerIsPassedOver(field: String) { #expect(ICEServerLinks.servers(in: [field]).isEmpty) }

  @Test func thereIsABound() {
    let link = "<stun:s.example>; rel=ice-server"
    #expect(ICEServerLinks.servers(in: Array(repeating: link, count: 1_000)).count == ICEServerLinks.maximumCount)
    #expect(ICEServerLinks.servers(in: [String(repeating: "x", count: 9_000), link]).isEmpty)
  }
}
