import MediaCore

/// Where the device was at one moment of a recording.
struct TrackPoint: Sendable {
  var fix: PositionFix
  var capturedAt: MonotonicInstant
}
