import Foundation
import MediaCore
import SDP
import Testing
import TransportCrypto

/// A text from `Tests/Vectors/sdp`.
func vector(_ name: String) throws -> String {
  let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
  return try String(contentsOf: folder.appending(path: "Vectors/sdp/\(name).sdp"), encoding: .utf8)
}

func parse(_ lines: [String]) throws(SDPError) -> SDPSession {
  try SessionDescriptionParser.parse(lines.map { $0 + "\r\n" }.joined())
}

func localMedia(_ kind: MediaKind, sends: Bool = true, receives: Bool = true) -> LocalMedia {
  LocalMedia(
    kind: kind, sends: sends, receives: receives, ssrc: kind == .audio ? 1_111 : 2_222,
    rtxSSRC: kind == .video ? 3_333 : nil, cname: "cam", streamID: "live",
    trackID: kind == .audio ? "microphone" : "camera")
}

func makeParameters(media: [LocalMedia] = [localMedia(.audio), localMedia(.video)]) -> LocalParameters {
  LocalParameters(
    sessionID: 4_711, iceUsernameFragment: "abcd", icePassword: "0123456789abcdefghijklmn",
    fingerprint: CertificateFingerprint(algorithm: "sha-256", digest: (0..<32).map { UInt8($0 * 8) }),
    candidates: [
      Candidate(foundation: "1", priority: 2_130_706_431, address: TransportAddress(ipv4: 0x7F00_0001, port: 5_000))
    ],
    hasAllCandidates: true, media: media)
}

/// Both kinds are described and not wanted.
let portZero = [MediaKind.audio, .video].map { RefusedMedia(kind: $0, reason: .portZero) }

/// What is agreed to an offer, and the answer's text.
struct Answer {
  var sdp: String
  var agreement: NegotiatedSession
  var media: [NegotiatedMedia] { agreement.media }
  var transport: NegotiatedTransport { agreement.transport }

  init(
    _ offer: SDPSession, with parameters: LocalParameters = makeParameters(), role: DTLSRole = .client,
    after before: NegotiatedSession? = nil
  ) throws {
    agreement = try AnswerBuilder.agree(
      to: offer, media: parameters.media, preferredRole: role, after: before)
    sdp = agreement.answer(with: parameters)
  }
}

/// An offer with one audio and one video description, each with `extra` lines.
func makeOffer(
  group: String? = "0 1", setup: String = "actpass", audio: [String] = ["a=sendrecv"], video: [String] = ["a=sendrecv"],
  audioPort: Int = 9
) -> [String] {
  var lines = ["v=0", "o=- 1 2 IN IP4 127.0.0.1", "s=-", "t=0 0"]
  if let group { lines.append("a=group:BUNDLE \(group)") }
  lines += [
    "a=ice-ufrag:efgh", "a=ice-pwd:abcdefghijklmnopqrstuv",
    "a=fingerprint:sha-256 " + Array(repeating: "AB", count: 32).joined(separator: ":"), "a=setup:\(setup)",
  ]
  lines += ["m=audio \(audioPort) UDP/TLS/RTP/SAVPF 111 0", "c=IN IP4 0.0.0.0", "a=mid:0", "a=rtcp-mux"]
  lines += ["a=rtpmap:111 opus/48000/2"] + audio
  lines += ["m=video 9 UDP/TLS/RTP/SAVPF 96 97", "c=IN IP4 0.0.0.0", "a=mid:1", "a=rtcp-mux"]
  return lines + ["a=rtpmap:96 VP8/90000", "a=rtpmap:97 rtx/90000", "a=fmtp:97 apt=96"] + video
}
