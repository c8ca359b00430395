import MediaCore
import Signalling

/// The running hunts, and of each name the one that ended last: takes the results of calls and the time, returns what
/// is to be done.
struct CallHunts {
  /// A call that a hunt wants.
  struct WantedCall {
    var hunt: String
    var party: CallParty
    /// What the device has, if nil.
    var media: Set<MediaKind>?
  }

  enum Command {
    /// ``placed(_:as:now:)`` or ``placingFailed(_:reason:)`` follows.
    case place(WantedCall)
    case end(SessionID, EndReason)
  }

  /// Names that are kept: as many buttons and rules about events as a configuration may have, and the command line.
  static let capacity = 65

  /// As whom the newest hunt calls.
  private(set) var userID = ""
  private var hunts: [String: CallHunt] = [:]
  /// What watchers received last.
  private var shown: [String: HuntSnapshot] = [:]

  // MARK: What there is

  /// The names of those that run.
  private var running: [String] { hunts.filter { !$0.value.isEnded }.keys.sorted() }

  /// No user is being called, and none has answered.
  var areOver: Bool { hunts.values.allSatisfy(\.isEnded) }

  /// In the order of their names.
  var snapshots: [HuntSnapshot] { hunts.values.map(\.snapshot).sorted { $0.name < $1.name } }

  var nextDeadline: MonotonicInstant? { hunts.values.compactMap(\.nextDeadline).min() }

  /// What has changed since watchers were last notified, sorted by name.
  mutating func takeChanges() -> [HuntSnapshot] {
    snapshots.filter { snapshot in
      // The next one is being called then.
      guard snapshot.state != .calling([]), shown[snapshot.name] != snapshot else { return false }
      shown[snapshot.name] = snapshot
      return true
    }
  }

  // MARK: What happens

  /// Throws if a plan cannot be begun.
  func check(_ plan: HuntPlan) throws(EngineError) {
    guard plan.isValid else { throw .invalidHunt }
    let isNew = hunts[plan.name] == nil
    guard hunts[plan.name]?.isEnded ?? true, !isNew || hunts.count < Self.capacity else { throw .huntRuns }
  }

  /// Begins a plan that ``check(_:)`` allows.
  mutating func start(_ plan: HuntPlan, as userID: String, now: MonotonicInstant) -> [Command] {
    let (hunt, actions) = CallHunt.start(plan, now: now)
    self.userID = userID
    hunts[plan.name] = hunt
    return commands(actions, of: plan.name)
  }

  /// The phases that calls have entered.
  mutating func take(_ changes: [(SessionID, CallPhase)]) -> [Command] {
    changes.flatMap { sessionID, phase in stepAll { $0.take(phase, of: sessionID) } }
  }

  mutating func tick(now: MonotonicInstant) -> [Command] { stepAll { $0.tick(now: now) } }

  /// The device gives all of them up.
  mutating func cancel() -> [Command] { stepAll { $0.cancel() } }

  /// A call that was wanted has this id.
  mutating func placed(_ call: WantedCall, as sessionID: SessionID, now: MonotonicInstant) -> [Command] {
    step(call.hunt) { $0.placed(call.party, as: sessionID, now: now) }
  }

  /// A call that was wanted could not even be placed.
  mutating func placingFailed(_ call: WantedCall, reason: String) -> [Command] {
    step(call.hunt) { $0.placingFailed(call.party, reason: reason) }
  }

  private mutating func stepAll(_ step: (inout CallHunt) -> [CallHunt.Action]) -> [Command] {
    running.flatMap { self.step($0, step) }
  }

  private mutating func step(_ name: String, _ step: (inout CallHunt) -> [CallHunt.Action]) -> [Command] {
    guard var hunt = hunts[name] else { return [] }
    let actions = step(&hunt)
    hunts[name] = hunt
    return commands(actions, of: name)
  }

  private func commands(_ actions: [CallHunt.Action], of name: String) -> [Command] {
    actions.map { action in
      switch action {
      case .place(let party): .place(WantedCall(hunt: name, party: party, media: hunts[name]?.plan.media))
      case .end(let sessionID, let reason): .end(sessionID, reason)
      }
    }
  }
}

extension CallHunt {
  fileprivate mutating func take(_ phase: CallPhase, of sessionID: SessionID) -> [Action] {
    switch phase {
    case .connecting: answered(sessionID)
    case .connected: connected(sessionID)
    case .ended(let reason): ended(sessionID, reason: reason)
    case .delaying, .ringing, .answering, .offering, .calling, .alerting: []
    }
  }
}

extension HuntSnapshot: CustomStringConvertible {
  /// For the log and for displays.
  public var description: String { "\(name): \(text)" }

  /// What it does, or its outcome, as text.
  public var text: String {
    switch state {
    case .calling(let parties): "calling \(parties.map(\.userID).joined(separator: ", "))"
    case .answered(let party, _): "answered by \(party.userID)"
    case .ended(.completed): "over"
    case .ended(.cancelled): "given up"
    case .ended(.unanswered(let misses)):
      "no answer (\(misses.map { "\($0.userID): \($0.reason)" }.joined(separator: ", ")))"
    }
  }
}
