import MediaCore

/// A manual recording.
struct HandRecording: Sendable, Hashable {
  var isRecording: Bool
  /// How much longer it runs, unless it is stopped before; nil where nothing ends it by itself.
  var left: TimeSpan?
  /// Why nothing is written just now, which is tried again; nil while all is well.
  var problem: String?
}

/// Why no archive can be begun, as the last try reported it.
struct RecordingFailure: Error, CustomStringConvertible {
  var description: String
}
