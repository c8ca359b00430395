import ICE
import MediaCore
import Signalling
import Testing

@Suite struct ICEServerURLTests {
  private func url(_ text: String) throws -> ICEServerURL { try ICEServerURL(text) }

  private func problem(_ text: String) -> ICEServerURLError.Problem? {
    #expect(throws: ICEServerURLError.self) { try ICEServerURL(text) }?.problem
  }

  @Test(
    "hosts, ports and transports are read as RFC 7064 and RFC 7065 say",
    arguments: [
      ("stun:stun.example.org", ICEServerURL.Kind.stun, ICEServerURL.Transport.udp, "stun.example.org", UInt16(3478)),
      ("STUN:192.0.2.1:19302", .stun, .udp, "192.0.2.1", 19302),
      ("turn:turn.example.org", .turn, .udp, "turn.example.org", 3478),
      ("turn:turn.example.org:80?transport=udp", .turn, .udp, "turn.example.org", 80),
      ("turn:[2001:db8::1]:443?transport=TCP", .turn, .tcp, "2001:db8::1", 443),
      ("turns:[::1]", .turn, .tls, "::1", 5349),
      ("turns:turn_1.example.org?transport=tcp", .turn, .tls, "turn_1.example.org", 5349),
    ])
  func wellFormed(
    text: String, kind: ICEServerURL.Kind, transport: ICEServerURL.Transport, host: String, port: UInt16
  ) throws {
    let parsed = try url(text)
    #expect(parsed.kind == kind)
    #expect(parsed.transport == transport)
    #expect(parsed.host == host)
    #expect(parsed.port == port)
    #expect(try url("\(parsed)") == parsed)
  }

  @Test func numericHostsNeedNoLookup() throws {
    #expect(try url("turn:[::1]:1").address == TransportAddress(ipv6: 0, 1, port: 1))
    #expect(try url("turn:127.0.0.1").address == TransportAddress(ipv4: 0x7F00_0001, port: 3478))
    #expect(try url("turn:turn.example.org").address == nil)
  }

  @Test(
    "what cannot be used is refused with its reason",
    arguments: [
      ("", ICEServerURLError.Problem.unknownScheme), ("turn", .unknownScheme), ("https://example.org", .unknownScheme),
      ("turn:", .badHost), ("turn://turn.example.org", .badHost), ("turn:a b", .badHost), ("turn:[::1", .badHost),
      ("turn:[127.0.0.1]", .badHost), ("turn::3478", .badHost), ("turn:-a", .badHost),
      ("turn:2001:db8::1", .badPort), ("turn:a:", .badPort), ("turn:a:0", .badPort), ("turn:a:65536", .badPort),
      ("turn:a:+1", .badPort), ("turn:[::1]3478", .badPort),
      ("turn:a?transport=sctp", .unknownParameter), ("stun:a?transport=udp", .unknownParameter),
      ("stuns:a", .encryptedSTUN), ("turns:a?transport=udp", .datagramTLS), ("turn:user:word@a", .userInformation),
    ])
  func illFormed(text: String, expected: ICEServerURLError.Problem) {
    #expect(problem(text) == expected)
  }

  @Test func errorsShowNoCredentialsAndNoControlCharacters() {
    let error = #expect(throws: ICEServerURLError.self) { try ICEServerURL("turn:olga:secret@a.example?key=hidden") }
    #expect(error?.url == "turn:a.example")
    #expect(error.map { "\($0)".contains("secret") || "\($0)".contains("hidden") } == false)
    let marked = #expect(throws: ICEServerURLError.self) { try ICEServerURL("turn:olga:secret@\u{619}a") }
    #expect(marked?.url == "turn:a")
    let hostile = #expect(throws: ICEServerURLError.self) {
      try ICEServerURL("turn:\u{1B}[31m\n" + .init(repeating: "x", count: 999))
    }
    #expect(hostile?.problem == .tooLong)
    #expect(hostile.map { $0.url.utf8.count <= 80 && $0.url.hasPrefix("turn:[31mx") } == true)
  }

  @Test func aSessionTakesFourServersOfEachKind() {
    var list = ICEServerList()
    let stun = ICEServer(urls: ["stun:a", "stun:a", "turns:b?transport=udp", "stun:c"])
    let turn = ICEServer(
      urls: (1...5).map { "turn:\($0).example" }, username: "olga", credential: "secret")
    let added = list.add([stun, turn])
    #expect(added.reflectors.map(\.host) == ["a", "c"])
    #expect(added.relays.map(\.url.host) == ["1.example", "2.example", "3.example", "4.example"])
    #expect(added.relays.allSatisfy { $0.username == "olga" && $0.password == "secret" })
    #expect(
      added.refusals == [
        "turns:b: TURN over DTLS is not supported; use ?transport=tcp",
        "1 more servers than the 4 of each kind that a call uses",
      ])
    let again = list.add([stun, ICEServer(urls: ["stun:d"])])
    #expect(again.reflectors.map(\.host) == ["d"])
    #expect(list.reflectors.count == 3)
  }

  @Test func descriptionsHideThePassword() {
    let description = ICEServer(urls: ["turn:a"], username: "olga", credential: "secret")
    var list = ICEServerList()
    let relays = list.add([description]).relays
    for text in ["\(description)", "\(relays)", String(reflecting: description), String(reflecting: relays)] {
      #expect(!text.contains("secret") && !text.contains("olga"))
    }
    var dumped = ""
    dump(list, to: &dumped)
    dump(description, to: &dumped)
    #expect(!dumped.contains("secret"))
  }
}
