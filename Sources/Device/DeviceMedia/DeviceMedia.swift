public import Archive
public import MediaPlaneAPI
import MediaCore
public import MediaPipeline
import NetworkLoop
import PeerSession
import RealtimeRuntime
import Signalling
public import TransportCrypto

/// The device's media side: composes capture and encoding, the network loop and the archives for the call engine.
///
/// Devices are open only while a session or an archive wants them.
public actor DeviceMedia: MediaPlane {
  public nonisolated let events: AsyncStream<MediaPlaneEvent>
  let continuation: AsyncStream<MediaPlaneEvent>.Continuation
  let configuration: DeviceMediaConfiguration
  let bus = FrameBus()
  let pipeline: MediaPipeline
  let network: NetworkLoop
  public nonisolated let archiveStore: ArchiveStore
  /// Whether archives can be written.
  let folderWatch: ArchiveFolderWatch
  /// What will be captured and where callers will be heard, as it looks at the start.
  public nonisolated let sources: SourcePreview
  var sessions: [String: MediaSession] = [:]
  var archives: [String: RunningArchive] = [:]
  /// Archives that were stopped and are being completed.
  var endings: [String: Task<Void, Never>] = [:]
  private(set) var isShutDown = false
  /// Keeps what comes before a recording; nil when none is wanted.
  var preRoll: PreRoll?
  /// Deletes the oldest archives when there are too many; nil when its thread could not be made.
  var retention: RetentionThread?
  /// The camera from which somebody has asked to swap away, until another one delivers.
  var swappedFrom: String?
  var devices: DeviceStates
  var sampling: Task<Void, Never>?
  /// Of loudspeakers that have been closed.
  var endedUnderruns = 0
  var rates: SharedRates
  private var watchers: [Task<Void, Never>] = []

  /// Binds the sockets and starts the network thread; capture starts when somebody wants it.
  public init(
    configuration: DeviceMediaConfiguration,
    makeCrypto:
      @escaping @Sendable () throws -> (
        any CryptoPrimitives, any DTLSAssociationMaking, any PacketProtectionMaking
      )
  ) throws {
    (events, continuation) = AsyncStream.makeStream(of: MediaPlaneEvent.self, bufferingPolicy: .bufferingNewest(256))
    self.configuration = configuration
    pipeline = MediaPipeline(configuration: configuration.pipeline, bus: bus)
    var loop = NetworkLoopConfiguration(
      addresses: configuration.addresses, cname: configuration.cname,
      sendLimit: SharedRates.sendLimit(configuration.pipeline),
      transportPolicy: configuration.isRelayOnly ? .relay : .all, turnAuthorityFile: configuration.turnAuthorityFile)
    loop.receiveLimit = configuration.callerMaximumBitrate
    network = try NetworkLoop(configuration: loop, makeCrypto: makeCrypto)
    archiveStore = ArchiveStore(root: configuration.archiveRoot)
    folderWatch = ArchiveFolderWatch(store: archiveStore, minimumFree: configuration.archive.minimumFreeBytes)
    sources = SourcePreview(configuration.pipeline, speaker: configuration.speaker)
    devices = DeviceStates(configuration, sources)
    rates = SharedRates(configuration.pipeline)
  }

  /// Starts to watch the network loop and the pipeline; call once.
  public func start() {
    let network = network
    let pipeline = pipeline
    watchers = [
      Task { [weak self] in
        for await event in network.events { await self?.handle(event) }
      },
      Task { [continuation] in
        for await notice in network.notices {
          continuation.yield(.sourceStatus(text: "network: \(notice)", isProblem: false))
        }
      },
      Task { [weak self] in
        for await event in pipeline.events { await self?.handle(event) }
      },
    ]
    startKeeper()
    startPreRoll()
  }

  /// Ends archives, sessions, devices and threads.
  public func shutDown() async {
    isShutDown = true
    await endArchives()
    for sessionID in Array(sessions.keys) { await hangUp(sessionID: sessionID) }
    stopPreRoll()
    stopSampling()
    pipeline.stop([.audio, .video])
    network.stop()
    retention?.stop()
    for watcher in watchers { watcher.cancel() }
    continuation.finish()
  }

  /// Counts rounds of the network thread, for the watchdog.
  public nonisolated var networkProgress: UInt64 { network.progress }

  // MARK: Events

  private func handle(_ event: NetworkEvent) {
    switch event.event {
    case .connected: becomeConnected(event.sessionID)
    case .keyFrameRequested: pipeline.requestKeyFrame()
    case .bitrateEstimated(let bitrate): adapt(event.sessionID, to: bitrate)
    case .soundLossReported(let percent): adapt(event.sessionID, toSoundLoss: percent)
    case .candidateGathered(let candidate): tell(candidate, event.sessionID)
    // The network loop has told of it.
    case .relayAllocated, .relayReplaced, .relayFailed: break
    case .restartNeeded: Task { await offerRestart(event.sessionID) }
    case .ended(let reason): end(event.sessionID, reason)
    }
  }

  private func becomeConnected(_ sessionID: String) {
    guard sessions[sessionID] != nil else { return }
    sessions[sessionID]?.isConnected = true
    startPlayout(sessionID)
    continuation.yield(.connected(sessionID: sessionID))
    if let kinds = sessions[sessionID]?.unbundledKinds, !kinds.isEmpty {
      continuation.yield(.unbundled(sessionID: sessionID, kinds: kinds))
    }
  }

  private func end(_ sessionID: String, _ reason: PeerSessionEnd) {
    guard let session = sessions.removeValue(forKey: sessionID) else { return }
    stopPlayout(session)
    releaseUnused()
    continuation.yield(.ended(sessionID: sessionID, reason: MediaEndReason(reason)))
  }

  private func handle(_ event: MediaPipelineEvent) {
    let isProblem = if case .failed = event { true } else { false }
    if let text = devices.update(event) { continuation.yield(.sourceStatus(text: text, isProblem: isProblem)) }
    if case .opened(.video, let name, _) = event { finishSwap(to: name) }
  }

  // MARK: Devices on demand

  /// Opens what `kinds` needs; the network thread gets frames as long as there is a session.
  func acquire(_ kinds: Set<MediaKind>) throws {
    try pipeline.start(kinds)
  }

  /// Closes what no session, no archive and no pre-roll wants any more.
  func releaseUnused() {
    if sessions.isEmpty { bus.detach(network.localFrames) }
    releaseRates()
    let wanted = sessions.values.reduce(into: Set<MediaKind>()) { $0.formUnion($1.sends) }
      .union(archives.values.reduce(into: Set<MediaKind>()) { $0.formUnion($1.kinds) })
      .union(preRoll == nil ? [] : devices.available)
    pipeline.stop(Set(MediaKind.allCases).subtracting(wanted))
    if sessions.isEmpty { stopSampling() }
  }

  private func startPlayout(_ sessionID: String) {
    guard let session = sessions[sessionID], session.mayTalk || session.playsTone, configuration.speaker != .none
    else { return }
    do {
      let playout = try makePlayout(announces: session.playsTone)
      try playout.start()
      playout.setMuted(devices.isMuted(.speaker))
      sessions[sessionID]?.playout = playout
      if session.mayTalk { network.setPlayout(playout.inbox, sessionID: sessionID) }
    } catch {
      continuation.yield(.sourceStatus(text: "speaker: \(error)", isProblem: true))
    }
  }

  /// Closes the loudspeaker of a session that has been removed.
  func stopPlayout(_ session: MediaSession) {
    guard let playout = session.playout else { return }
    playout.stop()
    endedUnderruns += playout.statistics.underruns
    if sessions.values.allSatisfy({ $0.playout == nil }) { devices.speakerClosed() }
  }

  private func makePlayout(announces: Bool) throws -> AudioPlayout {
    try AudioPlayout(speaker: configuration.speaker, announces: announces) { [weak self] event in
      Task { await self?.handle(event) }
    }
  }

  private func handle(_ event: AudioPlayoutEvent) {
    let isProblem = if case .failed = event { true } else { false }
    if let text = devices.update(event) { continuation.yield(.sourceStatus(text: text, isProblem: isProblem)) }
  }
}

extension MediaEndReason {
  fileprivate init(_ end: PeerSessionEnd) {
    switch end {
    case .closedByPeer, .closed: self = .closed
    case .iceFailed, .consentExpired, .dtlsFailed: self = .connectionLost
    }
  }
}
