import MediaCore
import Signalling

/// Calls several users until one of them answers: takes the results of the calls and the time, returns what is to be
/// done.
///
/// Lasts until the call that was answered is over; if that never connects, it continues with those who are left. Each
/// person is called once at most, so a hunt ends within (people × ring time) without an answer.
public struct CallHunt: Sendable {
  /// The outcome of a hunt.
  public enum Outcome: Sendable, Equatable {
    /// A user was reached, or hung up at once, and that call is over.
    case completed
    /// No user answered; why not, by user id.
    case unanswered([Miss])
    /// It was cancelled at the device.
    case cancelled
  }

  /// Why one person was not reached: an ``Signalling/EndReason``, a ``Signalling/RejectReason`` or the engine's code.
  public struct Miss: Sendable, Equatable {
    public var userID: String
    public var reason: String
  }

  enum Action: Sendable, Equatable {
    case place(CallParty)
    case end(SessionID, EndReason)
  }

  private struct Leg {
    let party: CallParty
    let deadline: MonotonicInstant
  }

  private enum Phase {
    case calling
    case answered(SessionID, CallParty, isConnected: Bool)
    case ended(Outcome)
  }

  let plan: HuntPlan
  private let startedAt: MonotonicInstant
  private var phase = Phase.calling
  private var waiting: ArraySlice<CallParty>
  /// How many calls are being placed, of which the ids are not known yet.
  private var placing = 0
  private var legs: [SessionID: Leg] = [:]
  private var misses: [Miss] = []

  /// A hunt, and whom to call first.
  static func start(_ plan: HuntPlan, now: MonotonicInstant) -> (CallHunt, [Action]) {
    var hunt = CallHunt(plan, now: now)
    let actions = hunt.placeNext()
    return (hunt, actions)
  }

  private init(_ plan: HuntPlan, now: MonotonicInstant) {
    self.plan = plan
    startedAt = now
    waiting = plan.parties[...]
  }

  // MARK: What there is

  var isEnded: Bool { if case .ended = phase { true } else { false } }

  var snapshot: HuntSnapshot {
    let state: HuntSnapshot.State =
      switch phase {
      case .calling: .calling(plan.parties.filter { party in legs.values.contains { $0.party == party } })
      case .answered(let sessionID, let party, _): .answered(party, sessionID)
      case .ended(let outcome): .ended(outcome)
      }
    return HuntSnapshot(name: plan.name, order: plan.order, startedAt: startedAt, state: state)
  }

  /// When ``tick(now:)`` has something to do next.
  var nextDeadline: MonotonicInstant? { legs.values.map(\.deadline).min() }

  // MARK: What happens

  /// A call that was asked for has this id.
  mutating func placed(_ party: CallParty, as sessionID: SessionID, now: MonotonicInstant) -> [Action] {
    placing -= 1
    guard case .calling = phase else { return [.end(sessionID, .hangup)] }
    legs[sessionID] = Leg(party: party, deadline: now + plan.ringFor)
    return []
  }

  /// A call that was asked for could not even be placed.
  mutating func placingFailed(_ party: CallParty, reason: String) -> [Action] {
    placing -= 1
    return miss(party, reason)
  }

  /// A call of the hunt was answered: the others are ended accordingly.
  mutating func answered(_ sessionID: SessionID) -> [Action] {
    guard case .calling = phase, let leg = legs.removeValue(forKey: sessionID) else { return [] }
    phase = .answered(sessionID, leg.party, isConnected: false)
    return endLegs(.answeredElsewhere)
  }

  /// Media flows in the call that was answered.
  mutating func connected(_ sessionID: SessionID) -> [Action] {
    let actions = answered(sessionID)
    if case .answered(sessionID, let party, _) = phase { phase = .answered(sessionID, party, isConnected: true) }
    return actions
  }

  /// A call is over. One that is hung up at the device before it is answered ends the hunt with it.
  mutating func ended(_ sessionID: SessionID, reason: String) -> [Action] {
    if case .answered(sessionID, let party, let isConnected) = phase {
      let isReached = isConnected || reason == EndReason.hangup.rawValue
      phase = isReached ? .ended(.completed) : .calling
      return isReached ? [] : miss(party, reason)
    }
    guard let leg = legs.removeValue(forKey: sessionID) else { return [] }
    return reason == EndReason.hangup.rawValue ? cancel() : miss(leg.party, reason)
  }

  /// Gives up those who have rung for long enough.
  mutating func tick(now: MonotonicInstant) -> [Action] {
    var actions: [Action] = []
    let due = legs.filter { $0.value.deadline <= now }.sorted { $0.key < $1.key }
    for (sessionID, leg) in due {
      legs[sessionID] = nil
      actions.append(.end(sessionID, .unanswered))
      actions += miss(leg.party, EndReason.unanswered.rawValue)
    }
    return actions
  }

  /// The device gives up, whether it rings or is answered.
  mutating func cancel() -> [Action] {
    switch phase {
    case .ended: return []
    case .answered(let sessionID, _, _):
      phase = .ended(.completed)
      return [.end(sessionID, .hangup)]
    case .calling:
      phase = .ended(.cancelled)
      waiting = []
      return endLegs(.hangup)
    }
  }

  // MARK: Steps

  private mutating func miss(_ party: CallParty, _ reason: String) -> [Action] {
    misses.append(Miss(userID: party.userID, reason: reason))
    guard case .calling = phase else { return [] }
    let next = placeNext()
    if next.isEmpty, legs.isEmpty, placing == 0 { phase = .ended(.unanswered(misses)) }
    return next
  }

  /// All who are left, or the next one if none is being called.
  private mutating func placeNext() -> [Action] {
    let count = plan.order == .allAtOnce ? waiting.count : legs.isEmpty && placing == 0 ? 1 : 0
    let next = waiting.prefix(count)
    waiting = waiting.dropFirst(count)
    placing += next.count
    return next.map { .place($0) }
  }

  private mutating func endLegs(_ reason: EndReason) -> [Action] {
    defer { legs = [:] }
    return legs.keys.sorted().map { .end($0, reason) }
  }
}
