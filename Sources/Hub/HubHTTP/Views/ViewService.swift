internal import Foundation
internal import HTTPTypes
internal import HubCore
internal import HubStore
internal import Logging
internal import SDP
internal import Signalling
internal import SystemSupport

/// Sessions of viewers: placed, renegotiated and ended as those of callers are, while a request waits for the device.
///
/// A viewer has no event stream. One is open while a request of its waits, so any node can take any request.
final class ViewService: Sendable {
  /// What has become of requests, since the start.
  struct Figures: Sendable {
    var begun = 0
    var restarted = 0
    /// By status.
    var refused: [Int: Int] = [:]
  }

  /// What a request that begins a view is answered with.
  struct Begun {
    var id: SessionID
    var view: CallView
    var answer: String
    var iceServers: [ICEServer]
  }

  /// How long candidates are waited for that come behind an answer.
  private static let gatheringTime: Duration = .seconds(1)
  /// Seconds after which a view that was refused for the moment may be tried again.
  static let pause = 10

  let authentication: ViewerAuthentication
  private let hub: Hub
  private let tokens: TokenAuthority
  private let turn: TURNRESTCredentials?
  private let audit: AuditLog
  private let state = Mutex(Figures())
  private let addresses: Mutex<FailureLimiter>

  init(hub: Hub, authentication: ViewerAuthentication, turn: TURNRESTCredentials?, audit: AuditLog) {
    (self.hub, self.authentication, tokens) = (hub, authentication, authentication.tokens)
    (self.turn, self.audit) = (turn, audit)
    addresses = Mutex(FailureLimiter(perMinute: hub.limits.viewRequestsPerAddress, of: "views from one address"))
  }

  var figures: Figures { state.withLock { $0 } }

  /// Counts a request for a view before anything is read of it.
  func admit(_ address: String) throws(HubRefusal) {
    try addresses.withLock { limiter throws(HubRefusal) in try limiter.take(address, now: .now) }
  }

  // MARK: Requests

  func begin(_ offer: ViewOffer, of deviceID: String, by viewer: Viewer) async throws -> Begun {
    guard let id = SessionID(UUID().uuidString.lowercased()) else { throw HubRefusal.sessionUnknown }
    let device = try await device(deviceID, for: viewer)
    let request = SessionRequest(receiverID: deviceID, isAudio: false, isVideo: false, offer: offer.text)
    let answer = try await answer(in: id, to: viewer) { try await place(id, request, by: viewer) }
    audit.record(
      AuditEvent(
        .viewBegun, by: viewer.auditActor, on: AuditSubject(.device, id: deviceID, title: device.userTitle),
        groups: device.groups))
    state.withLock { $0.begun += 1 }
    return Begun(
      id: id, view: CallView(offer: offer.text), answer: answer.description,
      iceServers: iceServers(for: viewer.principal.userID))
  }

  /// Sends the device candidates of the viewer's.
  func trickle(_ fragment: TrickleFragment, in id: SessionID, by viewer: Viewer, _ limits: HubLimits) async throws {
    let candidates = fragment.candidates.prefix(limits.candidatesPerMessage).map {
      SessionCandidates.Candidate(candidate: $0.candidate, sdpMid: $0.mid, sdpMLineIndex: nil)
    }
    guard !candidates.isEmpty else { return }
    try await hub.backplane.receive(
      .candidates(SessionCandidates(candidates: candidates)), in: id, from: viewer.principal)
  }

  /// Restarts ICE; returns the device's credentials and candidates, with the view as it is then.
  func restart(
    _ view: CallView, in id: SessionID, by viewer: Viewer, usernameFragment: String, password: String,
    _ fragment: TrickleFragment
  ) async throws -> (TrickleFragment, CallView) {
    let offer = DescriptionLines.restarted(view.offer, usernameFragment: usernameFragment, password: password)
    let answer = try await answer(in: id, to: viewer) {
      try await hub.backplane.receive(.offer(SessionDescription(sdp: offer)), in: id, from: viewer.principal)
      try await trickle(fragment, in: id, by: viewer, hub.limits)
    }
    guard let fragment = answer.fragment, let view = try await self.view(id, of: viewer) else {
      throw HubRefusal.deviceFaulty("the device's answer to the restart cannot be read")
    }
    state.withLock { $0.restarted += 1 }
    return (fragment, view)
  }

