public import Signalling

/// The state machine of one session; each event returns what to deliver and to whom.
///
/// ```
/// calling ──ringing──► ringing ──answer──► answered ──hang up──► ended
///    └──────answer────────┼───────────────────▲
///    └──reject, hang up, time-out, vanish─────┴──────────────────► ended
/// ```
public struct CallSession: Sendable {
  enum State: Sendable, Equatable {
    case calling
    case ringing
    /// `offering` has renegotiated and waits for the other's answer.
    case answered(offering: Party?)
    case ended(at: Instant)
  }

  public let id: SessionID
  let parties: SessionParties
  public let createdAt: Instant
  /// Distinguishes a repeated request from another under the same id.
  let request: RequestMark
  var state = State.calling {
    didSet { if isAnswered || isEnded { incoming = nil } }
  }
  /// The receiver's event as long as it counts: should its log lose the event, it is sent again.
  public internal(set) var incoming: IncomingCallEvent?
  /// Distinguishes a repeated request of the receiver from a new answer.
  var lastAnswer: String?
  /// Offers since the one that placed the call, of both parties.
  var offerNumber = 0
  var hasReceiverResponded = false
  /// Nil where the receiver has no push subscription.
  public internal(set) var phones: PhoneAlert?
  /// Nil in records of earlier versions.
  var progress: CallProgress?
  /// Of a viewer's session.
  public internal(set) var view: CallView?
  /// When the hub ends it, whatever the parties do.
  let endsAt: Instant?

  public init(_ placement: CallPlacement, now: Instant) {
    id = placement.sessionID
    parties = SessionParties(
      caller: placement.caller, receiver: placement.receiver, callerRole: placement.callerRole,
      receiverRole: placement.receiverRole, receiverToken: placement.tokens.receiver)
    createdAt = now
    request = RequestMark(placement.request)
    incoming = placement.event
    phones = placement.ringsPhones ? PhoneAlert() : nil
    progress = CallProgress(placement.request)
    view = placement.caller.role == .viewer ? CallView(offer: placement.request.offer) : nil
    endsAt = placement.endsAt
  }

  /// Whether `request` is the one that made this session, sent again.
  public func isRepeated(by request: SessionRequest, from callerID: String) -> Bool {
    callerID == caller.userID && RequestMark(request) == self.request
  }

  public var isEnded: Bool { endedAt != nil }

  var endedAt: Instant? {
    if case .ended(let time) = state { time } else { nil }
  }

  public var isAnswered: Bool {
    if case .answered = state { true } else { false }
  }

  public var caller: Principal { parties.caller }
  public var receiver: Principal { parties.receiver }
  var callerRole: SessionRole { parties.callerRole }
  var receiverRole: SessionRole { parties.receiverRole }

  public func party(of userID: String) -> Party? { parties.party(of: userID) }

  /// Whether `party` has shown that it knows of the session, so that its heartbeat may disown it.
  public func isKnown(to party: Party) -> Bool { party == .caller || hasReceiverResponded }

  /// Takes what a party says; others learn nothing of the session's existence.
  public mutating func receive(
    _ message: SessionMessage, from userID: String, now: Instant
  ) throws(HubRefusal) -> [Delivery] {
    guard let party = party(of: userID) else { throw .sessionUnknown }
    let deliveries = try take(message, by: party, now: now)
    noteProgress(now: now)
    return deliveries
  }

  private mutating func take(
    _ message: SessionMessage, by party: Party, now: Instant
  ) throws(HubRefusal) -> [Delivery] {
    switch message {
    case .ringing: return try ring(by: party)
    case .answer(let answer): return try self.answer(by: party, answer)
    case .reject(let ending): return try reject(by: party, reason: ending.reason, now: now)
    case .offer(let offer): return try self.offer(by: party, sdp: offer.sdp)
    case .candidates(let message): return try candidates(by: party, message.candidates)
    case .signal(let signal): return try self.signal(by: party, signal)
    case .control(let control): return try self.control(by: party, control)
    case .controlResult(let result): return try controlResult(by: party, result)
    case .archive(let announcement): return archive(by: party, announcement)
    case .end(let ending): return hangUp(by: party, reason: ending?.reason ?? EndReason.hangup.rawValue, now: now)
    }
  }

  // MARK: Set-up

  mutating func ring(by party: Party) throws(HubRefusal) -> [Delivery] {
    try requireLive()
    try requireReceiver(party)
    hasReceiverResponded = true
    switch state {
    case .calling:
      state = .ringing
      return [deliver(ringing, to: .caller)]
    case .ringing:
      // Another page of the receiver rings, to which a device makes its offers as well.
      return caller.role == .device ? [deliver(ringing, to: .caller)] : []
    case .answered, .ended:
      throw .wrongState("the session is answered")
    }
  }

