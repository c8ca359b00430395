import MediaCore
import SDP
import Testing
import TransportCrypto

@Suite struct SessionDescriptionParserTests {
  @Test func chromiumOffer() throws {
    let session = try SessionDescriptionParser.parse(vector("chromium-offer"))
    #expect(session.sessionID == "1773261264248235802")
    #expect(session.bundleGroups == [["0", "1", "2"]])
    #expect(session.media.map(\.name) == ["audio", "video", "application"])
    #expect(session.media.map(\.mid) == ["0", "1", "2"])
    let video = session.media[1]
    #expect(video.kind == .video)
    #expect(video.payloads.count == 23)
    #expect(video.payloads[0].isCodec("vp8", clockRate: 90_000))
    #expect(video.payloads[0].feedback == ["goog-remb", "transport-cc", "ccm fir", "nack", "nack pli"])
    #expect(video.payloads[1].parameter("apt") == "96")
    #expect(video.headerExtensions.first { $0.uri == "urn:ietf:params:rtp-hdrext:sdes:mid" }?.id == 4)
    #expect(video.transport.iceUsernameFragment == "g5zc")
    #expect(video.transport.iceOptions == ["trickle"])
    #expect(video.transport.setup == .actpass)
    #expect(video.transport.fingerprints.map(\.algorithm) == ["sha-256"])
    #expect(video.transport.fingerprints[0].digest.prefix(3) == [0xF0, 0x6C, 0x22])
    #expect(video.sourceGroups.map(\.semantics) == ["FID"])
    #expect(video.sourceGroups[0].ssrcs == [4_062_628_594, 1_887_058_393])
    #expect(video.sources.map(\.cname) == ["4GMlNErxlQFErA9a", "4GMlNErxlQFErA9a"])
    #expect(video.streams.first?.trackID == "86fae10a-3576-4a82-9421-5810803236e5")
    #expect(video.isRTCPMux && video.isRTCPReducedSize)
    #expect(video.candidates.map(\.isUsable) == [true, false])
    #expect(session.media[0].payloads[0].channels == 2)
    #expect(session.media[2].payloads.isEmpty)
  }

  @Test(arguments: [
    (["b=AS:401"], 401_000), (["b=AS:401", "b=TIAS:400500"], 400_500), (["b=TIAS:400500", "b=AS:1"], 400_500),
    (["b=CT:5", "b=X-OTHER:7"], nil), (["b=AS:0"], nil), (["b=AS:-4", "b=TIAS:99999999999"], nil),
    (["b=AS", "b="], nil),
  ])
  func `the bandwidth of a description is what its writer wants to receive`(lines: [String], expected: Int?) throws {
    let text =
      ["v=0", "b=AS:9", "m=audio 9 UDP/TLS/RTP/SAVPF 111", "m=video 9 UDP/TLS/RTP/SAVPF 96"] + lines + ["a=mid:1"]
    let session = try SessionDescriptionParser.parse(text.joined(separator: "\r\n"))
    #expect(session.media.map(\.bandwidth) == [nil, expected.map { Bitrate(bitsPerSecond: $0) }])
    #expect(session.media[1].mid == "1")
  }

  @Test func firefoxOfferInheritsFromTheSession() throws {
    let session = try SessionDescriptionParser.parse(vector("firefox-offer"))
    for media in session.media {
      #expect(media.transport.fingerprints.count == 1)
      #expect(media.transport.iceOptions == ["trickle"])
      #expect(media.transport.iceUsernameFragment == "e90821c8")
      #expect(media.hasEndOfCandidates)
    }
    let audio = session.media[0]
    #expect(audio.candidates.map(\.isUsable) == [true, false, false, false])
    #expect(audio.headerExtensions.map(\.direction) == [nil, .recvonly, nil, nil])
    // Here fmtp comes before rtpmap.
    #expect(audio.payloads[0].parameter("useinbandfec") == "1")
    #expect(audio.payloads[0].isCodec("opus", clockRate: 48_000, channels: 2))
  }

  @Test func aiortcOfferHasThreeFingerprints() throws {
    let session = try SessionDescriptionParser.parse(vector("aiortc-offer"))
    #expect(session.media[0].transport.fingerprints.map(\.digest.count) == [32, 48, 64])
    #expect(session.media[0].candidates[0].foundation == "16572de626da4e5384a0ce2d0d93678a")
  }

