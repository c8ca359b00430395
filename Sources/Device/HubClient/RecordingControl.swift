public import Signalling

/// What the hub's requesters may record manually.
public protocol RecordingControl: Sendable {
  /// Starts a recording (true), stops the manual recording (false), or does neither (nil).
  ///
  /// - Parameter requester: nil where the hub's signature has no user.
  /// - Returns: the manual recording then.
  func setRecording(
    _ isWanted: Bool?, for requester: ContentRequester?
  ) async throws(RequestRefusal) -> RecordingState
}

/// What the hub's requesters may do with archives.
public protocol ArchiveChanging: Sendable {
  /// Locks, unlocks, renames or deletes an archive.
  ///
  /// - Parameter requester: nil where the hub's signature has no user.
  func change(
    _ archiveID: ArchiveID, _ change: ArchiveChange, for requester: ContentRequester?
  ) async throws(RequestRefusal) -> ArchiveState
}

/// Why the device does not do for a requester what was asked: a sentence for that user, in which the device is "it".
public enum RequestRefusal: Error, Sendable, Equatable {
  case notAllowed(String)
  case notFound(String)
  /// This one may, but it does not work.
  case notPossible(String)
}
