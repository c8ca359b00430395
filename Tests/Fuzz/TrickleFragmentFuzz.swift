import SDP

/// Parses any text as a fragment that trickles candidates or restarts ICE, and changes any text as a description that is
/// passed on: what is written must read back, and nothing but ICE may differ.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
  let text = String(decoding: UnsafeBufferPointer(start: data, count: size), as: UTF8.self)
  checkFragment(text)
  checkOffer(text)
  return 0
}

private func checkFragment(_ text: String) {
  guard let fragment = try? TrickleFragment(parsing: text) else { return }
  precondition(fragment.media.count <= TrickleFragment.maximumMediaCount + 1)
  precondition(fragment.media.reduce(0) { $0 + $1.candidates.count } <= TrickleFragment.maximumCandidates)
  for (candidate, _) in fragment.candidates where !candidate.isEmpty {
    precondition(Candidate(parsing: candidate) != nil && !candidate.contains("\r"))
  }
  guard let read = try? TrickleFragment(parsing: fragment.text) else {
    // It may outgrow the limit that the text just met.
    return precondition(fragment.text.utf8.count > TrickleFragment.maximumByteCount, "it does not read back")
  }
  precondition(read.candidates.map(\.candidate) == fragment.candidates.map(\.candidate))
  precondition(read.iceUsernameFragment == fragment.iceUsernameFragment && read.icePassword == fragment.icePassword)
}

private func checkOffer(_ text: String) {
  guard let offer = try? SessionDescriptionParser.parse(text) else { return }
  let restarted = DescriptionLines.restarted(
    text, usernameFragment: "EsAw", password: "P2uYro0UCOQ4zxjKXaWCBui1")
  if let parsed = try? SessionDescriptionParser.parse(restarted) {
    precondition(parsed.media.map(\.name) == offer.media.map(\.name))
    precondition(parsed.media.map(\.payloads) == offer.media.map(\.payloads))
  }
  if let parsed = try? SessionDescriptionParser.parse(DescriptionLines.withoutTrickle(text)) {
    precondition(parsed.media.map(\.mid) == offer.media.map(\.mid))
  }
}
