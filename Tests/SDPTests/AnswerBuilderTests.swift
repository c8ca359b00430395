import MediaCore
import SDP
import Testing
import TransportCrypto

@Suite struct AnswerBuilderTests {
  private func answer(
    _ lines: [String], _ parameters: LocalParameters = makeParameters(), role: DTLSRole = .client
  ) throws -> Answer {
    try Answer(parse(lines), with: parameters, role: role)
  }

  private func parsed(_ answer: Answer) throws -> SDPSession { try SessionDescriptionParser.parse(answer.sdp) }

  @Test(arguments: ["chromium", "chromium-simulcast", "firefox", "aiortc", "gst"])
  func answersToRealOffersStayAsTheyAre(name: String) throws {
    let offer = try SessionDescriptionParser.parse(vector("\(name)-offer"))
    let answer = try Answer(offer)
    let expected = try vector("\(name)-answer.golden")
    #expect(answer.sdp == expected)
    #expect(try parsed(answer).media.map(\.name) == offer.media.map(\.name))
  }

  @Test func chromiumNegotiation() throws {
    let offer = try SessionDescriptionParser.parse(vector("chromium-offer"))
    let answer = try Answer(offer)
    let audio = answer.media[0]
    let video = answer.media[1]
    #expect(answer.media.count == 2)
    #expect((audio.payloadType, audio.rtxPayloadType) == (111, nil))
    #expect(
      audio.extensionIDs
        == HeaderExtensionIDs(mid: 4, absoluteSendTime: 2, transportWideSequenceNumber: 3, audioLevel: 1))
    #expect(audio.feedback == .transportWide)
    #expect(audio.wantsOpusFEC)
    #expect(audio.remoteSSRCs == [2_230_297_360])
    #expect((video.payloadType, video.rtxPayloadType) == (96, 97))
    #expect(
      video.extensionIDs
        == HeaderExtensionIDs(mid: 4, absoluteSendTime: 2, transportWideSequenceNumber: 3, streamID: 10))
    #expect(
      video.feedback
        == [.nack, .pictureLossIndication, .fullIntraRequest, .receiverEstimatedMaximumBitrate, .transportWide])
    #expect(video.remoteSSRCs == [4_062_628_594])
    #expect(video.remoteRTXSSRC == 1_887_058_393)
    #expect(video.remoteCNAME == "4GMlNErxlQFErA9a")
    #expect(video.usesReducedSizeRTCP)
    #expect(video.direction == .sendrecv)
    #expect(answer.transport.remoteUsernameFragment == "g5zc")
    #expect(answer.transport.remoteCandidates.filter(\.isUsable).count == 1)
    #expect(answer.transport.canTrickle)
    #expect(answer.transport.role == .client)
  }

  @Test(
    arguments: [("chromium", [3, 3]), ("firefox", [7, 7]), ("gst", [nil, nil]), ("aiortc", [nil, nil])]
      as [(String, [UInt8?])])
  func transportWideCongestionControlNeedsNumbersAndFeedback(name: String, ids: [UInt8?]) throws {
    let offer = try SessionDescriptionParser.parse(vector("\(name)-offer"))
    let answer = try Answer(offer)
    #expect(answer.media.map(\.extensionIDs.transportWideSequenceNumber) == ids)
    #expect(answer.media.map { $0.feedback.contains(.transportWide) } == ids.map { $0 != nil })
    let written = try parsed(answer).media.filter { $0.port != 0 }
    #expect(written.map { $0.payloads[0].feedback.contains("transport-cc") } == ids.map { $0 != nil })
    for (media, id) in zip(written, ids) {
      #expect(media.headerExtensions.first { $0.uri.contains("transport-wide-cc") }?.id == id)
    }
  }

  @Test func rfc8843AnExtensionHasOneNumberInABundle() throws {
    let mid = "urn:ietf:params:rtp-hdrext:sdes:mid"
    let answer = try answer(
      makeOffer(audio: ["a=sendrecv", "a=extmap:4 \(mid)"], video: ["a=sendrecv", "a=extmap:5 \(mid)"]))
    #expect(answer.media.map(\.extensionIDs.mid) == [4, nil])
  }

  @Test(arguments: [
    ("sendrecv", true, true, MediaDirection.sendrecv), ("sendonly", true, true, .recvonly),
    ("recvonly", true, true, .sendonly), ("inactive", true, true, .inactive), ("sendrecv", true, false, .sendonly),
    ("sendrecv", false, true, .recvonly), ("sendonly", true, false, .inactive), ("recvonly", false, true, .inactive),
  ])
  func rfc3264DirectionIsTheIntersection(offered: String, sends: Bool, receives: Bool, expected: MediaDirection) throws
  {
    let local = localMedia(.video, sends: sends, receives: receives)
    let answer = try answer(makeOffer(video: ["a=\(offered)"]), makeParameters(media: [localMedia(.audio), local]))
    #expect(answer.media[1].direction == expected)
    let video = try parsed(answer).media[1]
    #expect(video.direction == expected)
    #expect(video.sources.isEmpty == !expected.sends)
  }

  @Test(arguments: [
    ("actpass", DTLSRole.client, "active"), ("actpass", .server, "passive"), ("active", .client, "passive"),
    ("passive", .server, "active"),
  ])
  func rfc8842SetupRoles(offered: String, preferred: DTLSRole, expected: String) throws {
    let answer = try answer(makeOffer(setup: offered), role: preferred)
    #expect(try parsed(answer).media.map(\.transport.setup?.rawValue) == [expected, expected])
    #expect(answer.transport.role == (expected == "active" ? .client : .server))
  }

  @Test func rfc9143SecondDescriptionsOfAKindAreRefused() throws {
    let second = [
      "m=video 9 UDP/TLS/RTP/SAVPF 96", "c=IN IP4 0.0.0.0", "a=mid:2", "a=rtcp-mux", "a=rtpmap:96 VP8/90000",
    ]
    let answer = try answer(makeOffer(group: "0 1 2") + second)
    let session = try parsed(answer)
    #expect(session.media.map(\.port) == [9, 9, 0])
    #expect(session.media.map(\.mid) == ["0", "1", "2"])
    #expect(session.bundleGroups == [["0", "1"]])
    #expect(answer.media.map(\.index) == [0, 1])
  }

  @Test func rfc9143WhatIsNotBundledIsRefused() throws {
    #expect(try parsed(answer(makeOffer(group: nil))).media.map(\.port) == [9, 0])
    #expect(try parsed(answer(makeOffer(group: "0"))).media.map(\.port) == [9, 0])
    let video = RefusedMedia(kind: .video, reason: .notBundled)
    #expect(try answer(makeOffer(group: nil)).agreement.missingMedia == [video])
    #expect(try answer(makeOffer()).agreement.missingMedia == [])
    #expect(try answer(makeOffer(audioPort: 0)).agreement.missingMedia == [])
  }

  @Test func aRefusedFirstDescriptionLeavesTheSecond() throws {
    let answer = try answer(makeOffer(audioPort: 0))
    let session = try parsed(answer)
    #expect(session.media.map(\.port) == [0, 9])
    #expect(session.bundleGroups == [["1"]])
    #expect(session.media[1].candidates.count == 1)
    #expect(session.media[0].candidates.isEmpty)
  }

  @Test func rfc9143BundleOnlyTakesTheGroupsTransport() throws {
    let lines = makeOffer().map { line in
      line.hasPrefix("a=ice-") || line.hasPrefix("m=video") ? nil : line
    }
    var bundled = lines.compactMap { $0 }
    let audioStart = try #require(bundled.firstIndex { $0.hasPrefix("m=audio") })
    bundled.insert(contentsOf: ["a=ice-ufrag:frst", "a=ice-pwd:abcdefghijklmnopqrstuv"], at: audioStart + 1)
    let videoStart = try #require(bundled.firstIndex(of: "a=mid:1"))
    bundled.insert(contentsOf: ["m=video 0 UDP/TLS/RTP/SAVPF 96 97", "a=bundle-only"], at: videoStart - 1)
    let answer = try answer(bundled, makeParameters(media: [localMedia(.video)]))
    #expect(answer.media.map(\.kind) == [.video])
    #expect(answer.transport.remoteUsernameFragment == "frst")
  }

  @Test func missingRTCPMuxIsRefused() throws {
    let answer = try answer(makeOffer().filter { $0 != "a=rtcp-mux" } + ["a=rtcp-mux"])
    #expect(answer.media.map(\.kind) == [.video])
  }

  @Test func rfc8853SimulcastGetsOneStream() throws {
    let answer = try answer(makeOffer(video: ["a=rid:hi send", "a=rid:lo send", "a=simulcast:send hi;lo"]))
    #expect(!answer.sdp.contains("simulcast") && !answer.sdp.contains("a=rid"))
    #expect(answer.media.count == 2)
  }

  @Test func rfc8285RestrictedExtensionsAreLeftOut() throws {
    let mid = "urn:ietf:params:rtp-hdrext:sdes:mid"
    let answer = try answer(makeOffer(audio: ["a=extmap:3/recvonly \(mid)"], video: ["a=extmap:5 \(mid)"]))
    #expect(answer.media.map(\.extensionIDs.mid) == [nil, 5])
  }

  @Test func unusableOffersThrow() throws {
    let noCodec = makeOffer().map { $0.replacing("opus", with: "speex").replacing("VP8", with: "VP9") }
    let refused = [
      RefusedMedia(kind: .audio, reason: .otherCodecs(["speex", "PCMU"])),
      RefusedMedia(kind: .video, reason: .otherCodecs(["VP9"])),
    ]
    #expect(throws: NegotiationError.noUsableMedia(refused)) { try answer(noCodec) }
    #expect(throws: NegotiationError.noUsableMedia([])) { try answer(makeOffer(), makeParameters(media: [])) }
    #expect(throws: NegotiationError.noUsableMedia([])) { try answer(["v=0"]) }
    #expect(throws: NegotiationError.missingICECredentials) {
      try answer(makeOffer().filter { !$0.hasPrefix("a=ice-pwd") })
    }
    #expect(throws: NegotiationError.missingFingerprint) {
      try answer(makeOffer().filter { !$0.hasPrefix("a=fingerprint") })
    }
  }

  @Test func candidatesStandInTheFirstDescriptionOnly() throws {
    var parameters = makeParameters()
    parameters.hasAllCandidates = false
    let session = try parsed(answer(makeOffer(), parameters))
    #expect(session.media.map(\.candidates.count) == [1, 0])
    #expect(session.media.map(\.hasEndOfCandidates) == [false, false])
  }
}