  /// The receiver takes the call, or a party answers the other's renewed offer.
  mutating func answer(by party: Party, _ answer: SessionDescription) throws(HubRefusal) -> [Delivery] {
    try requireLive()
    var deliveries: [Delivery] = []
    if case .answered(let offering) = state {
      if answer.sdp == lastAnswer, !isDue(answer, by: party, offering) { return [] }
      try checkRenewed(answer, by: party, offering)
    } else {
      deliveries = try take(by: party)
    }
    state = .answered(offering: nil)
    lastAnswer = answer.sdp
    return [deliver(.callAnswered(parties.event(of: answer, by: party, id)), to: party.other)] + deliveries
  }

  /// Whether `answer` may be to an offer that is not answered yet.
  private func isDue(_ answer: SessionDescription, by party: Party, _ offering: Party?) -> Bool {
    offering == party.other && (answer.offerNumber ?? offerNumber) == offerNumber
  }

  /// The receiver's other clients need not ring any longer.
  private mutating func take(by party: Party) throws(HubRefusal) -> [Delivery] {
    try requireReceiver(party)
    hasReceiverResponded = true
    phones?.end(.answered)
    return [taken(.answered)]
  }

  /// An answer in a session that is answered must be to the other's newest offer; a second answer to the call itself is
  /// too late.
  private func checkRenewed(_ answer: SessionDescription, by party: Party, _ offering: Party?) throws(HubRefusal) {
    if party == .receiver, (answer.offerNumber ?? offerNumber) == 0 { throw .answeredElsewhere }
    guard offering == party.other else { throw .wrongState("there is no offer to answer") }
    guard isDue(answer, by: party, offering) else {
      throw .wrongState("a newer offer has taken the place of the one that was answered")
    }
  }

  mutating func reject(by party: Party, reason: String, now: Instant) throws(HubRefusal) -> [Delivery] {
    try requireLive()
    try requireReceiver(party)
    guard !isAnswered else { throw .wrongState("the session is answered; hang up instead") }
    state = .ended(at: now)
    progress?.end(by: party, reason: reason)
    phones?.end(.ended)
    return [deliver(.callRejected(SessionEndedEvent(sessionID: id, reason: reason)), to: .caller), taken(.rejected)]
  }

  // MARK: While it lives

  /// Of two offers that cross the caller's stands, and the receiver takes back its own.
  mutating func offer(by party: Party, sdp: String) throws(HubRefusal) -> [Delivery] {
    try requireLive()
    guard case .answered(let offering) = state else { throw .wrongState("the session is not answered yet") }
    guard offering != .caller || party == .caller else {
      throw .wrongState("the other party's offer is not answered yet")
    }
    state = .answered(offering: party)
    offerNumber += 1
    if party == .caller { view?.take(offer: sdp) }
    return [deliver(.callOffer(DescriptionEvent(sessionID: id, sdp: sdp, offerNumber: offerNumber)), to: party.other)]
  }

  func candidates(by party: Party, _ candidates: [SessionCandidates.Candidate]) throws(HubRefusal) -> [Delivery] {
    try requireLive()
    return [deliver(.callCandidates(CandidatesEvent(sessionID: id, candidates: candidates)), to: party.other)]
  }

  func signal(by party: Party, _ signal: SessionSignal) throws(HubRefusal) -> [Delivery] {
    try requireLive()
    let event = SignalEvent(sessionID: id, userID: parties[party].userID, type: signal.type, data: signal.data)
    return [deliver(.signal(event), to: party.other)]
  }

  func control(by party: Party, _ control: SessionControl) throws(HubRefusal) -> [Delivery] {
    try requireLive()
    let event = ControlEvent(
      sessionID: id, userID: parties[party].userID, role: parties.role(of: party), action: control.action,
      target: control.target)
    return [deliver(.control(event), to: party.other)]
  }

  func controlResult(by party: Party, _ result: SessionControlResult) throws(HubRefusal) -> [Delivery] {
    try requireLive()
    return [deliver(.controlResult(ControlResultEvent(sessionID: id, result: result)), to: party.other)]
  }

  /// An archive's end may follow the session's, so an ended session still forwards it.
  mutating func archive(by party: Party, _ archive: ArchiveAnnouncement) -> [Delivery] {
    guard archive.status == .started else { return [deliver(.archiveStopped(archive), to: party.other)] }
    if !isEnded { progress?.note(archive) }
    return [deliver(.archiveStarted(archive), to: party.other)]
  }

  // MARK: The end

  /// Hanging up twice is harmless: the two parties' requests may cross.
  mutating func hangUp(by party: Party, reason: String, now: Instant) -> [Delivery] {
    guard !isEnded else { return [] }
    let isTurnedAway = party == .receiver && !isAnswered
    state = .ended(at: now)
    progress?.end(by: party, reason: reason)
    phones?.end(isTurnedAway ? .ended : .missed)
    return [deliver(ended(reason), to: party.other)] + (isTurnedAway ? [taken(.rejected)] : [])
  }

