import MediaCore
import SDP
import Testing
import TransportCrypto

@Suite struct OfferTests {
  private let offer = Offer(makeParameters().media)

  private func parsed(_ offer: Offer, _ parameters: LocalParameters = makeParameters()) throws -> SDPSession {
    try SessionDescriptionParser.parse(offer.text(with: parameters))
  }

  /// The vector's lines with a change to those of one description, or of the session (0).
  private func changed(_ name: String, _ section: Int, _ change: (inout [String]) -> Void) throws -> SDPSession {
    var sections: [[String]] = [[]]
    for line in try vector(name).split(separator: "\r\n").map(String.init) {
      if line.hasPrefix("m=") { sections.append([]) }
      sections[sections.count - 1].append(line)
    }
    change(&sections[section])
    return try parse(sections.flatMap { $0 })
  }

  private func refusal(of answer: SDPSession) -> NegotiationError? {
    do {
      _ = try offer.take(answer)
      return nil
    } catch { return error }
  }

  // MARK: Writing

  @Test func offersStayAsTheyAre() throws {
    #expect(offer.text(with: makeParameters()) == (try vector("offer.golden")))
  }

  @Test func rfc9143AllButTheFirstDescriptionAreBundleOnly() throws {
    let session = try parsed(offer)
    #expect(session.bundleGroups == [["0", "1"]])
    #expect(session.media.map(\.port) == [9, 0])
    #expect(session.media.map(\.isBundleOnly) == [false, true])
    #expect(session.media.map(\.candidates.count) == [1, 0])
    #expect(session.media.allSatisfy { $0.transport.setup == .actpass })
  }

  @Test func onlyWhatIsSentOrReceivedIsOffered() throws {
    let sending = localMedia(.video, receives: false)
    let receiving = localMedia(.audio, sends: false)
    let session = try parsed(Offer([receiving, sending]))
    #expect(session.media.map(\.direction) == [.recvonly, .sendonly])
    #expect(session.media.map(\.sources.count) == [0, 2])
    let nothing = localMedia(.audio, sends: false, receives: false)
    #expect(try parsed(Offer([nothing, sending])).media.map(\.mid) == ["0"])
  }

  // MARK: Taking answers

