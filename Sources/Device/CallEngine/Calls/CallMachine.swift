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
  let ruleName: String?
  let terms: CallTerms

  private(set) var phase: CallPhase
  var archive = CallArchive()
  private var times = CallTimes()
  var candidates = HeldCandidates()
  private var offers = OfferIntake()
  private var shortfalls = CallShortfalls()
  /// How a call that came in rings and is answered.
  let incoming: IncomingTerms?
  /// Of a call that this device places.
  var placing: CallPlacing?

  /// A call that came in.
  init(_ incoming: IncomingTerms?, ruleName: String?) {
    (self.incoming, self.ruleName) = (incoming, ruleName)
    terms = incoming.map { CallTerms($0.answer) } ?? CallTerms()
    phase = .delaying
  }

  /// A call that this device places; the media plane has to make its offer.
  init(_ terms: CallTerms, now: MonotonicInstant) {
    (self.terms, incoming, ruleName) = (terms, nil, nil)
    (phase, placing) = (.offering, CallPlacing())
    times = CallTimes(until: now + CallTimes.setUp)
  }

  // MARK: Time

  /// When ``tick(now:)`` has something to do next.
  var nextDeadline: MonotonicInstant? {
    let waiting = phase.isEnded ? [] : [offers.nextDeadline, archive.nextDeadline]
    return ([times.next] + waiting).compactMap(\.self).min()
  }

  /// Whatever the time brings about.
  mutating func tick(now: MonotonicInstant) -> [CallAction] {
    if times.isOver(now: now) { return expire(now: now) }
    let warning = times.popWarning(now: now).map { CallAction.warning(.endsSoon(secondsLeft: $0)) }
    return (warning.map { [$0] } ?? []) + answerNextOffer(now: now)
      + (phase == .connected ? archive.tick(now: now) : [])
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
    phase.isEnded ? [] : self.candidates.take(candidates, isReady: phase.isAnswered).map(CallAction.media)
  }

  /// Candidates of the other side that were too many or too long.
  var droppedCandidates: Int { candidates.dropped }

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
      enter(.connecting, until: now + CallTimes.setUp)
      return [.media(.accept(answer: sdp))] + candidates.release().map(CallAction.media)
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
      self.candidates.hold(candidates)
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
    shortfalls.mediaFlow()
    (phase, times) = (.connected, CallTimes(now, maxDuration: terms.maxDuration))
    return terms.isRecorded ? archive.start(rule: ruleName, persists: true) : []
  }

  /// What the call lacks, why, and what helps, for people.
  var notes: [String] { shortfalls.notes }

  /// Media do not flow, although they should by now.
  mutating func mediaPathMissing(hidesAddresses: Bool, _ text: String) -> [CallAction] {
    guard phase == .answering || phase == .connecting else { return [] }
    return shortfalls.pathMissing(hidesAddresses: hidesAddresses, text)
  }

  mutating func mediaMissing(_ missing: [MissingMedia]) -> [CallAction] {
    phase.isEnded ? [] : shortfalls.mediaMissing(missing)
  }

  /// Has the other side know what the media plane has noticed.
  func warn(_ warning: CallWarning) -> [CallAction] { phase.isEnded ? [] : [.warning(warning)] }

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
    (self.phase, times) = (phase, CallTimes(until: deadline))
  }

  /// Continues within the time limit that runs.
  mutating func advance(to phase: CallPhase) { self.phase = phase }

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
    candidates.removeAll()
  }
}
