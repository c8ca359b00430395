import Archive
public import MediaPlaneAPI
public import MediaCore
import MediaPipeline
import NetworkLoop
import RealtimeRuntime

extension DeviceMedia {
  /// The device's own stream in an archive.
  static var localStreamID: String { "device" }

  public func startArchive(sessionID: String, description: ArchiveDescription) async throws -> String {
    let id = makeArchiveID()
    let recorder = try await makeRecorder(id, sessionID: sessionID, description: description)
    do {
      guard !isShutDown else { throw CancellationError() }
      try attachStreams(to: recorder, sessionID: sessionID, description: description)
    } catch {
      _ = await recorder.stop(reason: "error")
      throw error
    }
    return id.text
  }

  private func makeRecorder(
    _ id: ArchiveID, sessionID: String, description: ArchiveDescription
  ) async throws -> ArchiveRecorder {
    do {
      return try await openRecorder(id, sessionID: sessionID, description: description)
    } catch {
      retention?.recordingFailed()
      throw error
    }
  }

  /// Makes the folder on a thread of its own: a disk that hangs holds up this recording, and no status or call.
  private func openRecorder(
    _ id: ArchiveID, sessionID: String, description: ArchiveDescription
  ) async throws -> ArchiveRecorder {
    let details = ArchiveDetails(
      sessionID: description.sessionID, callerID: description.callerID.isEmpty ? nil : description.callerID,
      policyRule: description.policyRule, hasAudio: description.hasAudio, hasVideo: description.hasVideo)
    let store = archiveStore
    // A call cannot take all the room there is; what is recorded of the device alone may.
    let limits = sessions[sessionID] == nil ? nil : configuration.limits
    let archive = configuration.archive
    let onEvent: @Sendable (ArchiveEvent) -> Void = { [weak self] event in
      Task { await self?.handle(event) }
    }
    return try await DiskThread.run {
      var configuration = archive
      configuration.maximumByteCount = limits?.share(in: store)
      return try ArchiveRecorder(id, in: store, details: details, configuration: configuration, onEvent: onEvent)
    }
  }

  /// Returns when the archive is complete, after a second at the latest: a slow disk completes it afterwards.
  public func stopArchive(archiveID: String, reason: ArchiveStopReason) async {
    await beginEnding(archiveID, reason)?.value(within: .seconds(1))
  }

  private func beginEnding(_ archiveID: String, _ reason: ArchiveStopReason) -> Task<Void, Never>? {
    guard let archive = archives.removeValue(forKey: archiveID) else { return nil }
    detach(archive)
    let recorder = archive.recorder
    let ending = Task {
      _ = await recorder.stop(reason: reason.rawValue)
      endings[archiveID] = nil
    }
    endings[archiveID] = ending
    return ending
  }

  /// Stops all archives and waits until they are complete, but no longer than systemd would.
  func endArchives() async {
    for archiveID in Array(archives.keys) { _ = beginEnding(archiveID, .sessionEnded) }
    let endings = Array(endings.values)
    let ending = Task { for ending in endings { await ending.value } }
    await ending.value(within: .seconds(20))
  }

  public func notePosition(_ fix: PositionFix) async {
    for archive in archives.values { archive.recorder.addPosition(fix) }
  }

