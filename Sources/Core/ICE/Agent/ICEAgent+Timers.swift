public import MediaCore

extension ICEAgent {
  /// Does everything whose time has come. Calling it early does no harm.
  public mutating func handleTimeout(now: MonotonicInstant) {
    transactions.removeAll(sentBefore: now - configuration.consentTimeout)
    repeatChecks(now: now)
    keepConsent(now: now)
    doubtSilentPath(now: now)
    leaveSilentPath(now: now)
    takeAnsweringPath(now: now)
    nominateIfDue(now: now)
    giveUpIfDue(now: now)
    // Last, since what comes before may leave pairs to check.
    startChecks(now: now)
    refreshDeadline(now: now)
  }

  private mutating func keepConsent(now: MonotonicInstant) {
    guard let consent = selected?.consent else { return }
    if now >= consent.expiry(configuration) {
      loseConsent(now: now)
    } else if now >= consent.nextCheck {
      sendConsentCheck(now: now)
    }
  }

  private mutating func loseConsent(now: MonotonicInstant) {
    selected = nil
    previousCredentials = nil
    events.append(.disconnected)
    guard phase == .connected else { return }
    phase = .disconnected(deadline: now + configuration.connectTimeout)
    checklist.recheckAll()
  }

  private mutating func giveUpIfDue(now: MonotonicInstant) {
    switch phase {
    case .checking(let deadline) where now >= deadline && selected != nil:
      // A restart that brought nothing; the path of before still answers.
      phase = .connected
    case .checking(let deadline) where now >= deadline:
      fail(checklist.pairs.contains { $0.lastSuccess != nil } ? .noNomination : .noAnswer)
    case .disconnected(let deadline) where now >= deadline:
      fail(.connectionLost)
    default: return
    }
  }

  private mutating func fail(_ reason: ICEFailure) {
    phase = .failed
    selected = nil
    checklist.removeAll()
    events.append(.failed(reason))
  }
}

extension ICEAgent {
  mutating func refreshDeadline(now: MonotonicInstant) {
    deadline = nil
    deadlineReason = nil
    noteCheckDeadlines(now: now)
    if case .checking(let limit) = phase { note(limit, .connectTimeout) }
    if case .disconnected(let limit) = phase { note(limit, .connectTimeout) }
    if let nominationDeadline, nominationDeadline > now { note(nominationDeadline, .nomination) }
    guard let consent = selected?.consent else { return }
    note(consent.nextCheck, .consentCheck)
    note(consent.expiry(configuration), .consentExpiry)
    note(consent.doubtDeadline(configuration), .suspicion)
    note(consent.reportDeadline(configuration), .suspicion)
    for isPeerElsewhere in [false, true] {
      let loss = consent.lossDeadline(isPeerElsewhere: isPeerElsewhere, configuration)
      if loss > now { note(loss, .suspicion) }
    }
  }

  private mutating func noteCheckDeadlines(now: MonotonicInstant) {
    guard isActive else { return }
    if checklist.hasTriggered || checklist.nextOrdinary(above: checkFloor) != nil {
      note(max(nextCheck, now), .nextCheck)
    }
    for pair in checklist.pairs where pair.state == .inProgress { note(pair.backOff.deadline, .retransmission) }
  }

  private mutating func note(_ instant: MonotonicInstant, _ reason: ICEDeadlineReason) {
    if let deadline, deadline <= instant { return }
    deadline = instant
    deadlineReason = reason
  }
}
