import CallPolicy
import MediaCore
import MediaPlaneAPI
import Signalling

/// One call from its first ring to its end: takes what happens and the time, returns what is to be done.
///
/// Does nothing itself. A call that comes in and one that this device places differ only until it is answered.
/// After ``CallPhase/ended(reason:)`` every event returns nothing, but for an archive that started too late, which is
/// stopped.
struct CallMachine: Sendable {
  /// Times that hold for every call.
  struct Limits: Sendable {
    /// From the decision to answer, or from the other side's answer, until media flows; and for an offer to be made.
    var setUp = TimeSpan.seconds(30)
    /// How long a call that this device places may go unanswered; the hub's own limit is the same.
    var unanswered = TimeSpan.seconds(60)
    /// How long before its end a call of limited duration is warned; at most a quarter of the duration.
    var warning = TimeSpan.seconds(30)
    /// Candidates of this side that wait for the call to be placed: as many as the hub takes at once.
    var heldCandidates = 64
  }

  let limits: Limits
  let ruleName: String?
  let terms: CallTerms

  private(set) var phase: CallPhase
  private(set) var archive = CallArchive()
  /// What the call lacks of what both sides want.
  private(set) var missing: [MissingMedia] = []
  /// Why media do not flow, and what helps.
  private var pathProblem: String?
  /// What the call lacks, why, and what helps, for people.
  var notes: [String] { (pathProblem.map { [$0] } ?? []) + missing.map(\.text) }
  private var deadline: MonotonicInstant?
  private var warnsAt: MonotonicInstant?
  private var earlyCandidates: [String] = []
  private var candidateBudget = CandidateBudget()
  private var offers = OfferIntake()
  /// How a call that came in rings and is answered.
  var incoming: Incoming?
  /// How far the placing of an outgoing call has come.
  var outgoing: Outgoing?

  init(_ phase: CallPhase, terms: CallTerms, ruleName: String? = nil, limits: Limits) {
    self.phase = phase
    self.terms = terms
    self.ruleName = ruleName
    self.limits = limits
  }

  // MARK: Time

  /// When ``tick(now:)`` has something to do next.
  var nextDeadline: MonotonicInstant? {
    let waiting = phase.isEnded ? [] : [offers.nextDeadline, archive.nextDeadline]
    return ([deadline, warnsAt] + waiting).compactMap(\.self).min()
  }

  /// Whatever the time brings about.
  mutating func tick(now: MonotonicInstant) -> [CallAction] {
    if let deadline, deadline <= now { return expire(now: now) }
    return warnIfDue(now: now) + answerNextOffer(now: now) + (phase == .connected ? archive.tick(now: now) : [])
  }

  private mutating func warnIfDue(now: MonotonicInstant) -> [CallAction] {
    guard let warnsAt, warnsAt <= now, let deadline else { return [] }
    self.warnsAt = nil
    let secondsLeft = Int(clamping: ((deadline - now) + .milliseconds(999)).milliseconds / 1000)
    return [.warning(.endsSoon(secondsLeft: secondsLeft))]
  }

  private mutating func expire(now: MonotonicInstant) -> [CallAction] {
    switch phase {
    case .delaying, .ringing: ringingExpired(now: now)
    case .offering: withdraw(.error)
    case .calling, .alerting: end(EndReason.unanswered.rawValue)
    case .answering, .connecting: end(EndReason.connectionLost.rawValue)
    case .connected: end(EndReason.maxDuration.rawValue)
    case .ended: []
    }
  }

  // MARK: Requests from the device

  /// Ends the call in whatever phase it is.
  mutating func hangUp(_ reason: EndReason) -> [CallAction] {
    switch phase {
    case .delaying, .ringing: reason == .hangup ? reject(.declined) : end(reason.rawValue)
    case .offering: withdraw(reason)
    case .calling, .alerting, .answering, .connecting, .connected: end(reason.rawValue)
    case .ended: []
    }
  }

  // MARK: The hub

  /// The other side hung up or rejected, or the hub ended the session.
  mutating func remoteEnded(_ reason: String) -> [CallAction] {
    end(reason).filter { if case .hub(.send(.end)) = $0 { false } else { true } }
  }

  /// The other side's candidates; those before the answer wait for it.
  mutating func remoteCandidates(_ candidates: [String]) -> [CallAction] {
    guard !phase.isEnded else { return [] }
    let taken = candidateBudget.take(candidates)
    guard phase.isAnswered else {
      earlyCandidates += taken
      return []
    }
    return taken.isEmpty ? [] : [.media(.addCandidates(taken))]
  }

  /// Candidates of the other side that were too many or too long.
  var droppedCandidates: Int { candidateBudget.dropped }

  /// The other side's new offer within the call; it waits while an older one is answered, or when there are too many.
  mutating func remoteOffer(_ offer: NumberedOffer, now: MonotonicInstant) -> [CallAction] {
    guard phase == .connecting || phase == .connected else { return [] }
    return offers.take(offer, now: now).map { [.media(.renegotiate($0))] } ?? []
  }

  /// Whether the other side has sent offers faster than they are answered.
  var hasTooManyOffers: Bool { offers.isCrowded }

  private mutating func answerNextOffer(now: MonotonicInstant) -> [CallAction] {
    guard !phase.isEnded else { return [] }
    return offers.popReady(now: now).map { [.media(.renegotiate($0))] } ?? []
  }

