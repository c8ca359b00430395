import MediaCore
import PeerSession
import SDP
import Testing
import TransportCrypto

@Suite struct NegotiationTests {
  private func error(for offer: String) -> PeerSessionError? {
    do {
      _ = try makeSession(offer)
      return nil
    } catch {
      return error
    }
  }

  private func makeSession(_ offer: String) throws(PeerSessionError) -> PeerSession {
    let stack = TransportStack.open(seed: 1)
    return try PeerSession(
      offer: offer,
      configuration: PeerSessionConfiguration(
        localAddresses: [Call.sessionAddress], publish: [.audio, .video], subscribe: [.audio, .video], cname: "camera"),
      dependencies: PeerSessionDependencies(
        crypto: stack.crypto, dtls: stack.dtls, protection: stack.protection, network: NoNetwork(),
        frames: FrameCollector()),
      now: MonotonicInstant(nanoseconds: 0))
  }

  @Test func `a malformed offer is refused with its line`() {
    let lines = OfferTemplate().lines
    let broken: [(index: Int, line: String, reason: SDPError.Reason)] = [
      (0, "v=1", .unsupportedVersion), (5, "m=audio nine RTP 0", .malformedMedia),
      (7, "a=ice-ufrag:", .malformedAttribute("ice-ufrag")),
      (10, "a=fingerprint:sha-256 AB", .malformedAttribute("fingerprint")),
    ]
    for (index, line, reason) in broken {
      var lines = lines
      lines[index] = line
      guard case .malformed(let error) = error(for: lines.map { $0 + "\r\n" }.joined()) else {
        Issue.record("\(line) was taken")
        continue
      }
      #expect(error == SDPError(reason, line: index + 1))
    }
    guard case .malformed = error(for: "") else {
      Issue.record("nothing was taken")
      return
    }
  }

  @Test func `a peer takes candidates later only if it says so`() throws {
    let lines = OfferTemplate().lines
    func session(_ options: String) throws -> PeerSession {
      let text = lines.map { $0.hasPrefix("a=ice-options:") ? options : $0 }.filter { !$0.isEmpty }
      return try makeSession(text.map { $0 + "\r\n" }.joined())
    }
    #expect(try session("a=ice-options:trickle").isTrickling)
    #expect(try session("a=ice-options:ice2 trickle").isTrickling)
    #expect(try !session("a=ice-options:ice2").isTrickling)
    #expect(try !session("").isTrickling)
  }

  @Test func `an offer that cannot be answered says why`() {
    func reason(without prefix: String) -> NegotiationError? {
      let text = OfferTemplate().lines.filter { !$0.hasPrefix(prefix) }.map { $0 + "\r\n" }.joined()
      guard case .notAcceptable(let reason) = error(for: text) else { return nil }
      return reason
    }
    #expect(reason(without: "a=ice-ufrag") == .missingICECredentials)
    #expect(reason(without: "a=ice-pwd") == .missingICECredentials)
    #expect(reason(without: "a=fingerprint") == .missingFingerprint)
    func refused(_ reason: MediaRefusal) -> NegotiationError {
      .noUsableMedia([MediaKind.audio, .video].map { RefusedMedia(kind: $0, reason: reason) })
    }
    #expect(reason(without: "a=rtpmap") == refused(.otherCodecs([])))
    #expect(reason(without: "a=rtcp-mux") == refused(.noMultiplexing))
    let description = error(for: OfferTemplate(audio: nil, video: nil).text).map { "\($0)" }
    #expect(description == "the description is refused: it describes neither audio nor video")
  }

  @Test func `an unknown kind of fingerprint makes no association`() throws {
    var offer = OfferTemplate()
    offer.fingerprint.algorithm = "sha-0"
    let stack = try TransportStack.real(0, seed: 1)
    #expect(throws: PeerSessionError.self) {
      _ = try PeerSession(
        offer: offer.text,
        configuration: PeerSessionConfiguration(
          localAddresses: [], publish: [.audio], subscribe: [], cname: "camera"),
        dependencies: PeerSessionDependencies(
          crypto: stack.crypto, dtls: stack.dtls, protection: stack.protection, network: NoNetwork(),
          frames: FrameCollector()),
        now: MonotonicInstant(nanoseconds: 0))
    }
  }

  @Test func `a data channel is refused beside media`() throws {
    var offer = OfferTemplate()
    offer.hasDataChannel = true
    let answer = try SessionDescriptionParser.parse(try makeSession(offer.text).localDescription)
    #expect(answer.media.map(\.name) == ["audio", "video", "application"])
    #expect(answer.media.map { $0.port == 0 } == [false, false, true])
    #expect(answer.bundleGroups == [["a", "v"]])
  }

  @Test func `pictures that are refused say how sound is multiplexed`() throws {
    var offer = OfferTemplate()
    offer.hasRTX = false
    let text = offer.text.replacing("96 VP8/90000", with: "96 H264/90000")
    let answer = try SessionDescriptionParser.parse(try makeSession(text).localDescription)
    #expect(answer.media.map { $0.port == 0 } == [false, true])
    #expect(answer.media.map(\.isRTCPMux) == [true, true])
  }

  @Test func `an offer of nothing but a data channel is refused`() {
    guard
      case .notAcceptable(.noUsableMedia([], skipped: [])) = error(
        for: OfferTemplate(audio: nil, video: nil, hasDataChannel: true).text)
    else {
      Issue.record("it was taken")
      return
    }
  }
}

/// Swallows what a session sends.
final class NoNetwork: DatagramSink {
  private(set) var count = 0
  func send(_ octets: RawSpan, over link: TURNConnectionID) {}
  func send(_ datagram: RawSpan, from local: TransportAddress, to remote: TransportAddress) { count += 1 }
}
