import Logging
import MediaCore
import MediaPlaneAPI
import Signalling

/// Archives of the device alone: what an unattended camera sees while nobody calls, recorded by hand or always.
actor DeviceRecorder {
  private let media: any MediaPlane
  private let watchers: EventWatchers
  private let logger: Logger
  private let now: @Sendable () -> MonotonicInstant
  private let loop = ControlLoop(longestRest: .seconds(60))
  private var archives: Set<ArchiveID> = []
  private(set) var continuous = ContinuousRecording()
  private var kinds: Set<MediaKind>
  private var isStopped = false

  init(_ environment: EngineEnvironment, _ settings: EngineSettings, watchers: EventWatchers) {
    media = environment.media
    logger = environment.logger
    now = environment.now
    self.watchers = watchers
    kinds = settings.ownMedia
    continuous.setWanted(settings.recordsAlways, now: now())
  }

  /// Takes over settings: what the device has, and whether it is recorded always.
  func apply(_ settings: EngineSettings) {
    kinds = settings.ownMedia
    continuous.setWanted(settings.recordsAlways, now: now())
    tick()
  }

  /// Sees to continuous recording until the task is cancelled.
  func run() async {
    while !Task.isCancelled {
      tick()
      await loop.rest(until: continuous.nextDeadline ?? .distantFuture, now: now())
    }
  }

  /// Starts no further archive; those that run end with the media plane.
  func stop() { isStopped = true }

  /// Starts and stops the archives of continuous recording that are due.
  func tick() {
    guard !isStopped else { return }
    while let step = continuous.nextStep(now: now()) {
      switch step {
      case .start: Task { await startContinuous() }
      case .stop(let archiveID): Task { await stop(archiveID, reason: .continued) }
      }
    }
    loop.wake(by: continuous.nextDeadline)
  }

  private func startContinuous() async {
    do {
      let archiveID = try await begin()
      if let problem = continuous.problem {
        logger.notice("continuous recording goes on in archive \(archiveID), after: \(problem)")
      }
      continuous.started(archiveID, now: now())
    } catch {
      if continuous.failed("\(error)", now: now()) {
        logger.error("continuous recording does not run, and is tried again: \(error)")
        watchers.notify(.source(text: "not recorded: \(error)"))
      }
    }
    tick()
  }

  // MARK: Somebody at the device

  /// The archives that run.
  var archiveIDs: [ArchiveID] { archives.sorted() }

  /// Records until it is told to stop, and returns the archive's id.
  ///
  /// Continuous recording that somebody has stopped begins again with it.
  func start() async throws -> ArchiveID {
    let isContinuous = continuous.resumeByHand()
    do {
      let archiveID = try await begin()
      if isContinuous { continuous.started(archiveID, now: now()) }
      tick()
      return archiveID
    } catch {
      if isContinuous { _ = continuous.failed("\(error)", now: now()) }
      tick()
      throw error
    }
  }

  private func begin() async throws -> ArchiveID {
    guard !isStopped else { throw EngineError.stopped }
    let description = ArchiveDescription(
      sessionID: nil, callerID: "", callerTitle: "", hasAudio: kinds.contains(.audio), hasVideo: kinds.contains(.video))
    let archiveID = try await media.startArchive(description)
    archives.insert(archiveID)
    watchers.notify(.archiveStarted(archiveID: archiveID, sessionID: nil))
    return archiveID
  }

  /// Stops an archive; returns false for one that is not the device's own.
  @discardableResult
  func stop(_ archiveID: ArchiveID, reason: ArchiveStopReason = .userInitiated) async -> Bool {
    guard archives.contains(archiveID) else { return false }
    continuous.ended(archiveID, byHand: reason == .userInitiated, now: now())
    forget(archiveID, status: .stopped)
    await media.stopArchive(archiveID: archiveID, reason: reason)
    return true
  }

  /// An archive has stopped by itself; returns false for one that is not the device's own.
  func stoppedByItself(_ archiveID: ArchiveID, status: ArchiveStatus) -> Bool {
    guard archives.contains(archiveID) else { return false }
    continuous.ended(archiveID, byHand: false, now: now())
    forget(archiveID, status: status)
    tick()
    return true
  }

  private func forget(_ archiveID: ArchiveID, status: ArchiveStatus) {
    guard archives.remove(archiveID) != nil else { return }
    watchers.notify(.archiveStopped(archiveID: archiveID, sessionID: nil, status: status))
  }
}
