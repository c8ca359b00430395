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
import HostSystem
import HubClient
import Logging
import MediaCore
import MediaPipeline
import MediaPlaneAPI
import NetworkLoop
import OpenSSLCrypto
import RealtimeRuntime
import Signalling
import SystemSupport
import VideoOverlay

/// What is there before the engine.
struct DeviceFoundation: Sendable {
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

  var mqttDevice: MQTTDoor.Device {
    MQTTDoor.Device(engine: engine, control: control, actions: actions, events: events)
  }
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

// MARK: - Making

extension DeviceService {
  func makeParts(_ foundation: DeviceFoundation) -> DeviceParts {
    let (hub, observers) = (foundation.hub, foundation.observers)
    let archives = ArchiveProvider(store: foundation.store)
    let snapshots = observers.makeSnapshots(foundation.media)
    let uploader = ArchiveUploader(
      client: hub,
      content: RequestedContent(archives: archives, snapshots: HubSnapshots(snapshots, configuration, logger)))
    let rules = EventRuleParts(configuration, logger: logger)
    // Actions are there before the engine, which offers them.
    let recording = RecordedDevice()
    let actions = makeActions(policy, observers.stills(of: nil), rules, recording)
    let engine = makeEngine(foundation, uploader, actions)
    recording.set(engine)
    let events = makeEventCenter(observers.events, engine, rules.evaluator)
    let ruleControl = rules.makeControl(engine, actions, hub, observers.events)
    let finished = makeFinishedArchiveServices(foundation.store, events)
    let control = makeControl(
      foundation, engine: engine, actions: actions,
      ControlParts(
        archives: archives, events: events, rules: ruleControl, snapshots: snapshots, uploads: finished.upload,
        problemReporters: [foundation.evidence, observers.events.problems, StalledWork(), stateFaults, http, mqtt]))
    return DeviceParts(
      engine: engine, uploader: uploader, actions: actions, events: events, rules: ruleControl, finished: finished,
      control: control)
  }

  func makeHubClient() throws(DeviceServiceError) -> HubClient {
    do {
      let key = try configuration.hub.enrolmentKey(credentialsDirectory: options.credentialsDirectory)
      var settings = try HubClientConfiguration(
        baseURL: configuration.hub.url, title: configuration.identity.title, enrolmentKey: key.map(HubEnrolmentKey.init)
      )
      settings.isClockSynchronized = { ClockTrust.isSynchronized }
      settings.route = route
      settings.readEnrolmentKey = { [hub = configuration.hub, folder = options.credentialsDirectory] in
        // What is wrong with the file is said at the start; until then the key of the last one is right.
        (try? hub.enrolmentKey(credentialsDirectory: folder)).flatMap { $0.map(HubEnrolmentKey.init) }
      }
      return HubClient(settings, logger: logger)
    } catch {
      throw .configuration("\(error)")
    }
  }

  func makeMedia(
    _ settings: DeviceMediaConfiguration, _ archives: DiskArchives, _ observers: DeviceObservers
  ) throws(DeviceServiceError) -> DeviceMedia {
    let bus = FrameBus()
    let played = configuration.audio.cancelsEcho ? PlayedSound() : nil
    let pipeline = MediaPipeline(
      configuration: settings.pipeline, bus: bus, played: played, observers: observers.media(of: nil))
    let probe = SourceProbe(settings.pipeline, speaker: settings.speaker, of: pipeline)
    var parts = DeviceMediaDependencies(
      pipeline: pipeline, bus: bus,
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
      return try NetworkLoop(configuration: configuration.networkConfiguration(cname: cname, route: route)) {
        (primitives, try DTLSEngine(identity: identity), SRTPCrypto())
      }
    } catch {
      throw .failure("\(error); see [network] in \(options.configurationPath)")
    }
  }

  func makeControlServers(_ control: EngineControl) throws(DeviceServiceError) -> ControlServers {
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
    environment.showPosition = { [mqtt] position, expires in
      mqtt.position.withLock { $0 = position }
      for overlay in overlays { overlay.setPosition(position.map { StampedPosition($0) }, expires: expires) }
    }
    environment.watchPosition = { [events = foundation.observers.events, logger] in events.take($0, logger) }
    if !configuration.actions.isEmpty { environment.actions = PartyActions(service: actions) }
    let targets = configuration.publishTargets(
      credentialsDirectory: options.credentialsDirectory, route: route)
    if !targets.isEmpty { environment.publishers = Publishers(targets, environment) }
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
    control.eventCenter = parts.events
    control.eventRules = parts.rules
    control.problemReporters = parts.problemReporters
    control.timeZone = { DeviceTimeZone.current.text(at: wallClockMilliseconds() / 1_000) }
    control.snapshots = parts.snapshots
    control.uploads = parts.uploads
    control.publishers = engine.publishers
    control.mqtt = mqtt
    return control
  }
}
