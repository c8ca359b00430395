import MediaCore

/// Limits key frame requests to the encoder: at most twice a second, but a request that comes too early
/// waits and is not forgotten.
///
/// All viewers pay for a key frame, so one peer's requests are limited beyond that: a few in a row after losses, and
/// one in ``peerInterval`` on the average.
struct KeyFrameRequests {
  private static var interval: TimeSpan { .milliseconds(500) }
  private static var peerInterval: TimeSpan { .milliseconds(2_500) }
  /// How many key frames a peer gets in a row.
  private static var peerBurst: Int64 { 6 }

  private var last: MonotonicInstant?
  /// When a request that waits is due; nil where none does.
  private var due: MonotonicInstant?
  /// When the peer's budget is balanced again.
  private var peerPaidUp = MonotonicInstant(nanoseconds: .min)
  /// Whether the request that waits is the peer's.
  private var isPeers = false

  /// When a request that waits is due.
  var deadline: MonotonicInstant { due ?? .distantFuture }

  private var soonest: MonotonicInstant { last.map { $0 + Self.interval } ?? MonotonicInstant(nanoseconds: .min) }

  /// This side needs a key frame.
  mutating func request() {
    due = soonest
    isPeers = false
  }

  /// The peer has requested a key frame.
  mutating func requestForPeer(now: MonotonicInstant) {
    guard due == nil else { return }
    let credit = Self.peerInterval * (Self.peerBurst - 1)
    due = max(soonest, peerPaidUp > now + credit ? peerPaidUp - credit : now)
    isPeers = true
  }

  /// A key frame was sent: pending requests are served.
  mutating func satisfy() { due = nil }

  /// Whether to ask the encoder now.
  mutating func takeDue(now: MonotonicInstant) -> Bool {
    guard deadline <= now else { return false }
    if isPeers { peerPaidUp = max(peerPaidUp, now) + Self.peerInterval }
    due = nil
    last = now
    return true
  }
}
