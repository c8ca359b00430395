import Glibc
import RealtimeRuntime
import SystemSupport

/// The clock by which things on the device become too old; see ``SettledClock``. It survives a restart of the daemon.
///
/// Safe from any thread.
public final class RetentionClock: Sendable {
  fileprivate struct State {
    var clock: SettledClock
    var noted: SettledClock
    /// Milliseconds since boot.
    var notedAt: Int64
  }

  private let path: String?
  private let boot: String
  private let read: @Sendable () -> SettledClock.Reading
  private let state: Mutex<State>

  /// How often it is noted what a step has held for. Milliseconds.
  fileprivate static let interval: Int64 = 600_000

  /// - Parameter path: of the file that keeps the clock over a restart; `nil` for none.
  public convenience init(path: String?) {
    self.init(path: path, boot: SettledClock.boot) { .now() }
  }

  init(path: String?, boot: String, read: @escaping @Sendable () -> SettledClock.Reading) {
    (self.path, self.boot, self.read) = (path, boot, read)
    let reading = read()
    let file = path.flatMap { try? PrivateFile.read($0, limit: 256) }
    let text = String(decoding: file?.octets ?? [], as: UTF8.self)
    let clock = SettledClock(text: text, boot: boot, now: reading)
    state = Mutex(State(clock: clock, noted: clock, notedAt: reading.sinceBoot))
  }

  /// Milliseconds since 1970 by which things may be deleted; `nil` while nothing can be said. Waits for nothing.
  public func now() -> Int64? {
    let reading = read()
    return state.withLock { $0.clock.update(reading) }
  }

  /// Writes down what has to survive a restart, if that is new; then it waits for the disk. A file that is lost costs an hour
  /// without deletions.
  func save() {
    guard let path else { return }
    let reading = read()
    guard let text = state.withLock({ $0.text(boot, at: reading.sinceBoot) }) else { return }
    try? PrivateFile.replace(path, with: Array(text.utf8))
  }

  /// What a boot is called, and how long it has lasted.
  var moment: BootMoment { BootMoment(boot: boot, milliseconds: read().sinceBoot) }
}

/// A moment within one boot.
struct BootMoment: Sendable, Hashable {
  var boot: String
  /// Since the machine booted, those included that it slept.
  var milliseconds: Int64
}

extension RetentionClock.State {
  /// Nil where nothing has changed that is worth a flush.
  fileprivate mutating func text(_ boot: String, at time: Int64) -> String? {
    let isDue = clock.isWaiting && time - notedAt >= RetentionClock.interval
    guard isDue || clock.differs(from: noted) else { return nil }
    (noted, notedAt) = (clock, time)
    return clock.text(boot: boot, sinceBoot: time)
  }
}

extension SettledClock {
  /// The kernel's id of this boot.
  static var boot: String {
    let file = try? PrivateFile.read("/proc/sys/kernel/random/boot_id", limit: 64)
    return String(decoding: file?.octets.prefix { $0 != UInt8(ascii: "\n") } ?? [], as: UTF8.self)
  }
}

extension SettledClock.Reading {
  static func now() -> Self {
    var time = timespec()
    clock_gettime(CLOCK_BOOTTIME, &time)
    return Self(
      wallClock: wallClockMilliseconds(), isSynchronized: WallClock.isSynchronized,
      sinceBoot: Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000)
  }
}
