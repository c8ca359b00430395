/// Feeds the watchdog as long as every loop that matters makes progress.
///
/// A timer of its own would keep feeding while the rest hangs. Each loop counts its turns; a ping goes out when *all*
/// counters have advanced since the last one. A loop must therefore turn at least twice in a watchdog interval even
/// when there is nothing to do.
public struct WatchdogFeeder: Sendable {
  /// One loop that must keep running.
  public struct Loop: Sendable {
    public var name: String
    /// Turns so far; any change is progress.
    public var turns: @Sendable () -> UInt64

    public init(name: String, turns: @escaping @Sendable () -> UInt64) {
      self.name = name
      self.turns = turns
    }
  }

  private let loops: [Loop]
  private var turnsAtLastPing: [UInt64?]

  public init(loops: [Loop]) {
    self.loops = loops
    self.turnsAtLastPing = Array(repeating: nil, count: loops.count)
  }

  /// Whether to ping now: every loop has turned since this last said yes. The first call always does.
  public mutating func shouldPing() -> Bool {
    let turns = loops.map { $0.turns() }
    guard zip(turns, turnsAtLastPing).allSatisfy({ $0 != $1 }) else { return false }
    turnsAtLastPing = turns
    return true
  }

  /// The loops that have not turned since ``shouldPing()`` last said yes, for the log.
  public var stalledLoops: [String] {
    zip(loops, turnsAtLastPing).filter { $0.turns() == $1 }.map(\.0.name)
  }

  /// Feeds until the task is cancelled; returns at once without a watchdog.
  ///
  /// Checks four times in an interval, so that one late loop does not cost the service its life.
  public func run(
    _ notifier: SystemdNotifier, clock: some Clock<Duration> = ContinuousClock(),
    onStall: @Sendable ([String]) -> Void = { _ in }
  ) async {
    guard let interval = notifier.watchdogInterval else { return }
    var feeder = self
    var missed = 0
    while !Task.isCancelled {
      if feeder.shouldPing() {
        notifier.watchdog()
        missed = 0
      } else {
        missed += 1
        if missed == 2 { onStall(feeder.stalledLoops) }
      }
      try? await clock.sleep(for: interval / 4)
    }
  }
}
