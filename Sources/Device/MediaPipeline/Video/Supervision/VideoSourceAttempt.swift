internal import MediaCore

/// One thread that opens a source, delivers and closes it, as ``VideoSourceSupervisor`` sees it.
struct VideoSourceAttempt {
  enum Purpose: Hashable {
    case show, swap
    /// Searching for a camera in place of test bars.
    case scan
  }

  enum Phase: Hashable {
    case opening(since: MonotonicInstant)
    case waiting(since: MonotonicInstant)
    case delivering(last: MonotonicInstant)

    mutating func excuse(_ lateness: TimeSpan) {
      switch self {
      case .opening(let since): self = .opening(since: since + lateness)
      case .waiting(let since): self = .waiting(since: since + lateness)
      case .delivering(let last): self = .delivering(last: last + lateness)
      }
    }
  }

  let id: Int
  /// Of its camera.
  let index: Int
  let purpose: Purpose
  let name: String
  var description: VideoSourceDescription?
  var phase: Phase
  /// When its first frame came.
  var deliveringSince: MonotonicInstant?
  /// Frames have come since the last good one, and none could be shown; why the last one could not.
  var damage: FrameDamage?

  /// It is open; a source that learns its size meanwhile has been waited for before.
  mutating func wait(since now: MonotonicInstant) {
    if case .opening = phase { phase = .waiting(since: now) }
  }

  var isDelivering: Bool {
    if case .delivering = phase { return true }
    return false
  }

  /// When the attempt has failed if nothing happens before.
  var deadline: MonotonicInstant {
    switch phase {
    case .opening(let since): since + VideoSourceSupervisor.openLimit
    case .waiting(let since), .delivering(let since): since + silenceLimit
    }
  }

  /// At least the time of three frames.
  var silenceLimit: TimeSpan {
    max(isDelivering ? limits.stall : limits.start, (description?.interval ?? .zero) * 3)
  }

  var limits: SourceLimits { description?.limits ?? .device }
}