  @Test func gstreamerOfferIsBundleOnly() throws {
    let session = try SessionDescriptionParser.parse(vector("gst-offer"))
    #expect(session.media.map(\.port) == [9, 0, 0])
    #expect(session.media.map(\.isRefused) == [false, false, false])
    #expect(session.media[0].candidates.count == 6)
    #expect(session.media[1].payloads[0].isCodec("opus", clockRate: 48_000, channels: 2))
  }

  @Test func rfc8866MediaAttributesOverrideSessionAttributes() throws {
    let session = try parse(makeOffer(audio: ["a=sendonly", "a=setup:passive", "a=ice-ufrag:zzzz"], video: []))
    #expect(session.media.map(\.direction) == [.sendonly, .sendrecv])
    #expect(session.media.map(\.transport.setup) == [.passive, .actpass])
    #expect(session.media.map(\.transport.iceUsernameFragment) == ["zzzz", "efgh"])
  }

  @Test func rfc4585WildcardFeedbackIsForAll() throws {
    let session = try parse(makeOffer(video: ["a=rtcp-fb:* nack pli", "a=rtcp-fb:96 nack"]))
    #expect(session.media[1].payloads.map(\.feedback) == [["nack pli", "nack"], ["nack pli"]])
  }

  @Test func rfc8853SimulcastIsKeptAside() throws {
    let session = try parse(makeOffer(video: ["a=rid:hi send", "a=rid:lo send", "a=simulcast:send hi;lo"]))
    #expect(session.media[1].restrictionIDs == ["hi", "lo"])
    #expect(session.media[1].simulcast == "send hi;lo")
  }

  @Test(
    arguments: [
      (["v=1"], SDPError(.unsupportedVersion, line: 1)),
      ([""], SDPError(.unsupportedVersion, line: 1)),
      (["v=0", "m=audio 9"], SDPError(.malformedMedia, line: 2)),
      (["v=0", "m=audio 65536 RTP/SAVPF 0"], SDPError(.malformedMedia, line: 2)),
      (["v=0", "m=audio +9 RTP/SAVPF 0"], SDPError(.malformedMedia, line: 2)),
      (["v=0", "s=-", "a=fingerprint:sha-256 AB:CD"], SDPError(.malformedAttribute("fingerprint"), line: 3)),
      (["v=0", "s=-", "a=fingerprint:sha-256 ABC"], SDPError(.malformedAttribute("fingerprint"), line: 3)),
      (["v=0", "s=-", "a=ice-ufrag:ab"], SDPError(.malformedAttribute("ice-ufrag"), line: 3)),
      (["v=0", "s=-", "a=ice-pwd:short"], SDPError(.malformedAttribute("ice-pwd"), line: 3)),
      (["v=0", "s=-", "a=setup:maybe"], SDPError(.malformedAttribute("setup"), line: 3)),
    ] as [([String], SDPError)])
  func errorsNameTheLine(lines: [String], expected: SDPError) {
    #expect(throws: expected) { try parse(lines) }
  }

  @Test(
    arguments: [
      ("nonsense", SDPError.Reason.malformedLine), ("s=\u{1}", .malformedLine),
      ("a=rtpmap:0 PCMU", .malformedAttribute("rtpmap")), ("a=extmap:0 urn:x", .malformedAttribute("extmap")),
      ("a=ssrc:-1 cname:x", .malformedAttribute("ssrc")), ("a=mid:a b", .malformedAttribute("mid")),
      ("a=mid:1", .malformedAttribute("mid")), ("a=fmtp:*", .malformedAttribute("fmtp")),
      ("a=rid:", .malformedAttribute("rid")), ("a=ssrc-group:", .malformedAttribute("ssrc-group")),
      ("a=rtcp-fb:x nack", .malformedAttribute("rtcp-fb")), ("a=msid:a b c", .malformedAttribute("msid")),
    ])
  func whatNothingDependsOnIsSkipped(line: String, reason: SDPError.Reason) throws {
    let session = try parse(["v=0", "o=- 1 2 IN IP4 127.0.0.1", "m=audio 9 RTP/SAVPF 0", "a=mid:a", line])
    #expect(session.skippedLines == [SDPError(reason, line: 5)])
    #expect(session.media.map(\.mid) == ["a"])
  }

  @Test func skippedLinesAreBounded() throws {
    let session = try parse(["v=0"] + Array(repeating: "nonsense", count: 1_000))
    #expect(session.skippedLines.count == SessionDescriptionParser.maximumSkippedLines)
  }

