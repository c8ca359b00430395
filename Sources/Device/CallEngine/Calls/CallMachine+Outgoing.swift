import CallPolicy
import MediaCore
import Signalling

/// How a call that this device places is taken to the other side and answered there.
///
/// The media plane makes the offer, the hub takes it (`calling`), the other side rings (`alerting`) and answers.
extension CallMachine {
  /// How far the placing has come.
  struct Outgoing: Sendable {
    /// The offer that the call was placed with.
    fileprivate(set) var offer: String?
    /// Whether the hub has taken the call.
    fileprivate var isPlaced = false
    fileprivate var candidates: [String] = []
    /// See ``CallMachine/phones``.
    fileprivate var phones: Int?

    /// Keeps candidates of this side until there is a call that they belong to.
    mutating func hold(_ candidates: [String], limit: Int) {
      guard self.candidates.count + candidates.count <= limit else { return }
      self.candidates += candidates
    }
  }

  /// Why a call could not be placed.
  enum Refusal: Sendable, Equatable {
    /// The hub refused; the code names the reason.
    case refused(String)
    /// The hub was not there, or did not say.
    case unreachable
  }

  /// The end reason of a call that never reached the hub.
  static let hubUnreachable = "hub-unreachable"

  /// A call that was requested at the device, and what to do first.
  static func place(
    _ settings: OutgoingSettings, limits: Limits = Limits(), now: MonotonicInstant
  ) -> (CallMachine, [CallAction]) {
    let terms = CallTerms(
      maxDuration: settings.maxDuration, isRecorded: settings.isRecorded, control: settings.permittedControl,
      camera: settings.camera, preview: PreviewTerms(settings))
    var machine = CallMachine(.offering, terms: terms, limits: limits)
    machine.outgoing = Outgoing()
    machine.enter(.offering, until: now + limits.setUp)
    return (machine, [.media(.offer(settings))])
  }

  // MARK: The media plane

  /// The media plane made the offer.
  mutating func mediaOffered(_ sdp: String, now: MonotonicInstant) -> [CallAction] {
    guard phase == .offering, let held = outgoing?.candidates else { return [] }
    enter(.calling, until: now + limits.unanswered)
    outgoing?.offer = sdp
    outgoing?.candidates = []
    return [.hub(.place(offer: sdp))] + (held.isEmpty ? [] : [.candidates(held)])
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
    guard !phase.isEnded, outgoing?.isPlaced == false else { return [] }
    outgoing?.isPlaced = true
    return [.media(.addServers(servers))]
  }

  /// The hub has not taken the call, or no longer knows it.
  mutating func placingFailed(_ refusal: Refusal) -> [CallAction] {
    guard phase == .calling || phase == .alerting else { return [] }
    switch refusal {
    case .refused(let reason):
      return remoteEnded(reason)
    case .unreachable:
      guard outgoing?.isPlaced == false, phase == .calling else { return [] }
      finish(Self.hubUnreachable)
      // The hub may have taken the call all the same.
      return [.media(.hangUp), .send(.end(SessionEnding(reason: EndReason.error.rawValue)))]
    }
  }

  /// Events were lost, as happens when the hub restarts: it is asked whether it still knows the call, by placing the
  /// call once more, which is harmless.
  mutating func eventsLost() -> [CallAction] {
    guard phase == .calling || phase == .alerting, let offer = outgoing?.offer else { return [] }
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
    if phase == .alerting, let phones, phones > 0 { outgoing?.phones = min(phones, Self.maximumPhones) }
    return []
  }

  /// A hub that says more is not believed.
  private static let maximumPhones = 100

  /// How many phones ring, besides pages; nil for none, and once the call does not ring.
  var phones: Int? { phase == .alerting ? outgoing?.phones : nil }

  /// Whether the called one may see a preview and use actions without an answer: until media of the call itself flow, so
  /// that a page has something to show until then.
  var permitsEarlyUse: Bool { outgoing != nil && (phase == .alerting || phase == .connecting) }

  /// Whether the other side has not answered yet.
  var awaitsAnswer: Bool {
    switch phase {
    case .offering, .calling, .alerting: true
    case .delaying, .ringing, .answering, .connecting, .connected, .ended: false
    }
  }

  /// Gives the call up before the hub knows of it.
  mutating func withdraw(_ reason: EndReason) -> [CallAction] {
    finish(reason.rawValue)
    return [.media(.hangUp)]
  }
}
