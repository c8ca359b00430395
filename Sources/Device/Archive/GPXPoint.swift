import MediaCore

/// Where the device was at one moment of a recording.
struct GPXPoint: Sendable {
  var fix: PositionFix
  var capturedAt: MonotonicInstant
}
