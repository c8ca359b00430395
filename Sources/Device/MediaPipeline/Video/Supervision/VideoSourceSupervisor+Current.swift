internal import MediaCore

/// The source that is shown, and what follows when it delivers or fails.
extension VideoSourceSupervisor {
  mutating func openCurrent(now: MonotonicInstant) -> Action {
    let attempt = makeAttempt(memory.selected, .show, now: now)
    current = attempt
    return .open(attempt.id, request(for: attempt))
  }

  mutating func makeAttempt(_ index: Int, _ purpose: VideoSourceAttempt.Purpose, now: MonotonicInstant)
    -> VideoSourceAttempt
  {
    defer { nextID += 1 }
    return VideoSourceAttempt(
      id: nextID, index: index, purpose: purpose, name: cameras[index].name, phase: .opening(since: now))
  }

  func request(for attempt: VideoSourceAttempt) -> SourceRequest {
    var request = request
    request.selection = cameras[attempt.index]
    request.allowsStandIn = !memory.hasTakenCamera && attempt.purpose != .scan
    request.preferred = memory.preferred
    request.avoided = memory.avoided
    return request
  }

  mutating func noteDelivery(now: MonotonicInstant) -> [Action] {
    guard let current, let description = current.description else { return [] }
    if !isProgram(current) { retry.reset() }
    (fallback, lastScanFailure) = (nil, nil)
    scanAt = now + Self.scanInterval
    if cameras[current.index] == .automatic, !description.isStandIn {
      (memory.hasTakenCamera, memory.preferred, memory.avoided) = (true, description.name, nil)
    }
    return [.reportOpened(description)]
  }

  mutating func currentFailed(_ attempt: VideoSourceAttempt, _ reason: String, now: MonotonicInstant) -> [Action] {
    if !attempt.isDelivering { avoid(attempt) }
    if let fallback {
      memory.selected = fallback
      self.fallback = nil
    }
    retryAt = now + pause(after: attempt, now: now)
    return [.reportFailed(reason)]
  }

  private func isProgram(_ attempt: VideoSourceAttempt) -> Bool {
    if case .program = cameras[attempt.index] { true } else { false }
  }

  /// Before the next attempt. Starting a program costs more than opening a camera, so pauses grow further.
  private mutating func pause(after attempt: VideoSourceAttempt, now: MonotonicInstant) -> TimeSpan {
    guard isProgram(attempt) else { return retry.next() }
    if let since = attempt.deliveringSince, now - since >= Self.steadyTime { programRetry.reset() }
    return programRetry.next()
  }

  /// `auto` tries others before a camera that opened and delivered nothing.
  private mutating func avoid(_ attempt: VideoSourceAttempt) {
    guard cameras[attempt.index] == .automatic, let name = attempt.description?.name else { return }
    memory.avoided = name
    if memory.preferred == name { memory.preferred = nil }
  }
}
