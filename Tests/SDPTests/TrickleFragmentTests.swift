import SDP
import Testing

/// `application/trickle-ice-sdpfrag`, and offers that are passed on.
@Suite struct TrickleFragmentTests {
  private static let candidate = "candidate:1387637174 1 udp 2122260223 192.0.2.1 61764 typ host"

  private func fragment(_ lines: [String]) throws -> TrickleFragment {
    try TrickleFragment(parsing: lines.joined(separator: "\r\n"))
  }

  /// RFC 9725 §4.3.1.
  @Test func theExampleOfWHIP() throws {
    let parsed = try fragment([
      "a=group:BUNDLE 0 1", "m=audio 9 UDP/TLS/RTP/SAVPF 111", "a=mid:0", "a=ice-ufrag:EsAw",
      "a=ice-pwd:P2uYro0UCOQ4zxjKXaWCBui1", "a=\(Self.candidate) generation 0 ufrag EsAw network-id 1",
      "a=candidate:3471623853 1 udp 2122194687 198.51.100.2 61765 typ host", "a=end-of-candidates", "",
    ])
    #expect(parsed.iceUsernameFragment == "EsAw" && parsed.icePassword == "P2uYro0UCOQ4zxjKXaWCBui1")
    #expect(parsed.media.count == 1 && parsed.media[0].mid == "0" && parsed.media[0].hasEndOfCandidates)
    #expect(parsed.candidates.map(\.candidate).last == "" && parsed.candidates.count == 3)
    #expect(parsed.candidates[0].candidate.hasSuffix("network-id 1") && parsed.candidates[0].mid == "0")
  }

  @Test func credentialsMayStandBeforeMedia() throws {
    let parsed = try fragment(["a=ice-ufrag:EsAw", "a=ice-pwd:P2uYro0UCOQ4zxjKXaWCBui1", "a=\(Self.candidate)"])
    #expect(parsed.iceUsernameFragment == "EsAw" && parsed.candidates.map(\.mid) == [nil])
  }

  @Test func whatIsNotKnownIsSkipped() throws {
    let parsed = try fragment([
      "a=candidate:nonsense", "b=AS:12", "a=x:y", "m=audio 9 RTP/AVP 0", "a=candidate:1 1 udp",
    ])
    #expect(parsed.candidates.isEmpty && parsed.media.count == 1)
    #expect(try TrickleFragment(parsing: "") == TrickleFragment())
  }

  @Test(arguments: [
    (["a=ice-ufrag:a b"], 1), (["a=ice-pwd:short"], 1), (["hello"], 1), (["", "a=mid:0"], 2), (["a=x\u{1}"], 1),
    (["a=ice-ufrag:Ünü"], 1), (["v=0", "="], 2),
  ])
  func aMalformedLineIsNamed(lines: [String], line: Int) {
    #expect { try fragment(lines) } throws: { ($0 as? SDPError)?.line == line }
  }

  @Test func sizesAreBounded() throws {
    let many = try fragment(Array(repeating: "a=\(Self.candidate)", count: 200))
    #expect(many.candidates.count == TrickleFragment.maximumCandidates)
    #expect(throws: SDPError.self) { try fragment(Array(repeating: "m=audio 9 RTP/AVP 0", count: 33)) }
    #expect(throws: SDPError.self) { try fragment([String(repeating: "a", count: 20_000)]) }
  }

  @Test func theAnswerToARestartReadsBack() throws {
    let answer = try SessionDescriptionParser.parse(vector("chromium-answer.golden"))
    let sent = TrickleFragment(answer, more: [Self.candidate])
    let read = try TrickleFragment(parsing: sent.text)
    #expect(read == sent && read.iceUsernameFragment != nil && read.icePassword != nil)
    #expect(read.candidates.map(\.candidate).suffix(2) == [Self.candidate, ""])
  }

  @Test(arguments: ["chromium", "firefox", "aiortc", "gst"])
  func aRestartedOfferDiffersInICEAlone(name: String) throws {
    let offer = try vector("\(name)-offer")
    let text = DescriptionLines.restarted(offer, usernameFragment: "EsAw", password: "P2uYro0UCOQ4zxjKXaWCBui1")
    let (before, after) = (try SessionDescriptionParser.parse(offer), try SessionDescriptionParser.parse(text))
    #expect(after.sessionVersion != before.sessionVersion && after.sessionID == before.sessionID)
    #expect(after.media.allSatisfy { $0.candidates.isEmpty && $0.transport.iceUsernameFragment == "EsAw" })
    #expect(after.media.map(\.payloads) == before.media.map(\.payloads))
    #expect(after.media.map(\.transport.fingerprints) == before.media.map(\.transport.fingerprints))
  }

  @Test func anOfferWithoutTrickleIsElseTheSame() throws {
    let offer =
      "v=0\no=- 1 1 IN IP4 0.0.0.0\na=ice-options:trickle renomination\nm=audio 9 RTP/AVP 0\na=ice-options:trickle"
    let text = DescriptionLines.withoutTrickle(offer)
    #expect(
      text == "v=0\r\no=- 1 1 IN IP4 0.0.0.0\r\na=ice-options:renomination\r\nm=audio 9 RTP/AVP 0\r\n")
  }

  @Test func candidatesAreAddedToTheFirstMedia() throws {
    let answer = try vector("chromium-answer.golden")
    let parsed = try SessionDescriptionParser.parse(DescriptionLines.adding([Self.candidate], to: answer))
    let before = try SessionDescriptionParser.parse(answer)
    #expect(parsed.media[0].candidates.count == before.media[0].candidates.count + 1)
    #expect(parsed.media[0].hasEndOfCandidates && parsed.media[1].candidates.isEmpty)
  }
}
