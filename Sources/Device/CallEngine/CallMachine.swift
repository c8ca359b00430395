import CallPolicy
import MediaCore
import Signalling

/// One call from its first ring to its end: takes what happens and the time, returns what is to be done.
///
/// Does nothing itself. After ``CallPhase/ended(reason:)`` every event returns nothing, but for an archive that
/// started too late, which is stopped.
struct CallMachine: Sendable {
  /// Times that hold for every call.
  struct Limits: Sendable {
    /// From the decision to answer until media flows.
    var setUp = TimeSpan.seconds(30)
    /// How long before its end a call of limited duration is warned; at most a quarter of the duration.
    var warning = TimeSpan.seconds(30)
    /// Candidates of the caller that are passed on.
    var candidates = 256
  }

  enum Archive: Sendable, Equatable {
    case none
    case starting
    case running(archiveID: String)
  }

  private let limits: Limits
  private let ring: RingSettings?
  private let settings: AnswerSettings?
  let ruleName: String?

  private(set) var phase: CallPhase
  private(set) var archive = Archive.none
  private var deadline: MonotonicInstant?
  private var warnsAt: MonotonicInstant?
  private var earlyCandidates: [String] = []
  private var candidateCount = 0

  /// A call that has just been decided about, and what to do first.
  static func start(
    _ decision: PolicyDecision, ruleName: String?, limits: Limits = Limits(), now: MonotonicInstant
  ) -> (CallMachine, [CallAction]) {
    var machine = CallMachine(decision, ruleName: ruleName, limits: limits)
    let actions = machine.begin(decision, now: now)
    return (machine, actions)
  }

  private init(_ decision: PolicyDecision, ruleName: String?, limits: Limits) {
    self.limits = limits
    self.ruleName = ruleName
    phase = .delaying
    switch decision {
    case .answer(let settings): (self.settings, ring) = (settings, nil)
    case .ring(let ring): (settings, self.ring) = (ring.answer, ring)
    case .reject: (settings, ring) = (nil, nil)
    }
  }

  private mutating func begin(_ decision: PolicyDecision, now: MonotonicInstant) -> [CallAction] {
    switch decision {
    case .reject(let reason):
      return reject(reason)
    case .ring(let ring):
      phase = .ringing
      deadline = now + TimeSpan(ring.timeout)
      return [.ring]
    case .answer(let settings) where settings.delay > .zero:
      deadline = now + TimeSpan(settings.delay)
      return [.ring]
    case .answer:
      return [.ring] + answer(now: now)
    }
  }

  // MARK: Time

  /// When ``tick(now:)`` has something to do next.
  var nextDeadline: MonotonicInstant? {
    guard let deadline else { return warnsAt }
    return min(deadline, warnsAt ?? deadline)
  }

  /// Whatever the time brings about.
  mutating func tick(now: MonotonicInstant) -> [CallAction] {
    if let deadline, deadline <= now { return expire(now: now) }
    guard let warnsAt, warnsAt <= now, let deadline else { return [] }
    self.warnsAt = nil
    return [.warn(secondsLeft: Int((deadline - now).milliseconds + 999) / 1000)]
  }

  private mutating func expire(now: MonotonicInstant) -> [CallAction] {
    switch phase {
    case .delaying:
      return answer(now: now)
    case .ringing:
      if case .reject(let reason) = ring?.then { return reject(reason) }
      return answer(now: now)
    case .answering, .connecting:
      return end(EndReason.connectionLost.rawValue)
    case .connected:
      return end(EndReason.maxDuration.rawValue)
    case .ended:
      return []
    }
  }

  // MARK: Somebody at the device

  /// Answers a call that rings.
  mutating func answerLocally(now: MonotonicInstant) -> [CallAction] {
    guard phase == .ringing || phase == .delaying else { return [] }
    return answer(now: now)
  }

  /// Rejects a call that rings.
  mutating func rejectLocally(_ reason: RejectReason) -> [CallAction] {
    guard phase == .ringing || phase == .delaying else { return [] }
    return reject(reason)
  }

  /// Ends the call in whatever phase it is.
  mutating func hangUp(_ reason: EndReason) -> [CallAction] {
    switch phase {
    case .delaying, .ringing: reason == .hangup ? reject(.declined) : end(reason.rawValue)
    case .answering, .connecting, .connected: end(reason.rawValue)
    case .ended: []
    }
  }

  // MARK: The hub