  /// Harmless where it has just ended: a player that closes its connection may be faster than its request.
  func end(_ id: SessionID, by viewer: Viewer) async throws {
    try await hub.backplane.receive(.end(nil), in: id, from: viewer.principal)
  }

  /// The viewer's session, unless it has ended; another's is none.
  func view(_ id: SessionID, of viewer: Viewer) async throws -> CallView? {
    guard let call = try await hub.backplane.ongoingCall(id), call.caller.userID == viewer.principal.userID else {
      return nil
    }
    return call.view
  }

  /// Notes that a request was refused; who may not view is an entry of the audit log.
  func noteRefusal(_ status: Int, of deviceID: String, to actor: AuditActor) {
    state.withLock { $0.refused[status, default: 0] += 1 }
    guard status == 401 || status == 403 else { return }
    audit.record(AuditEvent(.viewRefused, by: actor, outcome: .refused, changes: [AuditChange(.device, to: deviceID)]))
  }

  /// Ends the views of those who may not view any longer, after accounts, logins or links have changed.
  func endForbidden() async throws {
    for call in try await hub.backplane.ongoingCalls() where call.caller.role == .viewer {
      if try await !authentication.mayView(call.caller, call.receiver.userID) {
        try await hub.backplane.endCall(call.id)
      }
    }
  }

  // MARK: Parts

  /// The device, if it is one that the viewer may know of.
  private func device(_ id: String, for viewer: Viewer) async throws -> Principal {
    guard let device = try await authentication.principals.principal(ofAccount: id), device.role == .device,
      device.sharesGroup(with: viewer.principal)
    else { throw HubRefusal.notFound("no such device") }
    return device
  }

  private func place(_ id: SessionID, _ request: SessionRequest, by viewer: Viewer) async throws {
    let caller = viewer.principal
    let context: CallContext
    do {
      context = try await hub.backplane.prepareCall(id, from: caller, request)
    } catch .receiverOffline {
      throw RequestFailure.later("the device is not online")
    }
    let placement = CallPlacement(
      sessionID: id, caller: caller, request: request, context: context,
      tokens: PartyTokens(
        caller: try await tokens.sessionToken(userID: caller.userID, role: context.callerRole, sessionID: id.text),
        receiver: try await tokens.sessionToken(
          userID: context.receiver.userID, role: context.receiverRole, sessionID: id.text)),
      receiverICEServers: iceServers(for: context.receiver.userID),
      endsAt: .now + .milliseconds(viewer.endsAt - TokenAuthority.nowInMilliseconds))
    try await hub.backplane.placeCall(placement)
  }

  private func iceServers(for userID: String) -> [ICEServer] {
    turn?.servers(for: userID, at: TokenAuthority.now) ?? []
  }

  /// What the device answers to what `request` sends it; a session without an answer in time is ended.
  private func answer(
    in id: SessionID, to viewer: Viewer, _ request: () async throws -> Void
  ) async throws -> ViewAnswer {
    let wait = ViewAnswerWait(hub: hub, viewer: viewer.principal, sessionID: id, gatheringTime: Self.gatheringTime)
    let answer = try await wait.answer(after: request)
    switch answer.progress {
    case .complete, .gathering: return answer
    case .over(let reason): throw Self.failure(for: reason)
    case .waiting:
      let ending = SessionEnding(reason: EndReason.unanswered.rawValue)
      try? await hub.backplane.receive(.end(ending), in: id, from: viewer.principal)
      throw HubRefusal.deviceUnresponsive
    }
  }

  private static func failure(for reason: String) -> any Error {
    switch RejectReason(rawValue: reason) {
    case .declined, .notAllowed: HubRefusal.notAllowed("the device's policy lets no such viewer in")
    case .outsideHours: HubRefusal.notAllowed("the device's policy lets viewers in at other hours")
    case .unanswered, .busy: RequestFailure.later("the device is busy")
    case .rateLimited: HubRefusal.tooMany("views of the device at once", retryAfter: pause)
    case .notAcceptable:
      RequestFailure(problem: .notAcceptable("the device cannot answer the offer: it has VP8 and Opus"))
    case .notVerified: HubRefusal.deviceFaulty("the device does not believe the hub's signature")
    case nil: RequestFailure.later("the view ended: \(reason)")
    }
  }
}

extension RequestFailure {
  /// A view that may succeed later.
  static func later(_ detail: String) -> RequestFailure {
    RequestFailure(problem: .deviceOffline(detail), headers: [.retryAfter: "\(ViewService.pause)"])
  }
}
