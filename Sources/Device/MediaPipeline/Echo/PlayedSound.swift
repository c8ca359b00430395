internal import SystemSupport
internal import MediaCore

/// What the loudspeaker plays, or one talker of it, on the monotonic timeline: mono at 48 kHz, the last second. For the echo
/// canceller, and for other talkers.
///
/// The playout thread writes, the audio thread reads.
public final class PlayedSound: Sendable {
  private struct Ring {
    var samples = [Int16](repeating: 0, count: PlayedSound.capacity)
    /// The number of the sample after the last one that was written; samples are numbered from the clock's zero on.
    var end: Int64 = 0
  }

  private static let capacity = 48_000
  private static let rate: Int64 = 48_000

  private let ring = Mutex(Ring())

  public init() {}

  /// The number of the sample that sounds at an instant.
  private static func number(at instant: MonotonicInstant) -> Int64 {
    let (seconds, rest) = max(0, instant.nanoseconds).quotientAndRemainder(dividingBy: 1_000_000_000)
    return seconds * rate + rest * rate / 1_000_000_000
  }

  /// Up to when sound was played, silence included; the clock's zero before any.
  var end: MonotonicInstant {
    let end = ring.withLock { $0.end }
    return MonotonicInstant(nanoseconds: 0) + TimeSpan.seconds(end / Self.rate)
      + TimeSpan.seconds(end % Self.rate) / Self.rate
  }

  /// Takes samples, the first of which sounds at `start`; what lies between them and the last ones is silence.
  func write(_ samples: Span<Int16>, at start: MonotonicInstant) {
    let first = Self.number(at: start)
    ring.withLock { ring in
      let gap = min(max(0, first - ring.end), Int64(Self.capacity))
      for number in (first - gap)..<first { ring.samples[Self.index(number)] = 0 }
      for index in samples.indices { ring.samples[Self.index(first + Int64(index))] = samples[index] }
      ring.end = first + Int64(samples.count)
    }
  }

  /// Copies what sounds from `start` on; silence where nothing is known.
  func read(into samples: UnsafeMutableBufferPointer<Int16>, from start: MonotonicInstant) {
    let first = Self.number(at: start)
    ring.withLock { ring in
      let known = (ring.end - Int64(Self.capacity))..<ring.end
      for index in samples.indices {
        let number = first + Int64(index)
        samples[index] = known.contains(number) ? ring.samples[Self.index(number)] : 0
      }
    }
  }

  private static func index(_ number: Int64) -> Int {
    Int(truncatingIfNeeded: number % Int64(capacity) + Int64(capacity)) % capacity
  }
}
