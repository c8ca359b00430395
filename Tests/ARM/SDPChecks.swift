import MediaCore
import SDP
import TransportCrypto

/// The offers of browsers and other stacks, and the answers to them that are kept.
func checkSDP() {
  for name in ["chromium", "chromium-simulcast", "firefox", "aiortc", "gst"] {
    let offer = try? SessionDescriptionParser.parse(text("Tests/Vectors/sdp/\(name)-offer.sdp"))
    let parameters = localParameters()
    let agreement = offer.flatMap {
      try? AnswerBuilder.agree(to: $0, media: parameters.media, preferredRole: .client, after: nil)
    }
    expect(agreement?.answer(with: parameters) == text("Tests/Vectors/sdp/\(name)-answer.golden.sdp"))
  }
  checkLargeNumbers()
}

private func localParameters() -> LocalParameters {
  let media = MediaKind.allCases.map { kind in
    LocalMedia(
      kind: kind, sends: true, receives: true, ssrc: kind == .audio ? 1_111 : 2_222,
      rtxSSRC: kind == .video ? 3_333 : nil, cname: "cam", streamID: "live",
      trackID: kind == .audio ? "microphone" : "camera")
  }
  return LocalParameters(
    sessionID: 4_711, iceUsernameFragment: "abcd", icePassword: "0123456789abcdefghijklmn",
    fingerprint: CertificateFingerprint(algorithm: "sha-256", digest: (0..<32).map { UInt8($0 * 8) }),
    candidates: [
      Candidate(foundation: "1", priority: 2_130_706_431, address: TransportAddress(ipv4: 0x7F00_0001, port: 5_000))
    ],
    hasAllCandidates: true, media: media)
}

/// Numbers of a real offer one after the other become larger than 31 bits hold.
private func checkLargeNumbers() {
  let lines = text("Tests/Vectors/sdp/aiortc-offer.sdp").split(separator: "\r\n")
  for number in ["2147483648"] {
    for index in lines.indices {
      var changed = lines.map { String($0) }
      changed[index] = withLastNumber(changed[index], number)
      let offer = try? SessionDescriptionParser.parse(changed.map { $0 + "\r\n" }.joined())
      guard let offer else { continue }
      _ = try? AnswerBuilder.agree(to: offer, media: localParameters().media, preferredRole: .client, after: nil)
    }
  }
  expect(lines.count > 30)
}

private func withLastNumber(_ line: String, _ number: String) -> String {
  let octets = Array(line.utf8)
  guard let end = octets.lastIndex(where: { (0x30...0x39).contains($0) }) else { return line }
  var start = end
  while start > 0, (0x30...0x39).contains(octets[start - 1]) { start -= 1 }
  return String(decoding: octets[..<start] + Array(number.utf8) + octets[(end + 1)...], as: UTF8.self)
}
