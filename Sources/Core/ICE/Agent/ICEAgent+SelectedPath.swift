public import MediaCore

// MARK: - Choosing a path

extension ICEAgent {
  /// Controlled side: the peer names a pair that works (RFC 8445 §8.1.1).
  mutating func followNomination(_ index: Int, now: MonotonicInstant) {
    guard selected?.givesWay(to: checklist[index], in: checklist, now: now, configuration) ?? true else { return }
    select(index, now: now)
  }

  /// Sends media on this pair from now on.
  mutating func select(_ index: Int, now: MonotonicInstant) {
    let pair = checklist[index]
    let path = ICESelectedPair(local: pair.local, remote: pair.remote)
    let before = selected?.path
    let next = checks.drawConsentCheck(now: now)
    selected = SelectedPath(
      path: path, pair: pair.id, generation: generation, localPriority: pair.localPriority, since: now,
      consent: ConsentFreshness(lastAnswer: pair.lastSuccess ?? now, nextCheck: next))
    if let lastMedia = pair.lastMedia { _ = selected?.consent.noteMedia(now: lastMedia) }
    phase = .connected
    nomination.reset()
    credentials.forgetPrevious()
    if before == nil {
      events.append(.connected(path))
    } else if before != path {
      events.append(.selectedPairChanged(path))
    }
  }

  /// Controlling side: nominates the best pair that works, once better ones have had their chance.
  mutating func nominateIfDue(now: MonotonicInstant) {
    guard role == .controlling, needsNomination,
      let best = nomination.choose(from: checklist, now: now, configuration)
    else { return }
    checks.send(.nomination, on: best, generation: generation, now: now)
  }

  private var needsNomination: Bool {
    switch phase {
    case .checking, .disconnected: true
    case .idle, .connected, .failed: false
    }
  }
}

// MARK: - Round trips

extension ICEAgent {
  /// Sends a check over the selected path, whose answer ``takeRoundTrip()`` returns; without effect where there is
  /// none, or it is suspected.
  public mutating func measureRoundTrip(now: MonotonicInstant) {
    guard let selected, phase == .connected, selected.consent.suspectSince == nil else { return }
    checks.sendMeasurement(over: selected, now: now)
  }

  /// How long the oldest measurement has waited for its answer, since the last one that was answered: the round trip is
  /// at least as long, unless the check is lost. Nil where none waits.
  public func pendingRoundTrip(now: MonotonicInstant) -> TimeSpan? { checks.oldestMeasurement.map { now - $0 } }

  /// Takes the round trip that the last answer has shown.
  public mutating func takeRoundTrip() -> TimeSpan? { roundTrip.take() }
}

// MARK: - Consent

extension ICEAgent {
  mutating func keepConsent(now: MonotonicInstant) {
    guard let current = selected else { return }
    if now >= current.consent.expiry(configuration) {
      loseConsent(now: now)
    } else if now >= current.consent.nextCheck {
      checks.sendConsentCheck(over: current, now: now)
      let next = checks.drawConsentCheck(now: now)
      selected?.consent.noteCheck(next: next, now: now)
    }
  }

  private mutating func loseConsent(now: MonotonicInstant) {
    events.append(.disconnected)
    leaveLostPath(now: now)
  }

  /// The selected path is no longer usable: searches for another one.
  mutating func leaveLostPath(now: MonotonicInstant) {
    selected = nil
    credentials.forgetPrevious()
    guard phase == .connected else { return }
    phase = .disconnected(deadline: now + configuration.connectTimeout)
    checklist.recheckAll()
  }

  /// Controlled side without its path: sends where the peer answers, and does not wait for a nomination, since
  /// the peer may not know yet (RFC 8445 §12.1.1).
  mutating func takeAnsweringPath(now: MonotonicInstant) {
    guard role == .controlled, case .disconnected = phase, selected == nil,
      let best = checklist.best(where: { $0.isFresh(now, configuration) })
    else { return }
    select(best, now: now)
  }
}

// MARK: - Suspicion

extension ICEAgent {
  /// Asks over the selected path at once whether it works.
  ///
  /// - Returns: false if it was suspected already.
  @discardableResult
  mutating func suspectSelectedPath(now: MonotonicInstant) -> Bool {
    guard selected?.consent.suspect(now: now) == true else { return false }
    if let index = selected?.pair.flatMap(checklist.index(of:)), !checklist[index].isNominating {
      checklist.trigger(index)
    }
    return true
  }

  /// Suspects the selected path when it has fallen silent, and reports it when it stays so.
  mutating func suspectSilentPath(now: MonotonicInstant) {
    guard let current = selected else { return }
    if now >= current.consent.suspicionDeadline(configuration) {
      suspectSelectedPath(now: now)
      // After a restart the pairs are those of the path to come.
      if current.pair != nil { checklist.recheckAll() }
    } else if now >= current.consent.reportDeadline(configuration) {
      selected?.consent.noteReport()
      events.append(.suspected)
    }
  }

  /// Takes the other path when the selected one has been silent for long enough.
  mutating func leaveSilentPath(now: MonotonicInstant) {
    guard let current = selected, let index = current.alternative(in: checklist, now: now, configuration) else {
      return
    }
    let isPeerElsewhere = current.isPeer(on: checklist[index])
    guard now >= current.consent.lossDeadline(isPeerElsewhere: isPeerElsewhere, configuration) else { return }
    if role == .controlled {
      select(index, now: now)
    } else if !checklist.pairs.contains(where: { $0.isNominating }) {
      checks.send(.nomination, on: index, generation: generation, now: now)
    }
  }
}
