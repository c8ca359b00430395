import MediaCore

extension ICEAgent {
  /// As controlled side: the peer names a pair that works (RFC 8445 §8.1.1).
  ///
  /// An aggressive nominator names many pairs in the beginning and means the best of them; later on, a nomination
  /// says that the peer has moved.
  mutating func followNomination(_ index: Int, now: MonotonicInstant) {
    let pair = checklist[index]
    guard let current = selected, let currentIndex = current.pair.flatMap(checklist.index(of:)) else {
      return select(index, now: now)
    }
    guard currentIndex != index else { return }
    let hasMoved = now - current.since > configuration.settlingTime || pair.createdAt > current.since
    if hasMoved || pair.priority > checklist[currentIndex].priority { select(index, now: now) }
  }

  /// Sends media on this pair from now on.
  mutating func select(_ index: Int, now: MonotonicInstant) {
    let pair = checklist[index]
    let path = ICESelectedPair(local: pair.local, remote: pair.remote)
    let isFirst = selected == nil
    let isOther = selected?.path != path
    let next = drawConsentCheck(now: now)
    selected = SelectedPath(
      path: path, pair: pair.id, generation: credentials.generation, localPriority: pair.localPriority, since: now,
      consent: ConsentFreshness(lastAnswer: pair.lastSuccess ?? now, nextCheck: next))
    phase = .connected
    nominationDeadline = nil
    previousCredentials = nil
    if isFirst {
      events.append(.connected(path))
    } else if isOther {
      events.append(.selectedPairChanged(path))
    }
  }

  /// As controlling side: names the best pair that works, once better ones have had their chance.
  mutating func nominateIfDue(now: MonotonicInstant) {
    guard role == .controlling, needsNomination, !checklist.pairs.contains(where: \.isNominating),
      let best = checklist.best(where: { $0.isFresh(now, configuration) })
    else { return }
    let priority = checklist[best].priority
    let isBetterOneOpen = checklist.pairs.contains {
      $0.priority > priority && ($0.state == .waiting || $0.state == .inProgress || $0.state == .frozen)
    }
    let deadline = nominationDeadline ?? now + configuration.nominationDelay
    nominationDeadline = deadline
    if !isBetterOneOpen || now >= deadline { sendCheck(best, purpose: .nomination, now: now) }
  }

  private var needsNomination: Bool {
    switch phase {
    case .checking, .disconnected: true
    case .idle, .connected, .failed: false
    }
  }
}

extension ICEAgent {
  /// Asks over the selected path at once, and over all others, whether they work.
  mutating func suspectSelectedPath(now: MonotonicInstant) {
    guard selected?.consent.suspect(now: now) == true else { return }
    if let index = selected?.pair.flatMap(checklist.index(of:)), checklist[index].state != .inProgress {
      checklist.trigger(index)
    }
  }

  /// The best pair that has answered since the selected one fell under suspicion.
  func alternative(now: MonotonicInstant) -> Int? {
    guard let current = selected, let since = current.consent.suspectSince else { return nil }
    return checklist.best {
      $0.id != current.pair && $0.isFresh(now, configuration) && ($0.lastSuccess ?? since) >= since
    }
  }

  /// Takes the other path when the selected one has been silent for long enough.
  mutating func leaveSilentPath(now: MonotonicInstant) {
    guard let since = selected?.consent.suspectSince, now - since >= configuration.suspicionTime,
      let index = alternative(now: now)
    else { return }
    if role == .controlled {
      select(index, now: now)
    } else if !checklist.pairs.contains(where: \.isNominating) {
      sendCheck(index, purpose: .nomination, now: now)
    }
  }

  /// The selected path cannot be used any more: looks for another one.
  mutating func leaveLostPath(now: MonotonicInstant) {
    let wasConnected = phase == .connected
    selected = nil
    previousCredentials = nil
    guard wasConnected else { return }
    phase = .disconnected(deadline: now + configuration.connectTimeout)
    checklist.recheckAll()
  }

  /// As controlled side that has lost its path: sends where the peer answers, and does not wait for a nomination, since the
  /// peer may not know yet (RFC 8445 §12.1.1).
  mutating func takeAnsweringPath(now: MonotonicInstant) {
    guard role == .controlled, case .disconnected = phase, selected == nil,
      let best = checklist.best(where: { $0.isFresh(now, configuration) })
    else { return }
    select(best, now: now)
  }
}
