import Archive
import ArchiveUpload
import CallEngine
import CallPolicy
import ControlAPI
import ControlMessages
import DeviceActions
import DeviceConfiguration
import DeviceEvents
import DeviceMedia
import DTLSSRTP
import EngineControl
import EventRules
import EvidenceService
import Glibc
import HubClient
import JournalLogging
import Logging
import MediaCore
import MediaPipeline
import MediaPlaneAPI
import NetworkLoop
import OpenSSLCrypto
import VideoOverlay
import SystemSupport
import RealtimeRuntime
import Signalling
import HostSystem

/// The daemon: reads the configuration, puts the parts together, runs them until it is stopped.
public struct DeviceService: Sendable {
  /// Where the files are and what surrounds the process.
  public struct Options: Sendable {
    public var configurationPath: String
    public var policyPath: String
    public var environment: [String: String]
    public var version: String
    /// Where the service manager has put credentials; nil where it passed none.
    var credentialsDirectory: String? { environment["CREDENTIALS_DIRECTORY"] }

    public init(configurationPath: String, policyPath: String, environment: [String: String], version: String) {
      self.configurationPath = configurationPath
      self.policyPath = policyPath
      self.environment = environment
      self.version = version
    }
  }

  let options: Options
  let configuration: DeviceConfiguration
  private let policy: CallPolicy
  let logger: Logger
  let logLevel: SharedLogLevel
  private let notifier = SystemdNotifier()
  let stateFaults: StateFaults

  /// Reads configuration, policy and secrets.
  public init(_ options: Options) throws(DeviceServiceError) {
    try self.init(options) { level in
      Logger(label: "livesessionsd") { _ in JournalLogHandler(level: level, environment: options.environment) }
    }
  }

  /// - Parameter makeLogger: makes what logs from the given level on.
  init(_ options: Options, makeLogger: (SharedLogLevel) -> Logger) throws(DeviceServiceError) {
    self.options = options
    do {
      configuration = try DeviceConfiguration(path: options.configurationPath)
      policy = try PolicyFile.read(path: options.policyPath, cameras: configuration.viewNames)
    } catch {
      throw .configuration("\(error)")
    }
    logLevel = SharedLogLevel(Logger.Level(configuration.log.level))
    logger = makeLogger(logLevel)
    stateFaults = StateFaults(logger, since: wallClockMilliseconds())
  }

  /// Runs until SIGTERM or SIGINT; SIGHUP reloads.
  public func run() async throws {
    ProcessMemory.keepLittle()
    try await run(until: { await Self.signals() })
  }

  /// Runs until it is asked to stop, or the requests end.
  ///
  /// - Parameters:
  ///   - requests: called once all is made; those before that are the process's own affair.
  ///   - started: handed what runs.
  func run(
    until requests: @Sendable () async -> AsyncStream<ServiceRequest>,
    started: @Sendable (DeviceParts) -> Void = { _ in }
  ) async throws {
    try makeStateDirectory()
    var evidence = loadEvidence()
    let clock = RetentionClock(path: "\(configuration.identity.stateDirectory)/clock")
    let observers = DeviceObservers(configuration, clock: clock, logger: logger)
    let archives = configuration.diskArchives(evidence: evidence.identity?.archiveEvidence, clock: clock) {
      [life = observers.archives] event in
      life.note(event)
    }
    let settings = configuration.mediaConfiguration
    let media = try makeMedia(settings, archives, observers)
    let hub = try makeHubClient()
    do {
      evidence.service = makeEvidenceService(evidence.identity, archives.store, hub)
      let foundation = DeviceFoundation(
        media: media, store: archives.store, hub: hub, observers: observers, evidence: evidence)
      try await run(foundation, settings.sources, until: requests, started: started)
    } catch {
      await media.shutDown()
      await hub.shutdown()
      throw error
    }
  }

