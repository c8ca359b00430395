internal import MediaCore

/// The source that is opened beside the current one: to swap cameras, or to find one.
extension VideoSourceSupervisor {
  mutating func openCandidate(now: MonotonicInstant, hasFreeThread: Bool) -> [Action] {
    if pendingSwaps > 0, candidate?.purpose != .swap {
      return openSwap(now: now, hasFreeThread: hasFreeThread)
    }
    guard candidate == nil, isScanning, now >= scanAt, let current else { return [] }
    scanAt = now + Self.scanInterval
    return hasFreeThread ? [open(makeAttempt(current.index, .scan, now: now))] : []
  }

  private mutating func open(_ attempt: VideoSourceAttempt) -> Action {
    candidate = attempt
    return .open(attempt.id, request(for: attempt))
  }

  private mutating func openSwap(now: MonotonicInstant, hasFreeThread: Bool) -> [Action] {
    if let scan = candidate {
      candidate = nil
      return [close(scan, now: now)]
    }
    let target = (memory.selected + pendingSwaps) % cameras.count
    pendingSwaps = 0
    guard target != memory.selected else { return [] }
    guard hasFreeThread else {
      return [.reportFailed("\(cameras[target].name): not opened, drivers hold other threads")]
    }
    return [open(makeAttempt(target, .swap, now: now))]
  }

  /// The candidate delivers: it takes the current source's place.
  mutating func promote(now: MonotonicInstant) -> [Action] {
    guard var attempt = candidate else { return [] }
    let old = current
    (attempt.phase, attempt.deliveringSince) = (.delivering(last: now), now)
    (current, candidate) = (attempt, nil)
    memory.selected = attempt.index
    isFinished = false
    let closing = old.map { [close($0, now: now)] } ?? []
    return closing + noteDelivery(now: now)
  }

  mutating func candidateFailed(_ failure: SourceFailure, now: MonotonicInstant) -> [Action] {
    guard let attempt = candidate else { return [] }
    candidate = nil
    if attempt.purpose == .scan { return scanFailed(failure) }
    if failure.kind == .outOfBandwidth, let current { return makeWay(for: attempt, current, now: now) }
    pendingSwaps = (attempt.index + 1 - memory.selected + cameras.count) % cameras.count
    return [.reportFailed(failure.reason)] + (pendingSwaps == 0 ? stay() : [])
  }

  /// The camera that is open continues.
  private func stay() -> [Action] {
    guard let current, current.isDelivering, let description = current.description else { return [] }
    return [.reportOpened(description)]
  }

  private mutating func scanFailed(_ failure: SourceFailure) -> [Action] {
    guard failure.kind != .noCamera, failure.reason != lastScanFailure else { return [] }
    lastScanFailure = failure.reason
    return [.reportFailed(failure.reason)] + stay()
  }

  /// Closes the current camera first; when the other one still does not open, the current one is opened again.
  private mutating func makeWay(for attempt: VideoSourceAttempt, _ old: VideoSourceAttempt, now: MonotonicInstant)
    -> [Action]
  {
    fallback = memory.selected
    memory.selected = attempt.index
    current = nil
    retryAt = now
    return [close(old, now: now)]
  }
}
