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
import EngineControl
import EventRules
import EvidenceService
import HostSystem
import HubClient
import JournalLogging
import Logging
import MediaCore
import MediaPipeline
import MediaPlaneAPI
import NetworkLoop
import RealtimeRuntime
import SystemSupport
import TLSClient

/// The daemon: reads the configuration, puts the parts together, runs them until it is stopped.
public struct DeviceService: Sendable {
  /// Where the files are and what surrounds the process.
  public struct Options: Sendable {
    public var configurationPath: String
    public var policyPath: String
    public var environment: [String: String]
    public var version: String
    var instance: DeviceInstance { DeviceInstance(configurationPath: configurationPath) }
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
  let policy: CallPolicy
  let logger: Logger
  let logLevel: SharedLogLevel
  private let notifier = SystemdNotifier()
  let stateFaults: StateFaults
  /// How other machines are reached.
  let route: ProxyRoute
  let http: HTTPControl
  let mqtt: MQTTDoor

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
      route = try configuration.hub.route(credentialsDirectory: options.credentialsDirectory) {
        options.environment[$0]
      }
    } catch {
      throw .configuration("\(error)")
    }
    logLevel = SharedLogLevel(Logger.Level(configuration.log.level))
    logger = makeLogger(logLevel)
    stateFaults = StateFaults(logger, since: wallClockMilliseconds())
    http = HTTPControl(configuration.http, logger)
    mqtt = MQTTDoor(
      configuration, version: options.version, credentialsDirectory: options.credentialsDirectory, logger)
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
      HubRecording(engine: parts.engine), HubArchiveChanges(foundation.store, parts.engine, logger))
    await parts.uploader.replaceArchives(
      by: ArchiveProvider(
        store: foundation.store, title: configuration.identity.title,
        events: configuration.hub.showsTimeline ? parts.events : nil,
        makeImage: { KeyFrameImage.jpeg(of: $0, width: 320) }))
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
      group.addTask { await http.run(control) }
      group.addTask { await mqtt.run(parts.mqttDevice) }
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
      group.addTask { await engine.publishers?.run(engine) }
      group.addTask { await reportHealth(parts, foundation.hub) }
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
      logger.info("policy and configuration were reloaded")
    } catch {
      logger.error("the old policy and configuration stay in force")
      for mistake in "\(error)".split(separator: "\n") { logger.error("\(mistake)") }
    }
    notifier.ready()
  }
}

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
    for camera in configuration.cameras { logger.info("camera \(camera: camera.name): \(camera.selection.name)") }
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
