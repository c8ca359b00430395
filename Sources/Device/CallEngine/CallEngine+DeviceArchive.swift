import Logging
import MediaCore
import MediaPlaneAPI

/// Archives of the device alone: what an unattended camera sees while nobody calls.
extension CallEngine {
  /// Records the device's own sound and pictures until it is told to stop, and returns the archive's id.
  ///
  /// Continuous recording that somebody has stopped begins again with it.
  public func startDeviceArchive() async throws -> String {
    let isContinuous = continuous.resumeByHand()
    do {
      let archiveID = try await beginDeviceArchive()
      if isContinuous { continuous.started(archiveID, now: environment.now()) }
      return archiveID
    } catch {
      if isContinuous { _ = continuous.failed("\(error)", now: environment.now()) }
      throw error
    }
  }

  private func beginDeviceArchive() async throws -> String {
    guard !isStopped else { throw EngineError.stopped }
    let description = ArchiveDescription(
      sessionID: "", callerID: "", callerTitle: "", hasAudio: settings.hasAudio, hasVideo: settings.hasVideo)
    let archiveID = try await environment.media.startArchive(sessionID: "", description: description)
    deviceArchives.insert(archiveID)
    watchers.tell(.archiveStarted(archiveID: archiveID, sessionID: ""))
    return archiveID
  }

  func stopDeviceArchive(_ archiveID: String, reason: ArchiveStopReason = .userInitiated) async {
    continuous.ended(archiveID, byHand: reason == .userInitiated, now: environment.now())
    forgetDeviceArchive(archiveID, status: "stopped")
    await environment.media.stopArchive(archiveID: archiveID, reason: reason)
  }

  func forgetDeviceArchive(_ archiveID: String, status: String) {
    guard deviceArchives.remove(archiveID) != nil else { return }
    watchers.tell(.archiveStopped(archiveID: archiveID, sessionID: "", status: status))
  }

  /// The archives that can be stopped now, of calls and of the device alone.
  public var runningArchives: [String] { currentCalls.compactMap(\.archiveID) + deviceArchives.sorted() }

  // MARK: Continuous recording

  /// Starts and stops the archives of continuous recording that are due.
  func recordContinuously(now: MonotonicInstant) {
    guard !isStopped else { return }
    while let step = continuous.nextStep(now: now) {
      switch step {
      case .start: Task { await startContinuous() }
      case .stop(let archiveID): Task { await stopDeviceArchive(archiveID, reason: .continued) }
      }
    }
  }

  private func startContinuous() async {
    do {
      let archiveID = try await beginDeviceArchive()
      if let problem = continuous.problem {
        logger.notice("continuous recording goes on in archive \(archiveID), after: \(problem)")
      }
      continuous.started(archiveID, now: environment.now())
    } catch {
      if continuous.failed("\(error)", now: environment.now()) {
        logger.error("continuous recording does not run, and is tried again: \(error)")
        watchers.tell(.source(text: "not recorded: \(error)"))
      }
    }
    recordContinuously(now: environment.now())
    rearm()
  }
}
