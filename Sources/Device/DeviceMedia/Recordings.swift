import Archive
import MediaCore
import MediaPlaneAPI
import NetworkLoop
import RealtimeRuntime
import Signalling

/// The archives that run, what keeps them within their limits, and the pre-roll that they begin with.
///
/// While there is one of them that is no time-lapse, or a pre-roll, key frames come every few seconds.
struct Recordings {
  /// What one archive records.
  struct Content {
    /// Nil where the device records itself alone.
    var sessionID: SessionID?
    /// The attempt at it that is recorded; nil where the device records itself alone.
    var session: SessionHandle?
    /// The device's own stream; further cameras have one of their own beside it.
    var local: ArchiveStreamDescription
    /// The other party's; nil where the device records itself alone.
    var remote: ArchiveStreamDescription?
  }

  private struct Running {
    var recorder: any ArchiveRecording
    var sessionID: SessionID?
    var session: SessionHandle?
    var startedAt: MonotonicInstant
    /// The device's own and those of further cameras.
    var local: [RecordedStream]
    /// Where the other party's goes.
    var remote: FrameInbox?
    var isTimeLapse: Bool

    func stopped(status: ArchiveStatus, reason: String) -> MediaPlaneEvent {
      .archiveStopped(archiveID: recorder.id, sessionID: sessionID, status: status, reason: reason)
    }
  }

  /// Seeking, segments and the pre-roll need a key frame at least so often.
  static let keyFrameInterval = TimeSpan.seconds(4)

  private let parts: DeviceMediaDependencies
  private let callerMaximumBitrate: Bitrate
  private let report: @Sendable (DeviceNotice) -> Void
  private var running: [ArchiveID: Running] = [:]
  private let endings = ArchiveEndings()
  /// The device's own, and further cameras.
  private var sources: [RecordedSource]
  private var hasPreRoll = false
  /// Deletes the oldest archives when there are too many; nil when its thread could not be made.
  private var retention: (any ArchiveRetaining)?
  private var counters = ArchiveTelemetry()

  /// - Parameters:
  ///   - callerMaximumBitrate: what the other party may bring into an archive, as reported when it brings more.
  ///   - report: takes what happens beside archives, and what they lack.
  init(
    _ parts: DeviceMediaDependencies, callerMaximumBitrate: Bitrate, report: @escaping @Sendable (DeviceNotice) -> Void
  ) {
    self.parts = parts
    self.callerMaximumBitrate = callerMaximumBitrate
    self.report = report
    sources = [RecordedSource(camera: nil, parts.pipeline, parts.bus)]
    sources += parts.cameras.map { RecordedSource(camera: $0.name, $0.pipeline, $0.bus) }
  }

  var ids: [ArchiveID] { Array(running.keys) }

  // MARK: Archives

  /// Makes an archive, as long as the disk takes; nothing is recorded before ``begin(_:_:)``.
  func open(
    _ description: ArchiveDescription, isLimited: Bool, onEvent: @escaping @Sendable (ArchiveEvent) -> Void
  ) async throws -> any ArchiveRecording {
    try await parts.archives.open(
      .random(), details: ArchiveDetails(description), isLimited: isLimited, onEvent: onEvent)
  }

  /// Adds the streams of an archive that has been opened and lets frames into them. It does without a further camera
  /// that cannot be added, which is reported.
  mutating func begin(_ recorder: any ArchiveRecording, _ content: Content) throws {
    let (network, session) = (parts.network, content.session)
    let local = try sources.compactMap { source in
      try orWithout(source) { try source.addStream(to: recorder, beside: content.local) } ?? nil
    }
    let remote = try content.remote.map { remote in
      try recorder.addStream(remote, preRoll: nil) {
        if let session { network.requestKeyFrame(session: session) }
      }
    }
    for stream in local { stream.attach() }
    if let remote, let session { network.addRecorder(remote, session: session) }
    running[recorder.id] = Running(
      recorder: recorder, sessionID: content.sessionID, session: session, startedAt: parts.clock.now(), local: local,
      remote: remote, isTimeLapse: content.local.timeLapse != nil)
    counters.started += 1
    retention?.recordingStarted()
    boundKeyFrames()
  }

  /// Does without a further camera where that fails; nil then.
  private func orWithout<Result>(_ source: RecordedSource, _ body: () throws -> Result) throws -> Result? {
    do {
      return try body()
    } catch {
      guard let camera = source.camera else { throw error }
      report(.cameraNotRecorded(camera: camera, reason: "\(error)"))
      return nil
    }
  }

