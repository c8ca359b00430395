import MediaCore

/// How much the delay swings by itself, as on radio links and past busy machines.
///
/// A queue of this stream's own drains no faster than the link sends. Where packets that were sent apart arrive almost
/// together, faster than the stream flows, something held them up and let them go; by how much the delay falls then is
/// noise, not a queue.
struct DelayNoise {
  /// Arrivals this much closer than the packets were sent, in percent of the time between.
  private static var compression: Int64 { 40 }
  /// Against that rate.
  private static var swiftness: Double { 1.6 }
  /// The weight of early arrivals.
  private static var weight: Int64 { 3 }
  private static var maximum: TimeSpan { .milliseconds(250) }
  private static var halfLife: TimeSpan { .seconds(8) }

  private var peak: (sent: TimeSpan, arrived: TimeSpan)?
  /// Octets since the peak.
  private var octets = 0
  private var extent = TimeSpan.zero
  private var heldSince = TimeSpan.zero

  /// Takes a packet; `rate` is what arrives on the average, or what the path is known to take, in bits a second.
  mutating func add(sent: TimeSpan, arrived: TimeSpan, byteCount: Int, drainingAt rate: Double) {
    guard let begun = peak else { return begin(sent, arrived) }
    let sending = sent - begun.sent
    let arriving = arrived - begun.arrived
    // An overtaken packet is a sign of reordering.
    guard sending >= .zero, arriving >= .zero else { return }
    guard arriving * 100 <= sending * Self.compression else {
      return begin(sent, arrived)
    }
    octets += byteCount
    let draining = Double(octets) * 8 / rate
    guard draining > Self.swiftness * arriving.seconds else { return }
    // A queue would have needed `draining` for as much; a little less than that shows little noise.
    let excess = TimeSpan(seconds: min(draining - arriving.seconds, 1))
    note(min(sending - arriving, excess * Self.weight, Self.maximum), at: arrived)
  }

  private mutating func begin(_ sent: TimeSpan, _ arrived: TimeSpan) {
    peak = (sent, arrived)
    octets = 0
  }

  private mutating func note(_ fall: TimeSpan, at time: TimeSpan) {
    guard fall >= allowance(at: time) else { return }
    extent = fall
    heldSince = time
  }

  /// The noise bound at `time`: the largest swing, half as much after each half-life.
  func allowance(at time: TimeSpan) -> TimeSpan {
    let age = max(0, (time - heldSince).seconds)
    return TimeSpan(seconds: extent.seconds / (1 + age / Self.halfLife.seconds))
  }
}
