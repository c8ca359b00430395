import MediaCore
import RTP

/// The source that a receiver listens to, and when it may follow another.
///
/// A peer that has changed its track stops the old source. One that sends two at once, or a new one with every packet,
/// is held to the present source: each change costs memory and a key frame.
struct SSRCLatch {
  private static var minimumStay: TimeSpan { .seconds(1) }
  private static var silence: TimeSpan { .milliseconds(200) }

  private(set) var ssrc: SSRC
  private var since: MonotonicInstant
  private(set) var lastPacket: MonotonicInstant
  /// The peer has ended this source (RFC 3550 §6.6).
  private(set) var hasEnded = false

  init(_ ssrc: SSRC, now: MonotonicInstant) {
    self.ssrc = ssrc
    since = now
    lastPacket = now
  }

  /// Notes that a packet of the source arrived.
  mutating func notePacket(now: MonotonicInstant) {
    lastPacket = now
    hasEnded = false
  }

  /// Notes that the source has said goodbye.
  mutating func noteGoodbye() { hasEnded = true }

  /// Changes to `other` if that is allowed now.
  mutating func change(to other: SSRC, now: MonotonicInstant) -> Bool {
    guard now - since >= Self.minimumStay, hasEnded || now - lastPacket >= Self.silence else { return false }
    self = SSRCLatch(other, now: now)
    return true
  }
}
