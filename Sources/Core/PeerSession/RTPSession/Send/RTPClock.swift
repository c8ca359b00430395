import MediaCore
import RTP

/// Maps the media timeline to one stream's RTP timestamps and, for sender reports, to NTP time.
///
/// NTP time here is the monotonic clock with an arbitrary origin: receivers only relate streams by it, and the wall
/// clock may jump (RFC 3550 §4 allows any reference that the streams share).
struct RTPClock {
  let rate: Int64
  /// Random, RFC 3550 §5.1.
  let offset: UInt32

  func timestamp(at instant: MonotonicInstant) -> UInt32 {
    let seconds = instant.nanoseconds / 1_000_000_000
    let rest = instant.nanoseconds % 1_000_000_000
    return UInt32(truncatingIfNeeded: seconds * rate + (rest * rate + 500_000_000) / 1_000_000_000) &+ offset
  }

  static func ntp(at instant: MonotonicInstant) -> NTPTimestamp {
    // 2,000,000,000 s after 1970 keeps the value clear of zero, which receivers take for "unknown".
    NTPTimestamp(unixNanoseconds: instant.nanoseconds.saturatingAdding(2_000_000_000_000_000_000))
  }
}
