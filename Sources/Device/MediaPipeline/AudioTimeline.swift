internal import MediaCore

/// Gives sound packets continuous timestamps that follow the capture device's own.
///
/// A device stamps with jitter, and its clock drifts against CLOCK_MONOTONIC; each packet follows the last by its
/// length, corrected by a small part of the difference. Only a real gap makes a step, and never backwards.
struct AudioTimeline {
  private let packet: TimeSpan
  private(set) var next: MonotonicInstant?

  /// Differences above this are gaps: sound was lost, or the device was opened anew.
  private static let gap = TimeSpan.milliseconds(60)
  /// One part in so many of a difference is corrected with each packet.
  private static let damping: Int64 = 32

  init(packet: TimeSpan) { self.packet = packet }

  /// The timestamp of the next packet, whose first sample was captured at `measured`.
  mutating func advance(measured: MonotonicInstant) -> MonotonicInstant {
    let timestamp = corrected(measured)
    next = timestamp + packet
    return timestamp
  }

  private func corrected(_ measured: MonotonicInstant) -> MonotonicInstant {
    guard let next else { return measured }
    let difference = measured - next
    if difference > Self.gap { return measured }
    // A stamp far back, as after a silence that ran ahead, slows time down but never turns it back.
    return next + max(difference, Self.gap * -1) / Self.damping
  }
}
