import Archive
public import CallEngine
public import MediaCore
import MediaPipeline
import NetworkLoop
import RealtimeRuntime

extension DeviceMedia {
  /// The device's own stream in an archive.
  static var localStreamID: String { "device" }

  public func startArchive(sessionID: String, description: ArchiveDescription) async throws -> String {
    let id = makeArchiveID()
    let recorder = try ArchiveRecorder(
      id, in: archiveStore,
      details: ArchiveDetails(
        sessionID: description.sessionID, callerID: description.callerID.isEmpty ? nil : description.callerID,
        policyRule: description.policyRule,
        hasAudio: description.hasAudio, hasVideo: description.hasVideo),
      configuration: configuration.archive
    ) { [weak self] event in
      Task { await self?.handle(event) }
    }
    do {
      try attachStreams(to: recorder, sessionID: sessionID, description: description)
    } catch {
      _ = await recorder.stop(reason: "error")
      throw error
    }
    return id.text
  }

  public func stopArchive(archiveID: String, reason: ArchiveStopReason) async {
    guard let archive = archives.removeValue(forKey: archiveID) else { return }
    detach(archive)
    _ = await archive.recorder.stop(reason: reason.rawValue)
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
      streamID: Self.localStreamID, connectionData: "device", hasAudio: kinds.contains(.audio),
      hasVideo: kinds.contains(.video), preRoll: preRoll
    ) { pipeline.requestKeyFrame() }
    try acquire(kinds)
    bus.attach(local)
    pipeline.requestKeyFrame()
    if sessions[sessionID] != nil {
      let remote = try recorder.addStream(
        streamID: description.receiverID == nil ? "caller" : "receiver",
        connectionData: description.receiverID ?? description.callerID, hasAudio: description.hasAudio,
        hasVideo: description.hasVideo
      ) { network.requestKeyFrame(sessionID: sessionID) }
      network.setRecorder(remote, sessionID: sessionID)
    }
    archives[recorder.id.text] = RunningArchive(recorder: recorder, sessionID: sessionID, local: local, kinds: kinds)
    keeper?.recordingStarted()
    boundKeyFrames()
  }

  private func detach(_ archive: RunningArchive) {
    bus.detach(archive.local)
    network.setRecorder(nil, sessionID: archive.sessionID)
    keeper?.recordingEnded()
    boundKeyFrames()
    releaseUnused()
  }

  /// Begins to keep the archives within their limits.
  func startKeeper() {
    let continuation = continuation
    do {
      keeper = try ArchiveKeeperThread(ArchiveKeeper(store: archiveStore, limits: configuration.limits)) { keeping in
        continuation.yield(.sourceStatus(text: "\(keeping)"))
      }
    } catch {
      continuation.yield(.sourceStatus(text: "archives are not kept within their limits: \(error)"))
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
      continuation.yield(.sourceStatus(text: "there is no pre-roll: \(error)"))
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
        .sourceStatus(text: "archive \(manifest.id): the disk is too slow: \(droppedFrames) frames lost so far"))
    case .stopped(let manifest):
      guard archives[manifest.id] != nil else { return }
      continuation.yield(.sourceStatus(text: "archive \(manifest.id): \(manifest.reason) in \(archiveStore.root)"))
      forget(manifest, status: manifest.status.rawValue)
    case .failed(let manifest, let error):
      continuation.yield(.sourceStatus(text: "archive \(manifest.id): \(error)"))
      forget(manifest, status: "failed")
    }
  }

  private func forget(_ manifest: ArchiveManifest, status: String) {
    guard let archive = archives.removeValue(forKey: manifest.id) else { return }
    detach(archive)
    continuation.yield(
      .archiveStopped(archiveID: manifest.id, sessionID: archive.sessionID, status: status))
  }
}