  /// The caller hung up, or the hub ended the session.
  mutating func remoteEnded(_ reason: String) -> [CallAction] {
    end(reason).filter { if case .endSession = $0 { false } else { true } }
  }

  /// The caller's candidates; those before the answer wait for it.
  mutating func remoteCandidates(_ candidates: [String]) -> [CallAction] {
    guard !phase.isEnded, candidateCount + candidates.count <= limits.candidates else { return [] }
    candidateCount += candidates.count
    switch phase {
    case .delaying, .ringing:
      earlyCandidates += candidates
      return []
    default:
      return [.addCandidates(candidates)]
    }
  }

  /// The caller's new offer within the call.
  mutating func remoteOffer(_ sdp: String) -> [CallAction] {
    guard phase == .connecting || phase == .connected else { return [] }
    return [.renegotiateMedia(offer: sdp)]
  }

  /// The hub did not take the answer.
  mutating func answerRefused() -> [CallAction] {
    phase == .connecting ? end(EndReason.error.rawValue) : []
  }

  // MARK: The media plane

  /// The media plane made an answer, to the first offer or to a later one.
  mutating func mediaAnswered(_ sdp: String) -> [CallAction] {
    guard !phase.isEnded else { return [] }
    if phase == .answering { phase = .connecting }
    return [.sendAnswer(sdp: sdp)]
  }

  /// The media plane cannot answer the first offer.
  mutating func mediaRefused() -> [CallAction] {
    guard phase == .answering else { return [] }
    return [.hangUpMedia] + reject(.notAcceptable)
  }

  mutating func localCandidates(_ candidates: [String]) -> [CallAction] {
    phase.isEnded ? [] : [.sendCandidates(candidates)]
  }

  /// Media flows.
  mutating func mediaConnected(now: MonotonicInstant) -> [CallAction] {
    guard phase == .answering || phase == .connecting else { return [] }
    phase = .connected
    deadline = nil
    if let duration = settings?.maxDuration.map({ TimeSpan($0) }) {
      deadline = now + duration
      warnsAt = now + duration - min(limits.warning, duration / 4)
    }
    return settings?.isRecorded == true ? startArchive(rule: ruleName) : []
  }

  mutating func mediaEnded(_ reason: MediaEndReason) -> [CallAction] {
    let reason: EndReason =
      switch reason {
      case .closed: .hangup
      case .connectionLost: .connectionLost
      case .error: .error
      }
    return end(reason.rawValue)
  }

  // MARK: Archives

  /// Starts an archive, unless one runs; `rule` names the policy rule that wants it.
  mutating func startArchive(rule: String? = nil) -> [CallAction] {
    guard phase == .connected, archive == .none else { return [] }
    archive = .starting
    return [.startArchive(rule: rule)]
  }

  mutating func stopArchive() -> [CallAction] {
    guard case .running(let archiveID) = archive else { return [] }
    archive = .none
    return [.stopArchive(archiveID: archiveID)]
  }

  mutating func archiveStarted(_ archiveID: String) -> [CallAction] {
    archive = .running(archiveID: archiveID)
    let announcement = [CallAction.announceArchive(archiveID: archiveID, status: "started")]
    return phase.isEnded ? announcement + stopArchive() : announcement
  }

  mutating func archiveFailed() { archive = .none }

  /// The archive stopped by itself.
  mutating func archiveStopped(_ archiveID: String, status: String) -> [CallAction] {
    guard archive == .running(archiveID: archiveID) else { return [] }
    archive = .none
    return [.announceArchive(archiveID: archiveID, status: status)]
  }

  // MARK: Steps

  private mutating func answer(now: MonotonicInstant) -> [CallAction] {
    phase = .answering
    deadline = now + limits.setUp
    var actions = [CallAction.answerMedia(settings ?? AnswerSettings())]
    if !earlyCandidates.isEmpty { actions.append(.addCandidates(earlyCandidates)) }
    earlyCandidates = []
    return actions
  }

  private mutating func reject(_ reason: RejectReason) -> [CallAction] {
    finish(reason.rawValue)
    return [.reject(reason)]
  }

  private mutating func end(_ reason: String) -> [CallAction] {
    guard !phase.isEnded else { return [] }
    let hadMedia = phase != .delaying && phase != .ringing
    finish(reason)
    return (hadMedia ? [.hangUpMedia] : []) + stopArchive() + [.endSession(reason: reason)]
  }

  private mutating func finish(_ reason: String) {
    phase = .ended(reason: reason)
    deadline = nil
    warnsAt = nil
    earlyCandidates = []
  }
}
