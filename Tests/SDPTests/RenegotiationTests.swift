import MediaCore
import SDP
import Testing
import TransportCrypto

@Suite struct RenegotiationTests {
  private func agree(_ offers: [[String]]) throws -> NegotiatedSession {
    var agreement: NegotiatedSession?
    for offer in offers { agreement = try Answer(parse(offer), after: agreement).agreement }
    return try #require(agreement)
  }

  private func refusal(of offer: [String], after before: NegotiatedSession) throws -> NegotiationError? {
    let session = try parse(offer)
    do {
      _ = try AnswerBuilder.agree(to: session, media: makeParameters().media, preferredRole: .client, after: before)
      return nil
    } catch { return error }
  }

  /// Six offers of one Chromium: sound, pictures added, both muted, ICE restarted, pictures removed, and added again.
  @Test func aCourseOfChromiumsOffersIsAnswered() throws {
    var agreement: NegotiatedSession?
    var seen: [(directions: [MediaDirection], mids: [String?], restarts: Bool)] = []
    for name in ["1-audio", "2-video", "3-muted", "4-restart", "5-removed", "6-again"] {
      let offer = try SessionDescriptionParser.parse(vector("chromium-course-\(name)"))
      let answer = try Answer(offer, after: agreement)
      #expect(try SessionDescriptionParser.parse(answer.sdp).media.map(\.name) == offer.media.map(\.name))
      let restarts = agreement.map { answer.transport.restartsICE(after: $0.transport) } ?? false
      seen.append((answer.media.map(\.direction), answer.media.map(\.mid), restarts))
      agreement = answer.agreement
    }
    #expect(
      seen.map(\.directions) == [
        [.sendrecv], [.sendrecv, .sendrecv], [.sendonly, .inactive], [.sendonly, .sendrecv], [.sendonly],
        [.sendonly, .sendrecv],
      ])
    #expect(seen.map(\.mids) == [["0"], ["0", "1"], ["0", "1"], ["0", "1"], ["0"], ["0", "2"]])
    #expect(seen.map(\.restarts) == [false, false, false, true, false, false])
    #expect(agreement?.sections.count == 3)
    #expect(agreement?.formerMedia.isEmpty == true)
  }

  /// The peer that answered our offers makes one itself.
  @Test func chromiumAsCalleeOffersLater() throws {
    let media = makeParameters().media
    let first = try Offer(media).take(SessionDescriptionParser.parse(vector("chromium-answer")))
    let restarted = try Offer(media, after: first).take(
      SessionDescriptionParser.parse(vector("chromium-restart-answer")), after: first)
    #expect(restarted.transport.restartsICE(after: first.transport))
    let offer = try SessionDescriptionParser.parse(vector("chromium-callee-offer"))
    let answer = try Answer(offer, role: .client, after: restarted)
    #expect(answer.media.map(\.direction) == [.sendrecv, .sendonly])
    // The association goes on with the roles that it has.
    #expect(answer.transport.role == .server)
  }

  @Test func laterOffersKeepWhatIsAgreed() throws {
    let agreement = try Answer(SessionDescriptionParser.parse(vector("chromium-offer"))).agreement
    let later = try SessionDescriptionParser.parse(
      Offer(makeParameters().media, after: agreement).text(with: makeParameters()))
    #expect(later.media.map(\.name) == ["audio", "video", "application"])
    #expect(later.media.map(\.mid) == ["0", "1", "2"])
    #expect(later.media.map(\.port) == [9, 9, 0])
    #expect(later.media[1].payloads.map(\.payloadType) == [96, 97])
    #expect(later.media.allSatisfy { $0.transport.setup == .actpass })
  }

  @Test func rfc3264PlacesAreKept() throws {
    let agreement = try agree([makeOffer()])
    let shorter = Array(makeOffer().prefix { !$0.hasPrefix("m=video") })
    #expect(try refusal(of: shorter, after: agreement) == .forbidden(.media(index: 1)))
    let renamed = makeOffer(group: "0 7").map { $0 == "a=mid:1" ? "a=mid:7" : $0 }
    #expect(try refusal(of: renamed, after: agreement) == .forbidden(.media(index: 1)))
    #expect(try refusal(of: makeOffer(), after: agreement) == nil)
  }

  @Test func rfc3264APayloadTypeKeepsItsMeaning() throws {
    let agreement = try agree([makeOffer()])
    let moved = makeOffer().map { $0.replacing("96", with: "98") }
    #expect(try refusal(of: moved, after: agreement) == .forbidden(.payloadType(96)))
    let reused = makeOffer().map { $0.replacing("96 VP8", with: "96 H264") }
    #expect(try refusal(of: reused, after: agreement) == .forbidden(.payloadType(96)))
    let withoutRTX = makeOffer().filter { !$0.contains("rtx") }
    #expect(try refusal(of: withoutRTX, after: agreement) == .forbidden(.payloadType(97)))
    let preferred = makeOffer(video: ["a=sendrecv", "a=rtpmap:98 VP8/90000"])
      .map { $0.replacing("SAVPF 96 97", with: "SAVPF 98 96 97") }
    let next = try Answer(parse(preferred), after: agreement)
    #expect(next.media[1].payloadType == 96)
  }

  @Test func rfc8285AnExtensionKeepsItsNumber() throws {
    let mid = "urn:ietf:params:rtp-hdrext:sdes:mid"
    func offer(_ lines: [String]) -> [String] { makeOffer(video: ["a=sendrecv"] + lines) }
    let agreement = try agree([offer(["a=extmap:4 \(mid)"])])
    for changed in [["a=extmap:5 \(mid)"], ["a=extmap:4 urn:other", "a=extmap:5 \(mid)"], []] {
      #expect(try refusal(of: offer(changed), after: agreement) == .forbidden(.headerExtension(id: 4)))
    }
    let more = offer(["a=extmap:4 \(mid)", "a=extmap:6 http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time"])
    let next = try Answer(parse(more), after: agreement)
    #expect(next.media[1].extensionIDs == HeaderExtensionIDs(mid: 4))
  }

  @Test func feedbackInUseStays() throws {
    let agreement = try agree([makeOffer(video: ["a=sendrecv", "a=rtcp-fb:96 nack"])])
    #expect(try refusal(of: makeOffer(), after: agreement) == .forbidden(.feedback(.video)))
  }

  @Test func rfc8842TheAssociationStays() throws {
    let agreement = try agree([makeOffer(setup: "passive")])
    #expect(try refusal(of: makeOffer(setup: "active"), after: agreement) == .forbidden(.dtlsRole))
    #expect(try Answer(parse(makeOffer(setup: "actpass")), role: .server, after: agreement).transport.role == .client)
    let other = makeOffer(setup: "passive").map { $0.replacing("sha-256 AB", with: "sha-256 AC") }
    #expect(try refusal(of: other, after: agreement) == .forbidden(.fingerprint))
  }

  @Test func aKindThatComesBackIsCodedAsBefore() throws {
    func offer(videoPort: Int, mid: String, type: Int = 96) -> [String] {
      makeOffer(group: "0 \(mid)").map {
        $0.replacing("m=video 9", with: "m=video \(videoPort)").replacing("96", with: "\(type)")
          .replacing("a=mid:1", with: "a=mid:\(mid)")
      }
    }
    let removed = try agree([makeOffer(), offer(videoPort: 0, mid: "1")])
    #expect(removed.media.map(\.kind) == [.audio])
    #expect(removed.formerMedia.map(\.kind) == [.video])
    #expect(try refusal(of: offer(videoPort: 9, mid: "2"), after: removed) == nil)
    #expect(try refusal(of: offer(videoPort: 9, mid: "2", type: 99), after: removed) == .forbidden(.payloadType(96)))
  }

  @Test func aSecondDescriptionStaysRefused() throws {
    let second = [
      "m=video 9 UDP/TLS/RTP/SAVPF 96", "c=IN IP4 0.0.0.0", "a=mid:2", "a=rtcp-mux", "a=rtpmap:96 VP8/90000",
    ]
    let offer = makeOffer(group: "0 1 2") + second
    let agreement = try agree([offer, offer])
    #expect(agreement.sections.map { $0.media == nil } == [false, false, true])
    // Once the first is gone, the second may serve.
    let withoutFirst = offer.map {
      $0.replacing("m=video 9 UDP/TLS/RTP/SAVPF 96 97", with: "m=video 0 UDP/TLS/RTP/SAVPF 96 97")
    }
    #expect(try refusal(of: withoutFirst, after: agreement) == .forbidden(.payloadType(97)))
  }

  @Test func anOfferOfNothingIsRefused() throws {
    let agreement = try agree([makeOffer()])
    let nothing = makeOffer().map { $0.hasPrefix("m=") ? $0.replacing(" 9 ", with: " 0 ") : $0 }
    #expect(try refusal(of: nothing, after: agreement) == .noUsableMedia(portZero))
  }
}
