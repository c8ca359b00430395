internal import MediaCore

/// What passing time brings: limits that are exceeded, and what is due to be opened.
extension VideoSourceSupervisor {
  /// Lets time pass.
  ///
  /// - Parameter abandoned: threads that drivers hold now.
  mutating func tick(now: MonotonicInstant, abandoned: Int) -> [Action] {
    abandonLateClosings(now: now) + checkCurrent(now: now) + checkCandidate(now: now)
      + openWhatIsWanted(now: now, abandoned: abandoned)
  }

  /// The machine stood still for this long: no source is to blame for that, and closing one that is well would only
  /// make the hole larger.
  mutating func excuse(_ lateness: TimeSpan) {
    current?.phase.excuse(lateness)
    candidate?.phase.excuse(lateness)
    for index in closing.indices { closing[index].end = closing[index].end + lateness }
  }

  private mutating func abandonLateClosings(now: MonotonicInstant) -> [Action] {
    let late = closing.filter { now >= $0.end }
    guard !late.isEmpty else { return [] }
    closing.removeAll { entry in late.contains { $0.id == entry.id } }
    return late.flatMap { [.abandon($0.id), .reportFailed(Self.hang($0.name))] }
  }

  private static func hang(_ name: String) -> String {
    "\(name): the driver does not answer; its thread is left behind"
  }

  private mutating func checkCurrent(now: MonotonicInstant) -> [Action] {
    guard let attempt = current, now >= attempt.deadline else { return [] }
    current = nil
    let (action, reason) = giveUp(attempt, now: now)
    return [action] + currentFailed(attempt, reason, now: now)
  }

  private mutating func checkCandidate(now: MonotonicInstant) -> [Action] {
    guard let attempt = candidate, now >= attempt.deadline else { return [] }
    let (action, reason) = giveUp(attempt, now: now)
    return [action] + candidateFailed(SourceFailure(reason: reason), now: now)
  }

  /// A thread that is still opening hangs; one that waits for frames can be asked to close.
  private mutating func giveUp(_ attempt: VideoSourceAttempt, now: MonotonicInstant) -> (Action, reason: String) {
    if case .opening = attempt.phase { return (.abandon(attempt.id), Self.hang(attempt.name)) }
    let name = attempt.description?.name ?? attempt.name
    let seconds = attempt.silenceLimit.milliseconds / 1_000
    let silence = "no frame for \(seconds) s\(attempt.limits.remedy.map { "; \($0)" } ?? "")"
    let reason = attempt.damage.map { "every frame of the last \(seconds) s \($0.text)" } ?? silence
    return (close(attempt, now: now), "\(name): \(reason)")
  }

  mutating func close(_ attempt: VideoSourceAttempt, now: MonotonicInstant) -> Action {
    closing.append((attempt.id, attempt.description?.name ?? attempt.name, now + attempt.limits.close))
    return .close(attempt.id)
  }

  private mutating func openWhatIsWanted(now: MonotonicInstant, abandoned: Int) -> [Action] {
    // What is closing may be the very device that is wanted next.
    guard closing.isEmpty else { return [] }
    let freeThreads = Self.abandonedLimit - abandoned - (current == nil ? 0 : 1) - (candidate == nil ? 0 : 1)
    var actions: [Action] = []
    if current == nil, !isFinished, now >= retryAt {
      guard freeThreads > 0 else { return waitForThreads(now: now) }
      hasReportedLimit = false
      actions.append(openCurrent(now: now))
    }
    return actions + openCandidate(now: now, hasFreeThread: freeThreads > actions.count)
  }

  private mutating func waitForThreads(now: MonotonicInstant) -> [Action] {
    retryAt = now + .seconds(1)
    guard !hasReportedLimit else { return [] }
    hasReportedLimit = true
    let name = cameras[memory.selected].name
    return [.reportFailed("\(name): not opened until one of the threads that drivers hold returns")]
  }
}
