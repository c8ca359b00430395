internal import MediaCore

/// How much sound should wait to be played, by how unevenly packets have come in the last ten seconds.
///
/// Between the packet that came soonest after its capture and the one that came latest, but for a single straggler, lies
/// what the buffer has to bridge. Both ends are kept a second at a time, so that the target falls again ten seconds after
/// the jitter has gone.
struct PlayoutTarget {
  /// What machines of both sides shift packets by that the network brings evenly.
  static let least = TimeSpan.milliseconds(60)
  /// More delay would spoil the talk; what comes later is concealed.
  static let most = TimeSpan.milliseconds(240)
  /// The packet in hand.
  private static let margin = TimeSpan.milliseconds(20)
  private static let length = TimeSpan.seconds(1)

  private struct Second {
    var soonest = Int64.max
    var latest = Int64.min
  }

  private var seconds = InlineArray<10, Second>(repeating: Second())
  private var index = 0
  private var start = MonotonicInstant(nanoseconds: .min)
  private(set) var value = PlayoutTarget.least

  /// Takes when a packet was captured, on whatever clock, and when it came.
  mutating func note(captured: MonotonicInstant, arrival: MonotonicInstant) {
    if start + Self.length <= arrival { beginSecond(arrival) }
    let lateness = arrival.nanoseconds &- captured.nanoseconds
    seconds[index].soonest = min(seconds[index].soonest, lateness)
    seconds[index].latest = max(seconds[index].latest, lateness)
  }

  private mutating func beginSecond(_ now: MonotonicInstant) {
    update()
    let isStale = start.nanoseconds == .min || now - start > Self.length * Int64(seconds.count)
    if isStale { seconds = InlineArray(repeating: Second()) }
    start = now
    index = (index + 1) % seconds.count
    seconds[index] = Second()
  }

  private mutating func update() {
    var soonest = Int64.max
    var latest = Int64.min
    var second = Int64.min
    for index in seconds.indices {
      soonest = min(soonest, seconds[index].soonest)
      second = max(second, min(latest, seconds[index].latest))
      latest = max(latest, seconds[index].latest)
    }
    guard second >= soonest else { return }
    let spread = TimeSpan(nanoseconds: min(second &- soonest, Self.most.nanoseconds))
    value = min(max(spread + Self.margin, Self.least), Self.most)
  }
}
