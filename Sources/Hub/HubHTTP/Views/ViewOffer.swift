internal import HubCore
internal import SDP
internal import Signalling

/// A viewer's offer, checked.
struct ViewOffer {
  /// As the device gets it: it answers with all candidates.
  let text: String

  /// - Throws: ``RequestFailure`` with 422 that says what is wrong.
  init(_ text: String) throws {
    let parsed: SDPSession
    do {
      parsed = try SessionDescriptionParser.parse(text)
    } catch {
      throw RequestFailure(problem: .unusableOffer("\(error)"))
    }
    let media = parsed.media.filter { $0.kind != nil && !$0.isRefused }
    guard !media.isEmpty else { throw RequestFailure(problem: .unusableOffer("it offers neither audio nor video")) }
    guard media.contains(where: { $0.direction.receives }) else {
      throw RequestFailure(problem: .unusableOffer("it receives nothing: a=recvonly is needed"))
    }
    guard media.allSatisfy({ $0.transport.iceUsernameFragment != nil && $0.transport.icePassword != nil }) else {
      throw RequestFailure(problem: .unusableOffer("a=ice-ufrag or a=ice-pwd is missing"))
    }
    guard media.allSatisfy({ !$0.transport.fingerprints.isEmpty }) else {
      throw RequestFailure(problem: .unusableOffer("a=fingerprint is missing"))
    }
    self.text = DescriptionLines.withoutTrickle(text)
  }
}

extension CallView {
  /// Of the viewer's newest offer.
  var usernameFragment: String? {
    (try? SessionDescriptionParser.parse(offer))?.media.lazy.compactMap(\.transport.iceUsernameFragment).first
  }

  /// Names what ICE is at (RFC 9110, section 8.8.3).
  func entityTag(of id: SessionID) -> String { "\"\(id.text.prefix(8))-\(generation)\"" }
}