  /// Takes an archive's event, and releases the streams of one that ended by itself; returns what to report of it. One
  /// that was stopped is forgotten already.
  mutating func update(_ event: ArchiveEvent) -> [MediaPlaneEvent] {
    switch event {
    case .started: return []
    case .fellBehind(let manifest, let droppedFrames):
      return [.notice(.diskTooSlow(archiveID: manifest.id, droppedFrames: droppedFrames))]
    case .exceededRate(let manifest, let streamID):
      let notice = DeviceNotice.streamExceedsRate(
        archiveID: manifest.id, streamID: streamID, limit: callerMaximumBitrate)
      return [.notice(notice)]
    case .stopped(let manifest):
      guard let archive = take(manifest.id) else { return [] }
      let notice = DeviceNotice.archiveEnded(
        archiveID: manifest.id, reason: manifest.reason, directory: parts.archives.root)
      return [.notice(notice), archive.stopped(status: manifest.status, reason: manifest.reason)]
    case .failed(let manifest, let error):
      noteFailure(error)
      let notice = MediaPlaneEvent.notice(.archiveFailed(archiveID: manifest.id, reason: "\(error)"))
      return [notice] + (take(manifest.id).map { [$0.stopped(status: .failed, reason: "\(error)")] } ?? [])
    }
  }

  /// An archive could not be begun, or was ended by its disk.
  mutating func noteFailure(_ error: any Error) {
    counters.failures += 1
    counters.lastError = "\(error)"
    retention?.recordingFailed()
  }

  /// Stops an archive; the task is done when it is complete.
  mutating func end(_ archiveID: ArchiveID, _ reason: ArchiveStopReason) -> Task<Void, Never>? {
    take(archiveID).map { endings.begin($0.recorder, reason: reason.rawValue) }
  }

  private mutating func take(_ archiveID: ArchiveID) -> Running? {
    guard let archive = running.removeValue(forKey: archiveID) else { return nil }
    for stream in archive.local { stream.detach() }
    if let remote = archive.remote, let session = archive.session {
      parts.network.removeRecorder(remote, session: session)
    }
    retention?.recordingEnded()
    boundKeyFrames()
    return archive
  }

  /// Waits until those that were stopped are complete, up to a timeout.
  func waitForEndings(atMost limit: TimeSpan) async { await endings.wait(atMost: limit, parts.clock) }

  func notePosition(_ fix: PositionFix) {
    let now = parts.clock.now()
    for archive in running.values { archive.recorder.addPosition(fix, capturedAt: now) }
  }

  var status: [MediaPlaneStatus.Archive] {
    let now = parts.clock.now()
    let archives = running.map { id, archive in
      let statistics = archive.recorder.statistics
      var status = MediaPlaneStatus.Archive(
        archiveID: id, sessionID: archive.sessionID, startedAt: archive.startedAt, size: statistics.byteCount,
        droppedFrames: statistics.droppedFrames)
      status.unflushed = statistics.unflushedSince.map { max(now - $0, .zero) } ?? .zero
      return status
    }
    return archives.sorted { $0.archiveID < $1.archiveID }
  }

  var telemetry: ArchiveTelemetry {
    var telemetry = counters
    let archives = status
    telemetry.open = archives.count
    telemetry.openBytes = Int64(clamping: archives.reduce(UInt64(0)) { $0.saturatingAdding($1.size) })
    telemetry.openFramesDropped = archives.reduce(0) { $0 + $1.droppedFrames }
    return telemetry
  }

  var disk: DiskTelemetry? { retention?.usage.map { DiskTelemetry($0) } }

  private func boundKeyFrames() {
    // A time-lapse requests each of its frames.
    let isBounded = hasPreRoll || running.values.contains { !$0.isTimeLapse }
    for source in sources { source.pipeline.setKeyFrameInterval(isBounded ? Self.keyFrameInterval : nil) }
  }

  // MARK: Pre-roll

  /// Keeps the last seconds of all sources from now on, once devices are open, or nothing any more; see ``stopPreRoll()``
  /// also where this throws.
  mutating func keepPreRoll(_ span: TimeSpan) throws {
    guard span > .zero else { return stopPreRoll() }
    hasPreRoll = true
    for index in sources.indices {
      var source = sources[index]
      _ = try orWithout(source) { try source.keepPreRoll(span, on: parts.archives) }
      sources[index] = source
    }
    boundKeyFrames()
  }

  mutating func stopPreRoll() {
    guard hasPreRoll else { return }
    for index in sources.indices { sources[index].stopPreRoll() }
    hasPreRoll = false
    boundKeyFrames()
  }

  // MARK: Retention

  mutating func startRetention() {
    do {
      retention = try parts.archives.startRetention(report)
    } catch {
      report(.retentionUnavailable(reason: "\(error)"))
    }
  }

  /// How long the archives of recording plans are kept from now on.
  func setRetention(of plans: [String: PlanLimits]) { retention?.setPlans(plans) }

  func stopRetention() async { await retention?.stop() }
}

extension ArchiveStreamDescription {
  var kinds: Set<MediaKind> {
    var kinds: Set<MediaKind> = []
    if hasAudio { kinds.insert(.audio) }
    if hasVideo { kinds.insert(.video) }
    return kinds
  }
}

extension ArchiveID {
  /// 32 hexadecimal digits, which are always a safe name.
  static func random() -> ArchiveID {
    let text = (0..<2).map { _ in
      let digits = String(UInt64.random(in: .min ... .max), radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }
    return ArchiveID(text.joined())!
  }
}
