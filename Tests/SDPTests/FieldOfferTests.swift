import MediaCore
import SDP
import Testing
import TransportCrypto

/// Offers as devices, servers and gateways in the field write them (`Vectors/sdp/field`).
@Suite struct FieldOfferTests {
  private func agreement(to name: String) throws -> NegotiatedSession {
    let offer = try SessionDescriptionParser.parse(vector("field/\(name)"))
    return try Answer(offer).agreement
  }

  @Test(arguments: [
    "control", "pwd-with-equals", "ufrag-with-equals", "ufrag-with-hash", "ufrag-with-underscore-is-taken",
    "extmap-zero", "fmtp-without-value", "fmtp-star", "mid-twice", "msid-empty-stream", "msid-of-three-words",
    "msid-semantic-without-blank", "origin-without-name", "origin-name-with-space", "setup-in-capitals",
    "tool-line-and-ice-at-session-level", "opus-without-channels", "line-without-equals", "values-in-blanks",
    "rtcp-fb-without-value", "ssrc-of-a-name", "candidate-in-capitals", "profile-without-feedback",
  ])
  func oddLinesCostNothing(name: String) throws {
    let agreement = try agreement(to: name)
    #expect(agreement.media.map(\.kind) == [.audio, .video])
    #expect(agreement.media.map(\.mid) == ["0", "1"])
    #expect(agreement.media.map(\.direction) == [.sendrecv, .sendonly])
    #expect(agreement.transport.role == .client)
    #expect(agreement.transport.remoteCandidates.count == 1)
    #expect(agreement.missingMedia == [])
  }

  @Test(arguments: [
    ("extmap-zero", 15, "extmap"), ("fmtp-without-value", 17, "fmtp"), ("fmtp-star", 17, "fmtp"),
    ("mid-twice", 14, "mid"), ("msid-of-three-words", 15, "msid"), ("rtcp-fb-without-value", 31, "rtcp-fb"),
  ])
  func whatIsSkippedIsNamed(name: String, line: Int, attribute: String) throws {
    #expect(try agreement(to: name).skippedLines == [SDPError(.malformedAttribute(attribute), line: line)])
  }

  @Test func aFragmentOfThreeCharactersIsNamedWithItsLine() throws {
    #expect(throws: SDPError(.malformedAttribute("ice-ufrag"), line: 8)) { try agreement(to: "ufrag-of-three") }
  }

  @Test func aMissingKindIsNamed() throws {
    let noImage = try agreement(to: "h264-alone")
    #expect(noImage.media.map(\.kind) == [.audio])
    #expect(noImage.missingMedia == [RefusedMedia(kind: .video, reason: .otherCodecs(["H264"]))])
    let noSound = try agreement(to: "pcmu-alone")
    #expect(noSound.media.map(\.kind) == [.video])
    #expect(noSound.missingMedia == [RefusedMedia(kind: .audio, reason: .otherCodecs(["PCMU"]))])
  }

  @Test func nothingIsMissingThatOneSideDoesNotWant() throws {
    let offer = try SessionDescriptionParser.parse(vector("field/h264-alone"))
    let media = [localMedia(.audio), localMedia(.video, sends: false, receives: false)]
    #expect(try Answer(offer, with: makeParameters(media: media)).agreement.missingMedia == [])
  }
}

@Suite struct MediaRefusalTests {
  private func refusal(_ changes: (inout [String]) -> Void) throws -> NegotiationError? {
    var lines = makeOffer()
    changes(&lines)
    let offer = try parse(lines)
    do throws(NegotiationError) {
      _ = try AnswerBuilder.agree(to: offer, media: makeParameters().media, preferredRole: .client)
      return nil
    } catch {
      return error
    }
  }

  private func both(_ reason: MediaRefusal) -> NegotiationError {
    .noUsableMedia([MediaKind.audio, .video].map { RefusedMedia(kind: $0, reason: reason) })
  }

  private func without(_ prefixes: String...) -> (inout [String]) -> Void {
    { lines in lines.removeAll { line in prefixes.contains { line.hasPrefix($0) } } }
  }

  private func with(protocol name: String) -> (inout [String]) -> Void {
    { lines in lines = lines.map { $0.replacing("UDP/TLS/RTP/SAVPF", with: name) } }
  }

  @Test func eachReasonIsNamed() throws {
    let noKeys = without("a=fingerprint")
    #expect(try refusal(without("a=rtcp-mux")) == both(.noMultiplexing))
    #expect(
      try refusal {
        noKeys(&$0); with(protocol: "RTP/AVP")(&$0)
      } == both(.plainRTP))
    #expect(try refusal { with(protocol: "UDP/BFCP")(&$0) } == both(.otherProtocol("UDP/BFCP")))
    #expect(try refusal { lines in lines = Array(lines.prefix { !$0.hasPrefix("m=") }) } == .noUsableMedia([]))
    #expect(
      try refusal { lines in
        lines = lines.map { $0.replacing("m=audio 9", with: "m=audio 0").replacing("m=video 9", with: "m=video 0") }
      } == both(.portZero))
  }

  @Test func keysInTheDescriptionAreNamed() throws {
    let crypto = "a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:d0RmdmcmVCspeEc3QGZiNWpVLFJhQX1cfHAwJSoj"
    let refusal = try refusal { lines in
      lines = lines.filter { !$0.hasPrefix("a=fingerprint") }
        .flatMap { line in
          let line = line.replacing("UDP/TLS/RTP/SAVPF", with: "RTP/SAVP")
          return line.hasPrefix("m=") ? [line, crypto] : [line]
        }
    }
    #expect(refusal == both(.sdes))
  }

  @Test func rfc8829WhatHasAFingerprintIsEncryptedUnderEachName() throws {
    for name in ["RTP/AVP", "RTP/AVPF", "RTP/SAVP", "RTP/SAVPF", "UDP/TLS/RTP/SAVP", "TCP/DTLS/RTP/SAVPF"] {
      #expect(try refusal(with(protocol: name)) == nil, "\(name)")
    }
  }

  @Test func aSkippedLineMayBeTheCause() throws {
    let refusal = try refusal { lines in
      lines = lines.map { $0.hasPrefix("a=rtpmap") ? "a=rtpmap:nonsense" : $0 }
    }
    let text = try #require(refusal.map { "\($0)" })
    #expect(text.contains("audio has PCMU, and Opus is needed"))
    #expect(text.contains("SDP line 14: malformed attribute rtpmap"))
  }

  @Test func reasonsReadWell() {
    let refused = [
      RefusedMedia(kind: .audio, reason: .sdes), RefusedMedia(kind: .video, reason: .otherCodecs(["H264", "rtx"])),
    ]
    #expect(
      "\(NegotiationError.noUsableMedia(refused))"
        == "audio has its keys in the description (SDES), and DTLS-SRTP is needed; "
        + "video has H264, rtx, and VP8 is needed")
  }
}
