import CallPolicy
import HubClient
import Logging
import MediaCore
import Signalling
internal import JournalLogging

/// A call with what carries out its actions.
struct Call {
  var details: CallDetails
  let startedAt: MonotonicInstant
  /// What the other party may do, as the hub has signed it; nil until a call that this device places is answered.
  var partyRole: SessionRole?
  var machine: CallMachine
  /// How often the other party may ask the device for something.
  var controls = ControlBudget()
  /// What was chosen for the other party to see.
  var chosenCamera: String?
  /// How many pages see the preview.
  var previews = 0
  var previewRequests = 0
  /// How often it was reported to ring, to a bound.
  var ringCount = 0
  let hubActions: SerialActions<HubAction>
  let mediaActions: SerialActions<MediaAction>
  /// What watchers received last.
  var shownPhase: CallPhase?
  /// Those who wait for the archive that is starting.
  let archiveWaiters = ArchiveWaiters()

  /// Actions are offered so often while it rings: to one page after the other.
  static let maximumOffers = 16

  var isLive: Bool { !machine.phase.isEnded }

  /// Whether nothing is left to be done.
  var isOver: Bool { !isLive && hubActions.isIdle && mediaActions.isIdle }

  var snapshot: CallSnapshot {
    CallSnapshot(
      sessionID: details.sessionID, caller: details.caller, receiver: details.receiver, isAudio: details.isAudio,
      isVideo: details.isVideo, startedAt: startedAt, phase: machine.phase, ruleName: machine.ruleName,
      archiveID: machine.archive.runningID, camera: camera, phones: machine.phones, previews: previews,
      notes: machine.notes)
  }

  /// The name of what the other party sees; nil where the call carries no video.
  var camera: String? {
    details.isVideo ? chosenCamera ?? machine.terms.camera ?? EventSubject.mainCamera : nil
  }

  /// Who may have actions done: the one at the other end of a connected call, or at whom it rings; nil without the
  /// hub's signature.
  var actionParty: CallActionParty? {
    guard partyRole != nil else { return nil }
    if machine.phase == .connected { return CallActionParty(party: details.actionParty, isInCall: true) }
    return permitsEarlyUse ? CallActionParty(party: details.actionParty, isInCall: false) : nil
  }

  /// Whether the one at whom it rings may see a preview and use actions: the hub has signed who that is, and a
  /// subscriber's answer would be refused.
  var permitsEarlyUse: Bool { machine.permitsEarlyUse && partyRole != nil && partyRole != .subscriber }

  /// The cameras as sent to the other party; nothing where it may choose none.
  ///
  /// - Parameter cameras: the names of what there is to see.
  func offer(_ cameras: [String]) -> [CallAction] {
    let mayChoose = partyRole == .moderator && machine.terms.control.contains(.chooseCamera)
    guard mayChoose, machine.phase == .connected, let camera, !cameras.isEmpty else { return [] }
    return CallAction.cameras(CameraOffer(cameras: cameras, camera: camera))
  }

  /// What the other party has written; nil for other signals, others' and those that are too long.
  func chatMessage(_ signal: SignalEvent) -> ChatMessage? {
    guard signal.type == "chat", signal.userID == details.party.userID,
      signal.data.utf8.count <= ChatMessage.longestText
    else { return nil }
    return ChatMessage(sessionID: signal.sessionID, userID: signal.userID, isOutgoing: false, text: signal.data)
  }

  func enqueue(_ action: CallAction) {
    switch action {
    case .hub(let action): hubActions.append(action)
    case .media(let action): mediaActions.append(action)
    }
  }
}

/// The calls that are not forgotten: those that are live, and those that have ended and are being cleared away.
struct LiveCalls {
  let mutes: MuteControl
  let watchers: EventWatchers
  let logger: Logger
  private var calls: [SessionID: Call] = [:]
  /// The outcomes of those that have ended.
  private(set) var tally = CallTally()
  /// The phases that calls of this device's own have entered since they were asked for.
  private var changes: [(SessionID, CallPhase)] = []

  init(mutes: MuteControl, watchers: EventWatchers, logger: Logger) {
    self.mutes = mutes
    self.watchers = watchers
    self.logger = logger
  }

  subscript(sessionID: SessionID) -> Call? {
    get { calls[sessionID] }
    set { calls[sessionID] = newValue }
  }

  // MARK: Steps

  /// Adds a call.
  ///
  /// - Parameter report: takes the results of its actions.
  mutating func begin(
    _ details: CallDetails, _ machine: CallMachine, _ role: SessionRole?, _ environment: EngineEnvironment,
    report: @escaping @Sendable (ActionResult) async -> Void
  ) {
    let hub = HubActionPerformer(hub: environment.hub, watchers: watchers, call: details)
    let media = MediaActionPerformer(
      media: environment.media, mutes: mutes, watchers: watchers, logger: logger, call: details)
    let sessionID = details.sessionID
    calls[sessionID] = Call(
      details: details, startedAt: environment.now(), partyRole: role, machine: machine,
      hubActions: SerialActions(sessionID, logger: logger, perform: { await hub.perform($0) }, report: report),
      mediaActions: SerialActions(sessionID, logger: logger, perform: { await media.perform($0) }, report: report))
  }

  /// Applies an event to a call and starts the resulting actions; returns whether the call is forgotten with it.
  mutating func update(_ sessionID: SessionID, _ step: (inout CallMachine) -> [CallAction]) -> Bool {
    guard let before = calls[sessionID]?.machine else { return false }
    var machine = before
    let actions = step(&machine)
    calls[sessionID]?.machine = machine
    warnOfLimits(sessionID, before, machine)
    return carryOut(actions, sessionID)
  }

