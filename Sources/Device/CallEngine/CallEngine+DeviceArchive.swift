/// Archives of the device alone: what an unattended camera sees while nobody calls.
extension CallEngine {
  /// Records the device's own sound and pictures until it is told to stop, and returns the archive's id.
  public func startDeviceArchive() async throws -> String {
    guard !isStopped else { throw EngineError.stopped }
    let description = ArchiveDescription(
      sessionID: "", callerID: "", callerTitle: "", hasAudio: settings.hasAudio, hasVideo: settings.hasVideo)
    let archiveID = try await environment.media.startArchive(sessionID: "", description: description)
    deviceArchives.insert(archiveID)
    watchers.tell(.archiveStarted(archiveID: archiveID, sessionID: ""))
    return archiveID
  }

  func stopDeviceArchive(_ archiveID: String) async {
    forgetDeviceArchive(archiveID, status: "stopped")
    await environment.media.stopArchive(archiveID: archiveID, reason: .userInitiated)
  }

  func forgetDeviceArchive(_ archiveID: String, status: String) {
    guard deviceArchives.remove(archiveID) != nil else { return }
    watchers.tell(.archiveStopped(archiveID: archiveID, sessionID: "", status: status))
  }

  /// The archives that can be stopped now, of calls and of the device alone.
  public var runningArchives: [String] { currentCalls.compactMap(\.archiveID) + deviceArchives.sorted() }
}
