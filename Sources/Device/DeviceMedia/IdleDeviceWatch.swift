import MediaCore
import MediaPlaneAPI

/// Looks at the devices that nobody uses: once at the start, at cameras every minute, at sound cards, of which some click when
/// they are opened, every ten minutes, and at what does not work every minute.
struct IdleDeviceWatch: Sendable {
  let probe: DeviceProbing
  let queue: MediaEventQueue
  let clock: MediaClock

  private static let interval = TimeSpan.seconds(60)
  private static let soundRounds = 10

  /// Looks until the task is cancelled.
  ///
  /// - Parameter isIdle: whether nobody uses a device; nil ends it.
  func run(_ isIdle: (MuteTarget) async -> Bool?) async {
    var round = 0
    while !Task.isCancelled {
      for target in MuteTarget.allCases where isDue(target, round) {
        guard let wasIdle = await isIdle(target) else { return }
        guard wasIdle else { continue }
        let problem = await probe(target)
        // Whoever opens the device meanwhile learns more, and is what makes it busy.
        if await isIdle(target) == true { note(problem, target) }
      }
      round += 1
      try? await clock.sleep(Self.interval)
    }
  }

  private func isDue(_ target: MuteTarget, _ round: Int) -> Bool {
    target == .camera || round % Self.soundRounds == 0 || queue.problems.lasts(DevicePart(target))
  }

  private func note(_ problem: String?, _ target: MuteTarget) {
    let part = DevicePart(target)
    guard let problem else { return queue.problems.end(part) }
    guard !queue.problems.lasts(part) else { return }
    queue.tell(.deviceFailed(target, reason: problem))
  }
}
