internal import MediaCore

/// Extends a stream's 32-bit RTP timestamps, and distinguishes a jump by the sender from jitter.
///
/// A single packet that jumps is dropped; a second one close to it shows that the sender has restarted, as RFC 3550
/// appendix A.1 does for sequence numbers.
struct StreamClock {
  enum Verdict { case follows(Int64), restarts(Int64), leaps }

  /// How late packets may be, and how slow their clock: 2 s.
  private static let maxTicks: Int64 = 96_000
  /// How early packets may be: 500 ms. The network delays packets, it does not hurry them.
  private static let maxEarly: Int64 = 24_000

  private var last: (ticks: Int64, arrival: MonotonicInstant)?
  private var suspect: UInt32?

  /// Ticks of 48 kHz in a span of time.
  static func ticks(_ span: TimeSpan) -> Int64 { Int64(saturating: span.seconds * 48_000) }

  /// Ticks as nanoseconds.
  static func nanoseconds(_ ticks: Int64) -> Int64 { ticks / 48 &* 1_000_000 &+ ticks % 48 &* 1_000_000 / 48 }

  mutating func extend(_ timestamp: UInt32, arrival: MonotonicInstant) -> Verdict {
    guard let last else {
      self.last = (Int64(timestamp), arrival)
      return .follows(Int64(timestamp))
    }
    let step = Int64(Int32(bitPattern: timestamp &- UInt32(truncatingIfNeeded: last.ticks)))
    guard isPlausible(step, after: arrival - last.arrival) else { return leap(to: timestamp, arrival) }
    suspect = nil
    let ticks = last.ticks &+ step
    if step > 0 { self.last = (ticks, arrival) }
    return .follows(ticks)
  }

  /// Long silence shows in both clocks, a backlog only in the arrival.
  private func isPlausible(_ step: Int64, after span: TimeSpan) -> Bool {
    guard step > 0 else { return step > -Self.maxTicks }
    let early = step.saturatingSubtracting(Self.ticks(span))
    return early < Self.maxEarly && (step < Self.maxTicks || early > -Self.maxTicks)
  }

  private mutating func leap(to timestamp: UInt32, _ arrival: MonotonicInstant) -> Verdict {
    let isSecond = suspect.map { abs(Int64(Int32(bitPattern: timestamp &- $0))) < Self.maxTicks } ?? false
    suspect = isSecond ? nil : timestamp
    guard isSecond else { return .leaps }
    last = (Int64(timestamp), arrival)
    return .restarts(Int64(timestamp))
  }
}
