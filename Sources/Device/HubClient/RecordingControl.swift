public import Signalling

/// What the hub's requesters may record manually.
public protocol RecordingControl: Sendable {
  /// Starts a recording (true), stops the manual recording (false), or does neither (nil).
  ///
  /// - Parameter requester: nil where the hub's signature has no user.
  /// - Returns: the manual recording then.
  func setRecording(
    _ isWanted: Bool?, for requester: ContentRequester?
  ) async throws(RecordingRefusal) -> RecordingState
}

/// Why the device does not record for a requester: a sentence for that user, in which the device is "it".
public enum RecordingRefusal: Error, Sendable, Equatable {
  case notAllowed(String)
  /// This one may, but it does not work.
  case notPossible(String)
}