  /// The other side's answer, to the call or to an offer within it.
  mutating func remoteAnswer(_ sdp: String, now: MonotonicInstant) -> [CallAction] {
    switch phase {
    case .calling, .alerting:
      enter(.connecting, until: now + limits.setUp)
      return [.media(.accept(answer: sdp))] + releaseCandidates()
    case .connecting, .connected:
      return [.media(.accept(answer: sdp))]
    case .delaying, .ringing, .offering, .answering, .ended:
      return []
    }
  }

  // MARK: The media plane

  /// Candidates of this side; those that come before the call is placed wait for that.
  mutating func localCandidates(_ candidates: [String]) -> [CallAction] {
    switch phase {
    case .ended: return []
    case .offering:
      outgoing?.hold(candidates, limit: limits.heldCandidates)
      return []
    case .delaying, .ringing, .answering, .calling, .alerting, .connecting, .connected: return [.candidates(candidates)]
    }
  }

  /// The media plane's own offer within the call.
  mutating func localOffer(_ sdp: String) -> [CallAction] {
    guard phase == .connecting || phase == .connected else { return [] }
    return [.send(.offer(SessionDescription(sdp: sdp)))]
  }

  /// The media plane answered an offer within the call; nil if it cannot. An answer that a newer offer has overtaken is
  /// not sent: it would be taken for that one's.
  mutating func mediaRenegotiated(_ sdp: String?, to number: Int?, now: MonotonicInstant) -> [CallAction] {
    let isCurrent = offers.finish()
    guard !phase.isEnded else { return [] }
    let answer: [CallAction] = sdp.map { [.send(.answer(SessionDescription(sdp: $0, offerNumber: number)))] } ?? []
    return (isCurrent ? answer : []) + answerNextOffer(now: now)
  }

  /// Media flows.
  mutating func mediaConnected(now: MonotonicInstant) -> [CallAction] {
    guard phase == .answering || phase == .connecting else { return [] }
    let duration = terms.maxDuration.map { TimeSpan($0) }
    pathProblem = nil
    enter(.connected, until: duration.map { now + $0 })
    warnsAt = duration.map { now + $0 - min(limits.warning, $0 / 4) }
    return terms.isRecorded ? archive.start(rule: ruleName, persists: true) : []
  }

  /// Media do not flow, although they should by now.
  mutating func mediaPathMissing(hidesAddresses: Bool, _ text: String) -> [CallAction] {
    guard phase == .answering || phase == .connecting else { return [] }
    pathProblem = text
    return [.warning(.noPath(hidesAddresses: hidesAddresses))]
  }

  /// The other side learns what it does not get, and why.
  mutating func mediaMissing(_ missing: [MissingMedia]) -> [CallAction] {
    guard !phase.isEnded else { return [] }
    self.missing = missing
    return MissingMedia.Reason.allCases.compactMap { reason in
      let kinds = Set(missing.filter { $0.reason == reason }.map(\.kind))
      return kinds.isEmpty ? nil : .warning(.missing(kinds, reason))
    }
  }

  func mediaNotHeard(talkers: Int) -> [CallAction] {
    phase.isEnded ? [] : [.warning(.notHeard(talkers: talkers))]
  }

  func mediaHeard() -> [CallAction] {
    phase.isEnded ? [] : [.warning(.heard)]
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

  /// Starts a requested archive, unless one runs.
  mutating func startArchive() -> [CallAction] {
    phase == .connected ? archive.start(rule: nil, persists: false) : []
  }

  mutating func stopArchive(_ reason: ArchiveStopReason = .userInitiated) -> [CallAction] { archive.stop(reason) }

  mutating func archiveStarted(_ archiveID: ArchiveID) -> [CallAction] {
    let announcement = archive.started(archiveID)
    return phase.isEnded ? announcement + stopArchive(.sessionEnded) : announcement
  }

  mutating func archiveFailed(now: MonotonicInstant) -> [CallAction] {
    archive.failed(now: now)
    return []
  }

  /// The archive stopped by itself.
  ///
  /// - Parameter mayResume: whether another one is to follow during the call as soon as there can be one.
  mutating func archiveStopped(
    _ archiveID: ArchiveID, status: ArchiveStatus, mayResume: Bool, now: MonotonicInstant
  ) -> [CallAction] {
    archive.stopped(archiveID, status: status, mayResume: mayResume && phase == .connected, now: now)
  }

  // MARK: Steps

  mutating func enter(_ phase: CallPhase, until deadline: MonotonicInstant?) {
    self.phase = phase
    self.deadline = deadline
  }

  /// Continues within the time limit that runs.
  mutating func advance(to phase: CallPhase) { self.phase = phase }

  /// What the other side's early candidates come to once the media plane can take them.
  mutating func releaseCandidates() -> [CallAction] {
    defer { earlyCandidates = [] }
    return earlyCandidates.isEmpty ? [] : [.media(.addCandidates(earlyCandidates))]
  }

  mutating func end(_ reason: String) -> [CallAction] {
    guard !phase.isEnded else { return [] }
    let hadMedia = phase != .delaying && phase != .ringing
    finish(reason)
    return (hadMedia ? [.media(.hangUp)] : []) + stopArchive(.sessionEnded) + [
      .send(.end(SessionEnding(reason: reason)))
    ]
  }

  mutating func finish(_ reason: String) {
    enter(.ended(reason: reason), until: nil)
    warnsAt = nil
    earlyCandidates = []
  }
}
