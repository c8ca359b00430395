import Archive

/// Where a store has come with an object of several parts; kept for the time after an interruption.
struct PartsMemory: Sendable {
  /// What an earlier attempt has noted about this very object.
  var begun: ArchiveUploadRecord.Parts?
  /// Keeps it on the disk; nil forgets it.
  var note: @Sendable (_ uploadID: String?, _ partSize: UInt64) async throws -> Void
}

/// A place outside of the device that takes objects.
protocol RemoteStore: Sendable {
  /// Sends an object. Returns when the store has confirmed that it has all of it.
  ///
  /// - Throws: ``UploadFailure``, and what reading the content throws.
  func put(_ object: UploadObject, _ memory: PartsMemory) async throws
  /// Has the store forget an object that was begun.
  func abandon(_ uploadID: String, of key: String) async throws
  /// Finds out whether objects would be taken; leaves none.
  func probe() async throws
  /// Ends connections.
  func shutdown() async
}
