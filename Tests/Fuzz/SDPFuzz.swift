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
  guard let description = try? SessionDescriptionParser.parse(text) else { return 0 }
  answer(description)
  take(description)
  return 0
}

/// As an offer: the answer must parse and have the offer's media descriptions, and the same offer is agreed to again.
func answer(_ offer: SDPSession) {
  guard let agreement = try? agree(offer) else { return }
  let text = agreement.answer(with: parameters)
  guard let parsed = parse(text) else { return }
  precondition(parsed.media.map(\.name) == offer.media.map(\.name))
  precondition(parsed.media.map(\.mid) == offer.media.map(\.mid))
  precondition(parsed.media.count { $0.port != 0 } == agreement.media.count)
  precondition((try? agree(offer, after: agreement))?.sections == agreement.sections)
  let later = Offer(parameters.media, after: agreement)
  precondition(later.sections.map(\.media?.payloadType) == agreement.sections.map(\.media?.payloadType))
  _ = parse(later.text(with: parameters))
}

/// Parses a description of ours, which may outgrow the limit that the peer's just met.
func parse(_ text: String) -> SDPSession? {
  let session = try? SessionDescriptionParser.parse(text)
  precondition(session != nil || text.utf8.count > SessionDescriptionParser.maximumByteCount, "it does not parse")
  return session
}

func agree(_ offer: SDPSession, after before: NegotiatedSession? = nil) throws(NegotiationError) -> NegotiatedSession {
  try AnswerBuilder.agree(to: offer, media: parameters.media, preferredRole: .server, after: before)
}

/// As an answer: what is taken must be what was offered.
func take(_ answer: SDPSession) {
  let offer = Offer(parameters.media)
  guard let agreement = try? offer.take(answer) else { return }
  for (media, offered) in zip(agreement.sections.map(\.media), offer.sections.map(\.media)) {
    guard let media, let offered else { continue }
    precondition(media.payloadType == offered.payloadType && media.kind == offered.kind)
    precondition(offered.feedback.isSuperset(of: media.feedback))
  }
}

let parameters = LocalParameters(
  sessionID: 1, iceUsernameFragment: "abcd", icePassword: "0123456789abcdefghijkl",
  fingerprint: CertificateFingerprint(algorithm: "sha-256", digest: [UInt8](repeating: 7, count: 32)),
  candidates: [], hasAllCandidates: false, media: [local(.audio, rtx: nil), local(.video, rtx: 3)])

func local(_ kind: MediaKind, rtx: UInt32?) -> LocalMedia {
  LocalMedia(
    kind: kind, sends: true, receives: true, ssrc: 1, rtxSSRC: rtx, cname: "c", streamID: "s", trackID: "t")
}
