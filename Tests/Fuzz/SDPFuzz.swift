// modules: MediaCore TransportCrypto SDP
import MediaCore
import SDP
import TransportCrypto

/// Parses any text as SDP and answers it; the answer must parse and have the offer's media descriptions.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
  let text = String(decoding: UnsafeBufferPointer(start: data, count: size), as: UTF8.self)
  if let candidate = Candidate(parsing: text) {
    precondition(Candidate(parsing: candidate.description) == candidate, "a candidate that reads back differently")
  }
  guard let offer = try? SessionDescriptionParser.parse(text) else { return 0 }
  guard let answer = try? AnswerBuilder.answer(offer, with: parameters) else { return 0 }
  guard let parsed = try? SessionDescriptionParser.parse(answer.sdp) else {
    // An answer may outgrow the limit that the offer just met.
    precondition(answer.sdp.utf8.count > SessionDescriptionParser.maximumByteCount, "an answer that does not parse")
    return 0
  }
  precondition(parsed.media.map(\.name) == offer.media.map(\.name))
  precondition(parsed.media.map(\.mid) == offer.media.map(\.mid))
  precondition(parsed.media.count { $0.port != 0 } == answer.media.count)
  return 0
}

let parameters = AnswerParameters(
  sessionID: 1, iceUsernameFragment: "abcd", icePassword: "0123456789abcdefghijkl",
  fingerprint: CertificateFingerprint(algorithm: "sha-256", digest: [UInt8](repeating: 7, count: 32)),
  preferredRole: .server, candidates: [], hasAllCandidates: false,
  media: [local(.audio, rtx: nil), local(.video, rtx: 3)])

func local(_ kind: MediaKind, rtx: UInt32?) -> LocalMedia {
  LocalMedia(
    kind: kind, sends: true, receives: true, ssrc: 1, rtxSSRC: rtx, cname: "c", streamID: "s", trackID: "t")
}