  @Test func descriptionsAreBounded() throws {
    let long = "v=0\r\n" + String(repeating: "a=x\r\n", count: 14_000)
    #expect(throws: SDPError(.tooLong, line: 0)) { try SessionDescriptionParser.parse(long) }
    let media = Array(repeating: "m=audio 9 RTP/SAVPF 0", count: 33)
    #expect(try parse(["v=0"] + media.dropLast()).media.count == 32)
    #expect(throws: SDPError(.tooManyMedia, line: 34)) { try parse(["v=0"] + media) }
  }

  @Test func lineFeedsAloneAndUnknownLinesAreTaken() throws {
    let session = try SessionDescriptionParser.parse("v=0\nz=0 0\na=unheard-of:1\nm=video 9 RTP/SAVPF 96\nb=AS:500\n\n")
    #expect(session.media.count == 1)
  }

  @Test func errorsReadWell() {
    #expect("\(SDPError(.malformedAttribute("mid"), line: 7))" == "SDP line 7: malformed attribute mid")
  }
}

@Suite struct CandidateTests {
  @Test func rfc8839RoundTrip() throws {
    let text =
      "candidate:842163049 1 udp 1677729535 192.0.2.3 60000 typ srflx raddr 10.0.1.1 rport 8998 ufrag abcd"
    let candidate = try #require(Candidate(parsing: text))
    #expect(candidate.kind == .serverReflexive)
    #expect(candidate.priority == 1_677_729_535)
    #expect(candidate.relatedHost == "10.0.1.1")
    #expect(candidate.relatedPort == 8_998)
    #expect(candidate.usernameFragment == "abcd")
    #expect(candidate.isUsable)
    #expect(candidate.description == text)
    #expect(Candidate(parsing: "a=" + text) == candidate)
    #expect(Candidate(parsing: String(text.dropFirst("candidate:".count))) == candidate)
  }

  @Test(arguments: [
    "candidate:1 1 udp 1 6c1f1ac2-9a8c-4c8c-8d4a-1f5f2b1f5d11.local 9000 typ host",
    "candidate:1 1 tcp 1 192.0.2.3 9 typ host tcptype active",
    "candidate:1 2 udp 1 192.0.2.3 9000 typ host",
    "candidate:1 1 udp 1 192.0.2.3 0 typ host",
  ])
  func parsedButNotUsable(text: String) throws {
    let candidate = try #require(Candidate(parsing: text))
    #expect(!candidate.isUsable)
    #expect(candidate.isMulticastDNS == text.contains(".local"))
  }

  @Test(arguments: [
    "", "candidate:", "candidate:1 1 udp 1 192.0.2.3 9000", "candidate:1 1 sctp 1 192.0.2.3 9000 typ host",
    "candidate:1 1 udp 4294967296 192.0.2.3 9000 typ host", "candidate:1 1 udp 1 192.0.2.3 65536 typ host",
    "candidate:1 0 udp 1 192.0.2.3 9000 typ host", "candidate:1 1 udp 1 192.0.2.3 9000 typ alien",
    "candidate:123456789012345678901234567890123 1 udp 1 192.0.2.3 9000 typ host",
  ])
  func malformedCandidatesAreNil(text: String) {
    #expect(Candidate(parsing: text) == nil)
  }

  @Test func ipv6IsWrittenInFullGroups() throws {
    let address = try #require(TransportAddress(host: "fe80::1", port: 5))
    let candidate = Candidate(foundation: "x", priority: 1, address: address)
    #expect(Candidate(parsing: candidate.description)?.address == address)
  }
}

@Suite struct CertificateFingerprintTests {
  @Test func rfc8122RoundTrip() throws {
    let text =
      "sha-256 " + (0..<32).map { $0 < 16 ? "0\(String($0, radix: 16, uppercase: true))" : "FF" }.joined(separator: ":")
    let fingerprint = try #require(CertificateFingerprint(sdp: text))
    #expect(fingerprint.digest[10] == 10)
    #expect(fingerprint.sdp == text)
    #expect(CertificateFingerprint(sdp: text.lowercased()) == fingerprint)
  }

  @Test(arguments: ["", "sha-256", "sha-256 +1", "sha-256 AB:", "sha-256 AB CD", "sha-1 AB:CD"])
  func malformedFingerprintsAreNil(text: String) {
    #expect(CertificateFingerprint(sdp: text) == nil)
  }
}