  private func makeArchiveID() -> ArchiveID {
    let text = (0..<2).map { _ in
      let digits = String(UInt64.random(in: .min ... .max), radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }
    // 32 hexadecimal digits are always a safe name.
    return ArchiveID(text.joined())!
  }

  /// Both parties, one file each.
  private func attachStreams(
    to recorder: ArchiveRecorder, sessionID: String, description: ArchiveDescription
  ) throws {
    let published = sessions[sessionID]?.publish ?? devices.available
    var kinds: Set<MediaKind> = []
    if description.hasAudio { kinds.insert(.audio) }
    if description.hasVideo { kinds.insert(.video) }
    kinds.formIntersection(published)
    let pipeline = pipeline
    let network = network
    let local = try recorder.addStream(
      ArchiveStreamDescription(
        streamID: Self.localStreamID, connectionData: "device", hasAudio: kinds.contains(.audio),
        hasVideo: kinds.contains(.video)),
      preRoll: preRoll
    ) { pipeline.requestKeyFrame() }
    try acquire(kinds)
    bus.attach(local)
    pipeline.requestKeyFrame()
    if sessions[sessionID] != nil {
      let remote = try recorder.addStream(
        ArchiveStreamDescription(
          streamID: description.receiverID == nil ? "caller" : "receiver",
          connectionData: description.receiverID ?? description.callerID, hasAudio: description.hasAudio,
          hasVideo: description.hasVideo, maximumBitrate: configuration.callerMaximumBitrate)
      ) { network.requestKeyFrame(sessionID: sessionID) }
      network.setRecorder(remote, sessionID: sessionID)
    }
    archives[recorder.id.text] = RunningArchive(recorder: recorder, sessionID: sessionID, local: local, kinds: kinds)
    retention?.recordingStarted()
    boundKeyFrames()
  }

  private func detach(_ archive: RunningArchive) {
    bus.detach(archive.local)
    network.setRecorder(nil, sessionID: archive.sessionID)
    retention?.recordingEnded()
    boundKeyFrames()
    releaseUnused()
  }

  /// Begins to keep the archives within their limits.
  func startKeeper() {
    let continuation = continuation
    do {
      retention = try RetentionThread(
        RetentionJob(store: archiveStore, limits: configuration.limits), watch: folderWatch
      ) { keeping in
        continuation.yield(.sourceStatus(text: "\(keeping)", isProblem: keeping.isProblem))
      } onFolderChange: { change in
        continuation.yield(.sourceStatus(text: change.line, isProblem: true))
      }
    } catch {
      continuation.yield(
        .sourceStatus(text: "archives are not kept within their limits: \(error)", isProblem: true))
    }
  }

  // MARK: What hangs on key frames

  /// Seeking, segments and the pre-roll need a key frame at least so often.
  private static let keyFrameInterval = TimeSpan.seconds(4)

  private func boundKeyFrames() {
    pipeline.setKeyFrameInterval(archives.isEmpty && preRoll == nil ? nil : Self.keyFrameInterval)
  }

  /// Opens the devices and keeps their last seconds from now on, if that is wanted.
  func startPreRoll() {
    guard configuration.preRoll > .zero, !devices.available.isEmpty else { return }
    do {
      let pipeline = pipeline
      let preRoll = try PreRoll(span: configuration.preRoll) { pipeline.requestKeyFrame() }
      bus.attach(preRoll.inbox)
      self.preRoll = preRoll
      boundKeyFrames()
      try acquire(devices.available)
    } catch {
      continuation.yield(.sourceStatus(text: "there is no pre-roll: \(error)", isProblem: true))
    }
  }

  func stopPreRoll() {
    guard let preRoll else { return }
    bus.detach(preRoll.inbox)
    self.preRoll = nil
    boundKeyFrames()
    releaseUnused()
  }

  /// Lets go of the streams of an archive that ended by itself; one that was stopped is forgotten already.
  private func handle(_ event: ArchiveEvent) {
    switch event {
    case .started: break
    case .fellBehind(let manifest, let droppedFrames):
      continuation.yield(
        .sourceStatus(
          text: "archive \(manifest.id): the disk is too slow: \(droppedFrames) frames lost so far", isProblem: true))
    case .exceededRate(let manifest, let streamID):
      continuation.yield(
        .sourceStatus(
          text: "archive \(manifest.id): the \(streamID) sends more than caller_max_bitrate "
            + "(\(configuration.callerMaximumBitrate.bitsPerSecond / 1_000) kbit/s): pictures are left out of the recording",
          isProblem: true))
    case .stopped(let manifest):
      guard archives[manifest.id] != nil else { return }
      continuation.yield(
        .sourceStatus(text: "archive \(manifest.id): \(manifest.reason) in \(archiveStore.root)", isProblem: true))
      forget(manifest, status: manifest.status.rawValue, reason: manifest.reason)
    case .failed(let manifest, let error):
      continuation.yield(.sourceStatus(text: "archive \(manifest.id): \(error)", isProblem: true))
      retention?.recordingFailed()
      forget(manifest, status: "failed", reason: "\(error)")
    }
  }

  private func forget(_ manifest: ArchiveManifest, status: String, reason: String) {
    guard let archive = archives.removeValue(forKey: manifest.id) else { return }
    detach(archive)
    continuation.yield(
      .archiveStopped(archiveID: manifest.id, sessionID: archive.sessionID, status: status, reason: reason))
  }
}

extension ArchiveFolderWatch.Change {
  /// For the log.
  fileprivate var line: String {
    switch self {
    case .broken(let problem): "the archives' folder is not in order: \(problem)"
    case .mended: "the archives' folder is in order again"
    }
  }
}
