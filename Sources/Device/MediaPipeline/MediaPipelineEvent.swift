public import MediaCore

/// What control learns from the pipeline.
public enum MediaPipelineEvent: Sendable, Hashable {
  /// A source delivers: the name to configure it by, and a description for people.
  case opened(MediaKind, name: String, description: String)
  /// A source cannot be opened or has stopped delivering; it is tried again until the pipeline stops. Reported once until
  /// it works again or the reason changes.
  case failed(MediaKind, reason: String)
  /// A program that is a source has printed a line for people.
  case printed(MediaKind, line: String)
  /// The source was closed because it is no longer wanted, or because its file has been shown once.
  case closed(MediaKind)
}
