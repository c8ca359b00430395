import MediaCore

/// The wall clock as far as anything may be deleted by it.
///
/// Between steps it goes with the time since boot. A step back counts at once, since it makes everything younger. A step
/// forward counts once it has held for ``hold``: a time server, a receiver or an operator that is wrong is corrected by
/// then, and nothing has been deleted. How long the device was off only the wall clock knows, so that a boot begins with such a
/// step; what it had held for counts on if the clock of the next boot continues from there.
struct SettledClock: Sendable, Hashable {
  /// Both clocks at one moment.
  struct Reading: Sendable, Hashable {
    /// Milliseconds since 1970.
    var wallClock: Int64
    /// Whether the kernel calls the wall clock synchronised.
    var isSynchronized: Bool
    /// Milliseconds since boot, those included that the machine slept.
    var sinceBoot: Int64
  }

  private struct Step: Sendable, Hashable {
    /// Milliseconds of the wall clock when the machine booted.
    var offset: Int64
    /// Milliseconds.
    var held: Int64
    /// Milliseconds since boot.
    var seenAt: Int64
    /// Of the boot before: whether the clock continues from there is known once it is synchronised.
    var isCarried = false
  }

  /// How long a step forward has to hold.
  static let hold = TimeSpan.seconds(3_600)
  /// Milliseconds: less is a clock that is being slewed, or a second that was put in.
  private static let tolerance: Int64 = 10_000

  private var settled: Int64?
  private var step: Step?

  init() {}

  /// Whether a step forward is waited for.
  var isWaiting: Bool { step != nil }

  /// Whether it was set, or waits for another step; being slewed and holding on do not count.
  func differs(from other: SettledClock) -> Bool {
    settled.distance(from: other.settled) > Self.tolerance || step?.offset != other.step?.offset
  }

  /// - Returns: milliseconds since 1970 by which things may be deleted; `nil` while nothing can be said.
  mutating func update(_ reading: Reading) -> Int64? {
    guard reading.isSynchronized else { return nil }
    note(reading.wallClock.saturatingSubtracting(reading.sinceBoot), at: reading.sinceBoot)
    return settled.map { $0.saturatingAdding(reading.sinceBoot) }
  }

  private mutating func note(_ offset: Int64, at time: Int64) {
    if let settled, offset <= settled.saturatingAdding(Self.tolerance) { return settle(offset) }
    if let carried = step, carried.isCarried {
      step = offset >= carried.offset ? Step(offset: offset, held: carried.held, seenAt: time) : nil
    }
    guard var current = step, current.offset.distance(from: offset) <= Self.tolerance else {
      return step = Step(offset: offset, held: 0, seenAt: time)
    }
    current.held = current.held.saturatingAdding(max(0, time.saturatingSubtracting(current.seenAt)))
    current.seenAt = time
    if current.held >= Self.hold.milliseconds { settle(offset) } else { step = current }
  }

  private mutating func settle(_ offset: Int64) { (settled, step) = (offset, nil) }
}

// MARK: - After a restart

extension SettledClock {
  /// What has to be known after a restart: `<boot> <since boot> <settled> <step> <held>`, where `-` stands for nothing.
  func text(boot: String, sinceBoot: Int64) -> String {
    let numbers = [sinceBoot, settled, step?.offset, step?.held].map { $0.map { String($0) } ?? "-" }
    return ([boot] + numbers).joined(separator: " ") + "\n"
  }

  /// Takes up what an earlier run wrote; anything else counts as nothing.
  ///
  /// - Parameter boot: the id of the present boot.
  init(text: String, boot: String, now: Reading) {
    let parts = text.split(whereSeparator: \.isWhitespace)
    guard parts.count == 5, let writtenAt = Int64(parts[1]) else { return }
    settled = Int64(parts[2])
    if let offset = Int64(parts[3]), let held = Int64(parts[4]) {
      step = Step(offset: offset, held: max(0, held), seenAt: writtenAt)
    }
    if parts[0] != boot { reboot(writtenAt: writtenAt, now) }
  }

  /// Time stands still between two boots, as far as the settled clock knows.
  private mutating func reboot(writtenAt: Int64, _ now: Reading) {
    settled = settled.map { $0.saturatingAdding(writtenAt).saturatingSubtracting(now.sinceBoot) }
    step = step.map { before in
      Step(
        offset: before.offset.saturatingAdding(writtenAt).saturatingSubtracting(now.sinceBoot), held: before.held,
        seenAt: now.sinceBoot, isCarried: true)
    }
  }
}

extension Int64? {
  fileprivate func distance(from other: Int64?) -> Int64 {
    guard let self, let other else { return self == other ? 0 : .max }
    return self.distance(from: other)
  }
}

extension Int64 {
  fileprivate func distance(from other: Int64) -> Int64 {
    self > other ? saturatingSubtracting(other) : other.saturatingSubtracting(self)
  }
}