  private func run(
    _ foundation: DeviceFoundation, _ sources: SourcePreview,
    until requests: @Sendable () async -> AsyncStream<ServiceRequest>, started: @Sendable (DeviceParts) -> Void
  ) async throws {
    let recovery = ArchiveRecoveryAtStart(store: foundation.store, logger: logger)
    defer { recovery.stop() }
    await recovery.run()
    let parts = makeParts(foundation)
    let servers = try makeControlServers(parts.control)
    await parts.uploader.add(
      HubTimeline(parts.events, foundation.store, configuration.hub),
      HubRecording(engine: parts.engine))
    await foundation.media.start()
    await parts.actions.start()
    let requests = await requests()
    await withDiscardingTaskGroup { group in
      group.addTask { await servers.run() }
      group.addTask { await run(parts, foundation) }
      notifier.ready(status: "Waiting for the hub")
      logger.info("livesessionsd \(options.version) is ready", metadata: ["device": "\(configuration.identity.title)"])
      report(sources)
      started(parts)
      await handle(requests, parts.control)
      notifier.stopping()
      group.cancelAll()
    }
    await parts.actions.stop()
    await stop(parts, foundation)
  }

  /// Runs what works by itself, until the task is cancelled.
  private func run(_ parts: DeviceParts, _ foundation: DeviceFoundation) async {
    let (engine, control, finished) = (parts.engine, parts.control, parts.finished)
    let observers = foundation.observers
    await withDiscardingTaskGroup { group in
      group.addTask {
        await engine.run(fixes: configuration.location.fixes(logger))
      }
      group.addTask { await feedWatchdog(engine: engine, media: foundation.media) }
      group.addTask { await ServiceStatusLine(engine: engine, control: control, notifier: notifier).run() }
      group.addTask { await servePrometheus(control) }
      group.addTask { await playSounds(of: engine, on: foundation.media) }
      group.addTask { await showUses(of: parts.actions, engine) }
      group.addTask { await watchClock(foundation.hub) { finished.wake() } }
      group.addTask { await finished.run(observers.archives) }
      group.addTask { await noteCalls(of: engine, finished) }
      if let service = foundation.evidence.service { group.addTask { await service.run() } }
      group.addTask { await watchButtons(engine, control, parts.actions) }
      group.addTask { await observers.events.run(parts.events, logger) }
      group.addTask { await parts.events.noteArchives(of: engine) }
      group.addTask { await parts.rules.service.run() }
      group.addTask { await ProcessMemory.returnFreedMemory() }
    }
  }

  private func stop(_ parts: DeviceParts, _ foundation: DeviceFoundation) async {
    await parts.engine.stop()
    await foundation.media.shutDown()
    await parts.uploader.stop()
    await foundation.hub.shutdown()
    logger.info("livesessionsd has stopped")
  }

  /// Returns with the first request to stop.
  private func handle(_ requests: AsyncStream<ServiceRequest>, _ control: EngineControl) async {
    for await request in requests {
      switch request {
      case .reload: await reload(control)
      case .stop: return
      }
    }
  }

  private func reload(_ control: EngineControl) async {
    notifier.reloading(monotonicMicroseconds: UInt64(MonotonicClock.now().nanoseconds / 1_000))
    do {
      try await control.reload()
      logger.info("policy and configuration were read anew")
    } catch {
      logger.error("the old policy and configuration stay in force")
      for mistake in "\(error)".split(separator: "\n") { logger.error("\(mistake)") }
    }
    notifier.ready()
  }
}

/// What is there before the engine.
private struct DeviceFoundation: Sendable {
  let media: DeviceMedia
  let store: ArchiveStore
  let hub: HubClient
  let observers: DeviceObservers
  let evidence: RecordingEvidence
}

/// The engine, and what works beside it.
struct DeviceParts: Sendable {
  let engine: CallEngine
  let uploader: ArchiveUploader
  let actions: ActionService
  let events: EventCenter
  let rules: EventRuleControl
  let finished: FinishedArchiveServices
  let control: EngineControl
}

/// What the control socket shows beside the engine.
private struct ControlParts {
  var archives: ArchiveProvider
  var events: EventCenter
  var rules: EventRuleControl
  var snapshots: CameraSnapshots
  /// Nil without uploads.
  var uploads: (any UploadReporting)?
  var problemReporters: [any ProblemReporting]
}

// MARK: - Parts