  @Test func chromiumsAnswerIsTakenWhole() throws {
    let agreed = try offer.take(SessionDescriptionParser.parse(vector("chromium-answer")))
    let (audio, video) = (agreed.media[0], agreed.media[1])
    #expect((audio.payloadType, video.payloadType, video.rtxPayloadType) == (111, 96, 97))
    #expect(
      audio.extensionIDs
        == HeaderExtensionIDs(mid: 4, absoluteSendTime: 2, transportWideSequenceNumber: 3, audioLevel: 1))
    #expect(
      video.feedback
        == [.nack, .pictureLossIndication, .fullIntraRequest, .receiverEstimatedMaximumBitrate, .transportWide])
    #expect(agreed.media.map(\.direction) == [.sendrecv, .sendrecv])
    #expect(video.remoteSSRCs == [4_010_785_722])
    #expect(video.remoteRTXSSRC == 7_950_562)
    #expect(agreed.transport.role == .server)
    #expect(agreed.transport.remoteUsernameFragment == "kr0C")
    #expect(agreed.transport.remoteCandidates.allSatisfy { $0.isMulticastDNS })
  }

  @Test func aiortcsAnswerTakesLess() throws {
    let agreed = try offer.take(SessionDescriptionParser.parse(vector("aiortc-answer")))
    #expect(
      agreed.media.map(\.extensionIDs)
        == [HeaderExtensionIDs(mid: 4, audioLevel: 1), HeaderExtensionIDs(mid: 4, absoluteSendTime: 2)])
    #expect(agreed.media[1].feedback == [.nack, .pictureLossIndication, .receiverEstimatedMaximumBitrate])
    #expect(!agreed.media[1].usesReducedSizeRTCP)
    #expect(agreed.transport.remoteFingerprints.count == 3)
    #expect(!agreed.transport.canTrickle)
  }

  @Test func aStoppedDescriptionIsInactive() throws {
    let agreed = try offer.take(SessionDescriptionParser.parse(vector("chromium-refusal-answer")))
    #expect(agreed.media.map(\.direction) == [.sendonly, .inactive])
  }

  @Test func aRefusedDescriptionStaysRefusedInLaterOffers() throws {
    let answer = try changed("chromium-answer", 2) { $0[0] = "m=video 0 UDP/TLS/RTP/SAVPF 96 97" }
    let agreed = try offer.take(answer)
    #expect(agreed.media.map(\.kind) == [.audio])
    let later = try parsed(Offer(makeParameters().media, after: agreed))
    #expect(later.media.map(\.port) == [9, 0])
    #expect(later.media.map(\.isBundleOnly) == [false, false])
    #expect(later.bundleGroups == [["0"]])
  }

  @Test(arguments: [("active", DTLSRole.server), ("passive", .client)])
  func rfc8842TheAnswerDecidesTheRole(setup: String, role: DTLSRole) throws {
    let text = try vector("chromium-answer").replacing("a=setup:active", with: "a=setup:\(setup)")
    #expect(try offer.take(SessionDescriptionParser.parse(text)).transport.role == role)
  }

  @Test func answersThatDoNotFitSayWhy() throws {
    func answer(_ section: Int, _ change: (inout [String]) -> Void) throws -> NegotiationError? {
      try refusal(of: changed("chromium-answer", section, change))
    }
    #expect(try answer(2) { $0.removeAll() } == .otherMedia(index: 1))
    #expect(try answer(2) { $0 += ["m=application 9 UDP/DTLS/SCTP webrtc-datachannel"] } == .otherMedia(index: 2))
    #expect(try answer(1) { $0[0] = "m=video 9 UDP/TLS/RTP/SAVPF 111" } == .otherMedia(index: 0))
    #expect(try answer(1) { $0.replace("a=mid:0", with: "a=mid:7") } == .otherMedia(index: 0))
    #expect(try answer(1) { $0.removeAll { $0 == "a=rtcp-mux" } } == .otherFormats(index: 0))
    #expect(
      try answer(2) { lines in lines = lines.map { $0.replacing("96", with: "98") } } == .otherFormats(index: 1))
    #expect(
      try answer(2) { lines in lines = lines.map { $0.replacing("VP8", with: "VP9") } } == .otherFormats(index: 1))
    #expect(try answer(0) { $0.replace("a=group:BUNDLE 0 1", with: "a=group:BUNDLE 0") } == .notBundled(index: 1))
    #expect(try answer(1) { $0.removeAll { $0.hasPrefix("a=fingerprint") } } == .missingFingerprint)
    #expect(try answer(1) { $0.removeAll { $0.hasPrefix("a=ice-pwd") } } == .missingICECredentials)
    #expect(try answer(1) { $0.replace("a=setup:active", with: "a=setup:actpass") } == .undecidedDTLSRole)
    let refused = try vector("chromium-answer").replacing("m=audio 9", with: "m=audio 0")
      .replacing("m=video 9", with: "m=video 0")
    #expect(try refusal(of: SessionDescriptionParser.parse(refused)) == .noUsableMedia(portZero))
    #expect(refusal(of: SDPSession()) == .otherMedia(index: 0))
  }

  @Test func rfc8285WhatAnAnswerNumbersOtherwiseIsNotUsed() throws {
    let answer = try changed("chromium-answer", 2) { lines in
      lines = lines.map { $0.replacing("a=extmap:3 ", with: "a=extmap:9 ") }
    }
    let video = try offer.take(answer).media[1]
    #expect(video.extensionIDs.transportWideSequenceNumber == nil)
    #expect(!video.feedback.contains(.transportWide))
  }
}

extension [String] {
  fileprivate mutating func replace(_ line: String, with other: String) { self = map { $0 == line ? other : $0 } }
}
