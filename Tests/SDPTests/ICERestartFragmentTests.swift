import SDP
import Testing

@Suite struct ICERestartFragmentTests {
  private static let candidate = "candidate:1 1 udp 2130706431 192.0.2.1 4000 typ host"
  private static let offer =
    "v=0\r\no=- 1 2 IN IP4 127.0.0.1\r\ns=-\r\nt=0 0\r\na=group:BUNDLE 0 1\r\nm=audio 9 UDP/TLS/RTP/SAVPF 111\r\n"
    + "c=IN IP4 0.0.0.0\r\na=\(candidate)\r\na=end-of-candidates\r\na=ice-ufrag:abcd\r\n"
    + "a=ice-pwd:0123456789012345678901\r\na=ice-options:trickle\r\na=mid:0\r\nm=video 0 UDP/TLS/RTP/SAVPF 96\r\n"
    + "a=ice-ufrag:abcd\r\na=ice-pwd:0123456789012345678901\r\na=mid:1\r\n"

  @Test func theFragmentHasWhatRestarts() {
    let text =
      "a=group:BUNDLE 0 1\r\na=ice-ufrag:abcd\r\na=ice-pwd:0123456789012345678901\r\na=ice-options:trickle\r\n"
      + "m=audio 9 UDP/TLS/RTP/SAVPF 111\r\na=\(Self.candidate)\r\na=end-of-candidates\r\na=mid:0\r\n"
    #expect(ICERestartFragment.text(of: Self.offer) == text)
    let fragment = ICERestartFragment(parsing: text)
    #expect(fragment?.usernameFragment == "abcd" && fragment?.candidates == [Self.candidate])
  }

  @Test func anAnswerIsChangedByIt() throws {
    let change = try #require(
      ICERestartFragment(
        parsing: "a=ice-ufrag:EFGH\na=ice-pwd:abcdefghijabcdefghijab\na=candidate:9 1 udp 1 192.0.2.9 9 typ host\n"))
    let answer = try SessionDescriptionParser.parse(change.applied(to: Self.offer))
    #expect(answer.media.map(\.transport.iceUsernameFragment) == ["EFGH", "EFGH"])
    #expect(answer.media.map(\.transport.icePassword) == Array(repeating: "abcdefghijabcdefghijab", count: 2))
    #expect(answer.media[0].candidates.map(\.port) == [9] && answer.media[1].candidates.isEmpty)
    #expect(answer.media.map(\.mid) == ["0", "1"])
  }

  @Test(arguments: [
    "", "a=ice-ufrag:abcd\r\n", "a=ice-pwd:0123456789012345678901\r\n",
    "a=ice-ufrag:a\r\na=ice-pwd:0123456789012345678901\r\n",
    "a=ice-ufrag:abcd\r\na=ice-pwd:short\r\n", "a=ice-ufrag:ab\u{0}cd\r\na=ice-pwd:0123456789012345678901\r\n",
    String(repeating: "a", count: 20_000),
  ])
  func whatIsNoFragmentIsRefused(text: String) { #expect(ICERestartFragment(parsing: text) == nil) }

  @Test func candidatesAreBounded() {
    let text =
      "a=ice-ufrag:abcd\na=ice-pwd:0123456789012345678901\n"
      + String(repeating: "a=\(Self.candidate)\n", count: 200) + "a=candidate:garbage\n"
    #expect(ICERestartFragment(parsing: text)?.candidates.count == ICERestartFragment.maximumCandidateCount)
  }

  @Test func aTextWithoutMediaIsNoOffer() { #expect(ICERestartFragment.text(of: "v=0\r\n") == nil) }
}