extension DeviceService {
  private func makeParts(_ foundation: DeviceFoundation) -> DeviceParts {
    let (hub, observers) = (foundation.hub, foundation.observers)
    let archives = ArchiveProvider(store: foundation.store)
    let snapshots = observers.makeSnapshots(foundation.media)
    let uploader = ArchiveUploader(
      client: hub,
      content: RequestedContent(archives: archives, snapshots: HubSnapshots(snapshots, configuration, logger)))
    let rules = EventRuleParts(configuration, logger: logger)
    let actions = makeActions(policy, observers.stills(of: nil), rules)
    let engine = makeEngine(foundation, uploader, actions)
    let events = makeEventCenter(observers.events, engine, rules.evaluator)
    let ruleControl = rules.makeControl(engine, actions, hub, observers.events)
    let finished = makeFinishedArchiveServices(foundation.store, events)
    let control = makeControl(
      foundation, engine: engine, actions: actions,
      ControlParts(
        archives: archives, events: events, rules: ruleControl, snapshots: snapshots, uploads: finished.upload,
        problemReporters: [foundation.evidence, observers.events.problems, StalledWork(), stateFaults]))
    return DeviceParts(
      engine: engine, uploader: uploader, actions: actions, events: events, rules: ruleControl, finished: finished,
      control: control)
  }

  private func makeHubClient() throws(DeviceServiceError) -> HubClient {
    do {
      let key = try configuration.hub.enrolmentKey(credentialsDirectory: options.credentialsDirectory)
      var settings = try HubClientConfiguration(
        baseURL: configuration.hub.url, title: configuration.identity.title, enrolmentKey: key.map(HubEnrolmentKey.init)
      )
      settings.isClockSynchronized = { ClockTrust.isSynchronized }
      return HubClient(settings, logger: logger)
    } catch {
      throw .configuration("\(error)")
    }
  }

  private func reload(_ control: EngineControl) async {
    notifier.reloading(monotonicMicroseconds: UInt64(MonotonicClock.now().nanoseconds / 1_000))
    do {
      try await control.reload()
      logger.info("policy and configuration were reloaded")
    } catch {
      logger.error("the old policy and configuration stay in force")
      for mistake in "\(error)".split(separator: "\n") { logger.error("\(mistake)") }
    }
  }

  private static func failure(ofFolder path: String) -> PrivateFile.Failure? {
    if mkdir(path, 0o750) == 0 { return nil }
    guard errno == EEXIST else { return PrivateFile.Failure(call: "mkdir", errno: errno) }
    var status = stat()
    guard stat(path, &status) == 0 else { return PrivateFile.Failure(call: "stat", errno: errno) }
    guard status.st_mode & S_IFMT == S_IFDIR else { return PrivateFile.Failure(call: "mkdir", errno: ENOTDIR) }
    return access(path, R_OK | W_OK | X_OK) == 0 ? nil : PrivateFile.Failure(call: "access", errno: errno)
  }

  /// What root makes in the service's folder the service cannot read afterwards.
  private func refuseRoot(in path: String) throws(DeviceServiceError) {
    var status = stat()
    guard geteuid() == 0, stat(path, &status) == 0, status.st_uid != 0 else { return }
    throw .configuration(
      "the state directory \(path) belongs to user \(status.st_uid), so root must not run the daemon in it: use systemctl start "
        + "livesessionsd, or run it as that user (sudo -u), or set another device.state_directory")
  }

  private func makeMedia(
    _ settings: DeviceMediaConfiguration, _ archives: DiskArchives, _ observers: DeviceObservers
  ) throws(DeviceServiceError) -> DeviceMedia {
    let bus = FrameBus()
    let played = configuration.audio.cancelsEcho ? PlayedSound() : nil
    let probe = SourceProbe(settings.pipeline, speaker: settings.speaker)
    var parts = DeviceMediaDependencies(
      pipeline: MediaPipeline(
        configuration: settings.pipeline, bus: bus, played: played, observers: observers.media(of: nil)), bus: bus,
      network: try makeNetwork(), archives: archives, probe: { await probe.problem(of: $0) },
      loadSound: { announcement in try await SoundClip.load(announcement) }
    ) { onEvent in
      AudioPlayout(speaker: settings.speaker, played: played, clipGain: configuration.sounds.gain, onEvent: onEvent)
    }
    parts.cameras = configuration.makeCameras(observers.media(of:))
    parts.mosaic = configuration.makeMosaic(observers.media(of:))
    return DeviceMedia(configuration: settings, parts: parts)
  }

