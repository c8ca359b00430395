import CLinux
import Glibc

/// How the process keeps memory.
public enum ProcessMemory {
  /// Has large blocks (encoders, rings) given back to the kernel when they are freed; call once, at the start.
  ///
  /// glibc otherwise raises its thresholds with the first large block that is freed, and a device that has recorded once
  /// keeps some 20 MB permanently.
  public static func keepLittle() { ls_keep_little_freed_memory() }

  /// Releases what bursts leave behind (calls that ended, floods of messages), until the task is cancelled.
  ///
  /// Small blocks that stay allocated keep the freed ones around them from the kernel, so this needs an explicit call.
  /// Others cannot allocate for some milliseconds then; media threads do not allocate. Even checking takes the longer
  /// the more there is, so it is done the more rarely (``TrimSchedule/stepsBetween(resident:)``).
  public static func returnFreedMemory(every interval: Duration = .seconds(5)) async {
    var memory = FreedMemory()
    while (try? await Task.sleep(for: interval)) != nil { memory.check() }
  }

  /// Bytes of the process that are in memory; nil where the kernel does not say.
  public static var residentBytes: UInt64? {
    guard let file = try? PrivateFile.read("/proc/self/statm", limit: 128) else { return nil }
    let fields = String(decoding: file.octets, as: UTF8.self).split(separator: " ")
    guard fields.count > 1, let pages = UInt64(fields[1]) else { return nil }
    return pages * UInt64(sysconf(Int32(_SC_PAGESIZE)))
  }
}

/// Releases freed memory, for callers with their own timer.
public struct FreedMemory: Sendable {
  private var schedule = TrimSchedule()
  private var stepsLeft = 1

  public init() {}

  /// Checks whether there is memory to release; call it every few seconds. For a large process it skips more calls.
  public mutating func check() {
    stepsLeft -= 1
    guard stepsLeft <= 0, let resident = ProcessMemory.residentBytes else { return }
    stepsLeft = TrimSchedule.stepsBetween(resident: resident)
    guard schedule.isDue(freed: UInt64(ls_freed_memory()), resident: resident) else { return }
    ls_return_freed_memory()
    schedule.trimmed(freed: UInt64(ls_freed_memory()), resident: ProcessMemory.residentBytes ?? resident)
  }
}

/// Decides when freed memory is worth giving back: when there is much of it, and the process has grown since the last time
/// or has freed much since then, or a little and a while ago. Released memory still counts as freed, so that by itself
/// says nothing.
struct TrimSchedule {
  /// Much, for a process of less than ``large``; for a larger one much is one part in ``share`` of it.
  static let threshold: UInt64 = 2 << 20
  static let large: UInt64 = 64 << 20
  static let share: UInt64 = 16
  /// Worth a trim after ``maxChecks``.
  static let little: UInt64 = 256 << 10
  /// Checks since the last trim.
  static let maxChecks = 12

  /// The resident size after the last trim, or less if it has shrunk since.
  private var residentFloor: UInt64?
  /// The least that counted as freed since the last time.
  private var freedFloor: UInt64?
  private var checks = 0

  mutating func isDue(freed: UInt64, resident: UInt64) -> Bool {
    let residentFloor = min(residentFloor ?? resident, resident)
    let freedFloor = min(freedFloor ?? freed, freed)
    (self.residentFloor, self.freedFloor) = (residentFloor, freedFloor)
    checks += 1
    guard freed >= Self.threshold else { return false }
    // The last time may have come while a burst was at its height: its later frees make nothing grow.
    let change = max(resident - residentFloor, freed - freedFloor)
    let least = resident < Self.large ? 0 : resident / Self.share
    return change >= max(least, checks > Self.maxChecks ? Self.little : Self.threshold)
  }

  /// How many intervals to wait for the next check: one more for each ``large`` in memory, up to twelve.
  static func stepsBetween(resident: UInt64) -> Int { Int(min(12, 1 + resident / Self.large)) }

  /// Memory was given back.
  ///
  /// - Parameter freed: what counts as freed right after it. What a burst frees before the next check is then not taken
  ///   for older memory.
  mutating func trimmed(freed: UInt64, resident: UInt64) {
    residentFloor = resident
    freedFloor = freed
    checks = 0
  }
}
