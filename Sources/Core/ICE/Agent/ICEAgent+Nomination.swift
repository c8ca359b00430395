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
    if let lastMedia = pair.lastMedia { _ = selected?.consent.noteMedia(now: lastMedia) }
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
    guard role == .controlling, needsNomination, !checklist.pairs.contains(where: { $0.isNominating }),
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
