import CallPolicy
import MediaCore
import Signalling

/// How a call that this device places is taken to the other side and answered there.
///
/// The media plane makes the offer, the hub takes it (`calling`), the other side rings (`alerting`) and answers.
extension CallMachine {
  // MARK: The media plane

  /// The media plane made the offer.
  mutating func mediaOffered(_ sdp: String, now: MonotonicInstant) -> [CallAction] {
    guard phase == .offering else { return [] }
    enter(.calling, until: now + CallTimes.unanswered)
    placing?.offer = sdp
    return [.hub(.place(offer: sdp))] + (candidates.popOwn().map { [.candidates($0)] } ?? [])
  }

  /// The media plane can make no offer.
  mutating func mediaOfferFailed() -> [CallAction] {
    phase == .offering ? withdraw(.error) : []
  }

  /// The media plane cannot take the other side's answer; a running call continues unchanged.
  mutating func answerUnusable() -> [CallAction] {
    phase == .connecting ? end(EndReason.error.rawValue) : []
  }

  // MARK: The hub

  /// The hub has taken the call and names servers; the other side may have answered by now.
  mutating func placed(_ servers: [ICEServer]) -> [CallAction] {
    guard !phase.isEnded, placing?.isPlaced == false else { return [] }
    placing?.isPlaced = true
    return [.media(.addServers(servers))]
  }

  /// The hub has not taken the call, or no longer knows it.
  mutating func placingFailed(_ refusal: CallPlacing.Refusal) -> [CallAction] {
    guard phase == .calling || phase == .alerting else { return [] }
    switch refusal {
    case .refused(let reason):
      return remoteEnded(reason)
    case .unreachable:
      guard placing?.isPlaced == false, phase == .calling else { return [] }
      finish(CallPlacing.hubUnreachable)
      // The hub may have taken the call all the same.
      return [.media(.hangUp), .send(.end(SessionEnding(reason: EndReason.error.rawValue)))]
    }
  }

  /// Events were lost, as happens when the hub restarts: it is asked whether it still knows the call, by placing the
  /// call once more, which is harmless.
  mutating func eventsLost() -> [CallAction] {
    guard phase == .calling || phase == .alerting, let offer = placing?.offer else { return [] }
    return [.hub(.place(offer: offer))]
  }

  /// The answering party is not permitted.
  mutating func answererRefused(_ reason: RejectReason) -> [CallAction] {
    phase == .calling || phase == .alerting ? end(reason.rawValue) : []
  }

  /// It rings at the other side.
  ///
  /// - Parameter phones: as the hub says.
  mutating func rings(phones: Int? = nil) -> [CallAction] {
    if phase == .calling { advance(to: .alerting) }
    if phase == .alerting { placing?.rings(phones: phones) }
    return []
  }

  /// How many phones ring, besides pages; nil for none, and once the call does not ring.
  var phones: Int? { phase == .alerting ? placing?.phones : nil }

  /// Whether the called one may see a preview and use actions without an answer: until media of the call itself flow, so
  /// that a page has something to show until then.
  var permitsEarlyUse: Bool { placing != nil && (phase == .alerting || phase == .connecting) }

  /// Gives the call up before the hub knows of it.
  mutating func withdraw(_ reason: EndReason) -> [CallAction] {
    finish(reason.rawValue)
    return [.media(.hangUp)]
  }
}