  private func warnOfLimits(_ sessionID: SessionID, _ before: CallMachine, _ now: CallMachine) {
    if before.droppedCandidates == 0, now.droppedCandidates > 0 {
      logger.warning(
        """
        call \(session: sessionID): candidates were dropped: at most \(CandidateBudget.maximumCount), \
        \(MessageLimits.candidate) bytes each and \(CandidateBudget.maximumBytes) in all are taken
        """)
    }
    if !before.hasTooManyOffers, now.hasTooManyOffers {
      logger.warning(
        "call \(session: sessionID): the other side sends offers faster than they are answered; the newest alone counts"
      )
    }
  }

  /// Queues actions, shows the call's new state, and forgets the call when it is over; returns whether it is.
  mutating func carryOut(_ actions: [CallAction], _ sessionID: SessionID) -> Bool {
    guard let call = calls[sessionID] else { return false }
    if !call.isLive { end(sessionID) }
    for action in actions { call.enqueue(action) }
    show(call)
    guard call.isOver else { return false }
    calls[sessionID] = nil
    return true
  }

  /// Takes a party's request; returns the resulting actions.
  ///
  /// - Parameter cameras: the names of what there is to see.
  mutating func take(_ control: ControlEvent, cameras: [String], now: MonotonicInstant) -> [CallAction] {
    guard var call = calls[control.sessionID], call.isLive else { return [] }
    let controls = ModeratorControls(mutes: mutes, cameras: cameras, logger: logger)
    let actions = controls.take(control, in: &call, now: now)
    calls[control.sessionID] = call
    return actions
  }

  /// Gives up what calls have not carried out yet, for the daemon's end.
  func abandon() {
    for call in calls.values {
      call.hubActions.cancel()
      call.mediaActions.cancel()
    }
  }

  func logFailure(of action: HubAction, _ error: HubClientError, _ sessionID: SessionID) {
    let isExpected = action.expects(error, isCallOver: calls[sessionID]?.isLive != true)
    logger.log(level: isExpected ? .debug : .warning, "call \(session: sessionID): \(action.name) failed: \(error)")
  }

  private mutating func end(_ sessionID: SessionID) {
    calls[sessionID]?.hubActions.end()
    calls[sessionID]?.mediaActions.end()
    calls[sessionID]?.archiveWaiters.resume(.failure(EngineError.noSuchCall))
    mutes.end(sessionID)
  }

  private mutating func show(_ call: Call) {
    let snapshot = call.snapshot
    guard snapshot.phase != call.shownPhase else { return }
    if case .ended(let reason) = snapshot.phase {
      tally.note(isOutgoing: snapshot.receiver != nil, after: call.shownPhase, reason: reason)
    }
    calls[snapshot.sessionID]?.shownPhase = snapshot.phase
    if snapshot.receiver != nil { changes.append((snapshot.sessionID, snapshot.phase)) }
    logger.info("call \(session: snapshot.sessionID): \(snapshot.phase)")
    watchers.notify(.call(snapshot))
  }

  /// The phases that calls of this device's own have entered since the last time; to be asked for after each step.
  mutating func takeChanges() -> [(SessionID, CallPhase)] {
    defer { changes = [] }
    return changes
  }

  // MARK: What there is

  var isEmpty: Bool { calls.isEmpty }
  var count: Int { calls.count }
  var sessionIDs: [SessionID] { Array(calls.keys) }

  private var live: some Sequence<Call> { calls.values.lazy.filter(\.isLive) }

  var liveCount: Int { calls.values.count { $0.isLive } }
  var liveSessionIDs: [SessionID] { live.map(\.details.sessionID).sorted() }

  /// Calls of one caller, whether they ring or are answered.
  func liveCount(of callerID: String) -> Int {
    calls.values.count { $0.isLive && $0.details.receiver == nil && $0.details.caller.userID == callerID }
  }

  func hasLiveCall(with userID: String) -> Bool { live.contains { $0.details.party.userID == userID } }

  /// In the order of their ids.
  var snapshots: [CallSnapshot] { live.map(\.snapshot).sorted { $0.sessionID < $1.sessionID } }

  /// The calls that are up, and those that this device places; where there are none of these, those that ring.
  var toHangUp: [SessionID] {
    let live = snapshots
    let begun = live.filter { $0.receiver != nil || $0.phase.isAnswered }
    return (begun.isEmpty ? live : begun).map(\.sessionID)
  }

  /// The call that has waited longest for an answer at the device.
  var longestRinging: SessionID? {
    let ringing = snapshots.filter { $0.phase == .ringing || $0.phase == .delaying }
    return ringing.min { $0.startedAt < $1.startedAt }?.sessionID
  }

  /// The call whose archive it is.
  func sessionID(ofArchive archiveID: ArchiveID) -> SessionID? {
    calls.first { $0.value.machine.archive.runningID == archiveID }?.key
  }

  /// Of two who call each other at once the lower user id's call continues, as the hub decides as well: the calls of
  /// this device to such a caller, which lose.
  func losers(against callerID: String) -> [SessionID] {
    calls.values.filter { call in
      call.machine.phase.awaitsAnswer && call.details.receiver?.userID == callerID
        && callerID < call.details.caller.userID
    }.map(\.details.sessionID)
  }

  var nextDeadline: MonotonicInstant? { calls.values.compactMap(\.machine.nextDeadline).min() }

  /// The calls whose deadline has come.
  func overdue(now: MonotonicInstant) -> [SessionID] {
    calls.filter { $0.value.machine.nextDeadline.map { $0 <= now } ?? false }.map(\.key)
  }
}
