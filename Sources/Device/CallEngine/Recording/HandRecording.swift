import MediaCore

/// What somebody has the device record by hand.
struct HandRecording: Sendable, Hashable {
  var isRecording: Bool
  /// For how long it goes on, unless somebody stops it before; nil where nothing ends it by itself.
  var left: TimeSpan?
  /// Why nothing is written just now, which is tried again; nil while all is well.
  var problem: String?
}

/// Why no archive can be begun, in the words of the last try.
struct RecordingFailure: Error, CustomStringConvertible {
  var description: String
}