  /// Binds the sockets and starts the network thread.
  private func makeNetwork() throws(DeviceServiceError) -> NetworkLoop {
    let primitives = OpenSSLCrypto()
    let cname = String(primitives.randomUInt64(), radix: 36)
    do {
      let loaded = try DTLSIdentity.load(orMakeAt: "\(configuration.identity.stateDirectory)/dtls.pem")
      stateFaults.note(loaded.fault)
      let identity = loaded.value
      return try NetworkLoop(configuration: configuration.networkConfiguration(cname: cname)) {
        (primitives, try DTLSEngine(identity: identity), SRTPCrypto())
      }
    } catch {
      throw .failure("\(error); see [network] in \(options.configurationPath)")
    }
  }

  private func makeControlServers(_ control: EngineControl) throws(DeviceServiceError) -> ControlServers {
    let settings = configuration.control
    let places = ControlServers.Places(
      control: settings.socket, monitor: settings.monitorSocket, environment: options.environment)
    do {
      return try ControlServers(control, at: places, info: ServiceInfo(version: options.version), logger: logger)
    } catch {
      throw .failure("\(error)")
    }
  }

  private func makeEngine(
    _ foundation: DeviceFoundation, _ uploader: ArchiveUploader, _ actions: ActionService
  ) -> CallEngine {
    let overlays = foundation.observers.overlays
    var environment = EngineEnvironment(
      hub: foundation.hub, media: foundation.media, verifier: OpenSSLCrypto(), logger: logger,
      now: { MonotonicClock.now() },
      localTimes: { PolicyClock.localTimes(in: $0.timeZones) }, isClockSynchronized: { ClockTrust.isSynchronized },
      answerArchiveRequest: { await uploader.answer($0) })
    environment.isWithin = { PolicyClock.isNowIfKnown($0) }
    environment.showPosition = { position, expires in
      for overlay in overlays { overlay.setPosition(position.map { StampedPosition($0) }, expires: expires) }
    }
    environment.watchPosition = { [events = foundation.observers.events, logger] in events.take($0, logger) }
    if !configuration.actions.isEmpty { environment.actions = PartyActions(service: actions) }
    return CallEngine(environment, settings: configuration.engineSettings(policy: policy))
  }

  private func makeControl(
    _ foundation: DeviceFoundation, engine: CallEngine, actions: ActionService, _ parts: ControlParts
  ) -> EngineControl {
    let identity = EngineControl.Identity(
      version: options.version, hubURL: configuration.hub.url, startedAt: MonotonicClock.now())
    let reader = SystemReader()
    let reload = DeviceReload(
      options: options, started: configuration, engine: engine, actions: actions, rules: parts.rules,
      events: foundation.observers.events, center: parts.events, media: foundation.media, logLevel: logLevel,
      logger: logger)
    var control = EngineControl(
      engine: engine, identity: identity, catalog: parts.archives,
      readSystem: { (try? await BlockingWork.run(.machine) { reader.read() }) ?? SystemTelemetry() },
      reloadConfiguration: { try await reload.run() })
    control.actionService = actions
    control.eventCatalog = parts.events
    control.eventRules = parts.rules
    control.problemReporters = parts.problemReporters
    control.timeZone = { DeviceTimeZone.current.text(at: wallClockMilliseconds() / 1_000) }
    control.snapshots = parts.snapshots
    control.uploads = parts.uploads
    return control
  }
}

// MARK: - What runs

extension DeviceService {
  /// Plays sounds near the device for what happens.
  private func playSounds(of engine: CallEngine, on media: DeviceMedia) async {
    guard configuration.audio.speaker != .none else { return }
    let quietHours = configuration.sounds.quietHours
    let player = EventSoundPlayer(configuration.sounds.files, media: media, logger: logger) {
      PolicyClock.isNow(quietHours)
    }
    await player.run(engine.events())
  }

  private func report(_ sources: SourcePreview) {
    logger.info("camera: \(sources.camera.description)")
    for camera in configuration.cameras { logger.info("camera \(camera.name): \(camera.selection.name)") }
    logger.info("microphone: \(sources.microphone.description)")
    logger.info("speaker: \(sources.speaker.description)")
  }

  private func feedWatchdog(engine: CallEngine, media: DeviceMedia) async {
    let logger = logger
    let feeder = WatchdogFeeder(loops: [
      WatchdogFeeder.Loop(name: "network") { media.networkProgress },
      WatchdogFeeder.Loop(name: "control") { engine.iterationCount },
    ])
    await feeder.run(notifier) { stalled in
      logger.critical("no progress: \(stalled.joined(separator: ", "))")
    }
  }
}