  /// Ends the session without a request; both parties are notified, if they can be.
  public mutating func end(reason: EndReason, now: Instant) -> [Delivery] {
    guard !isEnded else { return [] }
    state = .ended(at: now)
    progress?.end(by: nil, reason: reason.rawValue)
    phones?.end(reason == .glare ? .ended : .missed)
    return [deliver(ended(reason.rawValue), to: .caller), deliver(ended(reason.rawValue), to: .receiver)]
  }

  /// When it ends by itself, and why.
  public func deadline(_ limits: HubLimits) -> (time: Instant, reason: EndReason)? {
    let end = endsAt.map { (time: $0, reason: EndReason.maxDuration) }
    switch state {
    case .calling, .ringing:
      let unanswered = (time: createdAt + limits.unansweredTimeout, reason: EndReason.unanswered)
      return end.map { $0.time < unanswered.time ? $0 : unanswered } ?? unanswered
    case .answered: return end
    case .ended: return nil
    }
  }

  // MARK: Phones

  /// Notes which phones ring; the caller is notified of more than before.
  public mutating func note(_ report: PhoneReport) -> [Delivery] {
    guard let isMore = phones?.note(report), isMore, !isAnswered, !isEnded else { return [] }
    return [deliver(ringing, to: .caller)]
  }

  /// Whether phones ring, or may soon, so that the call waits for a page that opens.
  public var waitsForPhones: Bool { phones?.isRinging ?? false }

  /// How a party is gone.
  public enum Departure: Sendable {
    /// It has had no event stream for a while.
    case hasNoStream
    /// It has left, or was shut out.
    case left
  }

  /// Whether the session ends when this party is gone: a call that rings phones waits for its receiver's, and a viewer has
  /// no event stream.
  public func ends(with userID: String, _ departure: Departure) -> Bool {
    switch (party(of: userID), departure) {
    case (.receiver, _): !waitsForPhones
    case (.caller, .hasNoStream): view == nil
    case (.caller, .left), (nil, _): true
    }
  }

  /// Whether the call is unanswered and no phone can be reached.
  public var hasNoPhone: Bool { phones?.isFutile ?? false }

  /// What the receiver's phones are to be sent because of the change from `before`, nil: the session is new.
  ///
  /// Each change has one outcome, so who makes it take effect is the only one to have the order.
  public func pushOrder(since before: CallSession?) -> PushOrder? {
    guard let phones else { return nil }
    guard let outcome = phones.outcome else {
      return before == nil ? order(.incoming(isVideo: request.isVideo), to: nil) : nil
    }
    let informed = before?.phones.map { $0.outcome == nil ? [] : $0.reached } ?? []
    let others = phones.reached.subtracting(informed)
    return others.isEmpty ? nil : order(.ended(outcome), to: others)
  }

  private func order(_ content: PushOrder.Content, to subscriptions: Set<String>?) -> PushOrder {
    PushOrder(
      sessionID: id, caller: caller, receiverID: receiver.userID, content: content, subscriptionIDs: subscriptions)
  }

  // MARK: History

  /// What the call history is to keep because of the change from `before`, nil: the session is new. Each call has one.
  public func callReport(since before: CallSession?) -> CallReport? {
    guard let progress, let ending = progress.ending, ending.reason != EndReason.glare.rawValue, let endedAt,
      before?.isEnded != true
    else { return nil }
    return CallReport(
      sessionID: id, caller: caller, receiver: receiver, media: progress.media, outcome: ending.outcome,
      reason: ending.reason, startedAt: createdAt, ringingAt: progress.ringingAfter.map(time(after:)),
      answeredAt: progress.answeredAfter.map(time(after:)), endedAt: endedAt, archiveID: progress.archiveID)
  }

  private func time(after milliseconds: Int64) -> Instant { createdAt + .milliseconds(milliseconds) }

  private mutating func noteProgress(now: Instant) {
    let age = createdAt.duration(to: now).wholeMilliseconds
    switch state {
    case .calling, .ended: break
    case .ringing: progress?.ring(after: age)
    case .answered: progress?.answer(after: age)
    }
  }

  // MARK: Parts

  private var ringing: HubEvent { parties.ringing(id, phones: phones?.reached.count ?? 0) }

  private func ended(_ reason: String) -> HubEvent { .callEnded(SessionEndedEvent(sessionID: id, reason: reason)) }

  private func taken(_ outcome: CallTakenEvent.Outcome) -> Delivery {
    deliver(.callTaken(CallTakenEvent(sessionID: id, outcome: outcome)), to: .receiver)
  }

  private func deliver(_ event: HubEvent, to party: Party) -> Delivery {
    Delivery(userID: parties[party].userID, event: event)
  }

  private func requireLive() throws(HubRefusal) {
    if isEnded { throw .sessionEnded }
  }

  private func requireReceiver(_ party: Party) throws(HubRefusal) {
    guard party == .receiver else { throw .notAllowed("this is the receiver's to say") }
  }
}
