import CallEngine
import DeviceConfiguration
import DeviceEvents
import DeviceMedia
import EventDetection
import EventRules
import Glibc
import Logging
import MediaCore
import MediaPipeline
import RealtimeRuntime
import Signalling
import SystemReadings

/// What the device notices by itself: those who watch, and the one who keeps what they notice.
///
/// Made for devices without sources, too, whose events of before are listed and deleted in time.
struct EventService: Sendable {
  /// Look at cameras' pictures; one for each at which sources look, the main one by nil.
  private let scenes: [String?: SceneWatch]
  /// Listens; nil where no source does.
  let sound: SoundWatch?
  /// Follows positions; nil where no source does.
  private let place: PlaceWatch?
  /// Looks at the machine itself; nil where no source does.
  private let hardware: HardwareWatch?
  /// Follows keys and lines; nil where no source does.
  private let input: InputWatch?
  /// What cannot be read for sources.
  let problems: SourceProblems
  private let steps = EventStepQueue()
  private let settings: EventSettings
  private let folder: EventFolder

  /// - Parameter overlays: what the pictures of events show beside the scene, of each camera.
  init(_ configuration: DeviceConfiguration, overlays: [String?: PictureOverlay], logger: Logger) {
    let settings = configuration.events
    self.settings = settings
    scenes = Self.scenes(configuration, overlays, steps)
    sound = settings.soundSettings.map { [steps] in SoundWatch($0, steps: steps) }
    let places = settings.placeSources
    place = places.isEmpty ? nil : PlaceWatch(places, steps: steps)
    problems = SourceProblems(logger: logger) { wallClockMilliseconds() }
    let hardware = settings.hardwareSources
    self.hardware =
      hardware.isEmpty ? nil : HardwareWatch(hardware, reader: HardwareReader(), steps: steps, problems: problems)
    let inputs = settings.inputSources
    input = inputs.isEmpty ? nil : InputWatch(inputs, steps: steps, problems: problems)
    folder = EventFolder(
      path: "\(configuration.identity.stateDirectory)/events",
      limits: EventFolder.Limits(maximumAge: settings.maximumAge, maximumTotal: settings.maximumTotal))
  }

  private static func scenes(
    _ configuration: DeviceConfiguration, _ overlays: [String?: PictureOverlay], _ steps: EventStepQueue
  ) -> [String?: SceneWatch] {
    var scenes: [String?: SceneWatch] = [:]
    for camera in [nil] + configuration.cameras.map(Optional.some) {
      guard let settings = configuration.events.sceneSettings(of: camera) else { continue }
      scenes[camera?.name] = SceneWatch(settings, overlay: overlays[camera?.name], steps: steps)
    }
    return scenes
  }

  /// Looks at a camera's pictures, the main one's by nil; nil where no source does.
  func scene(of camera: String?) -> SceneWatch? { scenes[camera] }

  /// - Parameters:
  ///   - engine: told of each event, and asked for what is recorded.
  ///   - rules: told of each event after that, and when it gets stronger.
  func makeCenter(engine: CallEngine, rules: EventRuleJudge, logger: Logger) -> EventCenter {
    EventCenter(
      sources: settings.sources.map { EventCenter.Source(name: $0.name, kind: $0.kind.eventKind, camera: $0.camera) },
      folder: folder, logger: logger,
      environment: EventCenter.Environment(
        now: {
          EventCenter.Moment(
            instant: MonotonicClock.now(), wallTime: wallClockMilliseconds(),
            isClockSynchronized: ClockTrust.isSynchronized)
        }, tell: { engine.note(.detected($0)) },
        judge: { event, picture in
          guard let effects = rules.take(event, picture: picture)?.effects, !effects.plans.isEmpty else { return }
          engine.record(event, for: Set(effects.plans))
        }, random: { UInt32.random(in: 0 ... .max) }))
  }

  /// The same positions, which are looked at as they are read.
  func watching(_ fixes: AsyncStream<PositionFix>?, _ logger: Logger) -> AsyncStream<PositionFix>? {
    guard let fixes, let place else { return fixes }
    let (passed, sink) = AsyncStream.makeStream(of: PositionFix.self, bufferingPolicy: .bufferingNewest(1))
    let work = Task {
      for await fix in fixes {
        place.take(fix, at: MonotonicClock.now(), logger)
        sink.yield(fix)
      }
      sink.finish()
    }
    sink.onTermination = { _ in work.cancel() }
    return passed
  }

  /// Works until the task is cancelled, and then for so long at most as a slow disk may take: recordings are still to be
  /// completed.
  func run(_ center: EventCenter, _ engine: CallEngine, _ logger: Logger) async {
    guard !settings.sources.isEmpty else { return await center.maintain() }
    let work = Task { await watch(center, engine, logger) }
    await withTaskCancellationHandler {
      let (cancelled, signal) = AsyncStream.makeStream(of: Never.self)
      defer { signal.finish() }
      for await _ in cancelled {}
    } onCancel: {
      work.cancel()
    }
    await finish(work)
  }

  private static let patience = Duration.seconds(3)

  private func finish(_ work: Task<Void, Never>) async {
    let (done, signal) = AsyncStream.makeStream(of: Never.self)
    Task {
      await work.value
      signal.finish()
    }
    Task {
      try? await Task.sleep(for: Self.patience)
      signal.finish()
    }
    // The task itself is cancelled, so that another one has to wait.
    await Task { for await _ in done {} }.value
  }

  private func watch(_ center: EventCenter, _ engine: CallEngine, _ logger: Logger) async {
    await withDiscardingTaskGroup { group in
      group.addTask { await center.maintain() }
      group.addTask { await noteArchives(of: engine, center) }
      if let hardware { group.addTask { await hardware.run() } }
      if let input { group.addTask { await input.run() } }
      group.addTask {
        while (try? await Task.sleep(for: .seconds(1))) != nil {
          let now = MonotonicClock.now()
          for scene in scenes.values { scene.tick(now: now) }
          place?.tick(now: now, logger)
          input?.tick(now: now)
        }
      }
      await center.follow(steps)
      group.cancelAll()
    }
  }

  private func noteArchives(of engine: CallEngine, _ center: EventCenter) async {
    for await event in engine.events() {
      switch event {
      case .archiveStarted(archiveID: let id, sessionID: _): await center.noteArchive(id.text, isRecording: true)
      case .archiveStopped(archiveID: let id, sessionID: _, status: _):
        await center.noteArchive(id.text, isRecording: false)
      default: break
      }
    }
  }
}

/// CLOCK_REALTIME in milliseconds since 1970.
func wallClockMilliseconds() -> Int64 {
  var time = timespec()
  clock_gettime(CLOCK_REALTIME, &time)
  return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
}

extension EventSettings {
  /// What is looked for in a camera's pictures, the main one's by nil; nil for nothing.
  fileprivate func sceneSettings(of camera: CameraSettings?) -> SceneWatchSettings? {
    let watched = sources.enumerated().compactMap { id, source -> SceneWatchSettings.Source? in
      guard source.camera == camera?.name else { return nil }
      return switch source.kind {
      case .motion: SceneWatchSettings.Source(id: id, kind: .zone(source.timing))
      case .tamper: SceneWatchSettings.Source(id: id, kind: .tampering)
      case .sound, .smokeAlarm, .geofence, .speed, .hardware, .input: nil
      }
    }
    return watched.isEmpty ? nil : SceneWatchSettings(motion: motion(of: camera), sources: watched)
  }

  /// What positions are judged for.
  fileprivate var placeSources: [PlaceWatch.Source] {
    sources.enumerated().compactMap { id, source in
      switch source.kind {
      case .geofence(let fence): PlaceWatch.Source(id: id, kind: .border(fence))
      case .speed(let limit): PlaceWatch.Source(id: id, kind: .speed(limit, source.timing))
      case .motion, .tamper, .sound, .smokeAlarm, .hardware, .input: nil
      }
    }
  }

  /// What is looked at in the machine itself.
  fileprivate var hardwareSources: [HardwareWatch.Source] {
    sources.enumerated().compactMap { id, source in
      guard case .hardware(let condition) = source.kind else { return nil }
      return HardwareWatch.Source(id: id, name: source.name, condition: condition, timing: source.timing)
    }
  }

  /// Whose levels are followed.
  fileprivate var inputSources: [InputWatch.Source] {
    sources.enumerated().compactMap { id, source in
      guard case .input(let place) = source.kind else { return nil }
      return InputWatch.Source(id: id, name: source.name, place: place, timing: source.timing)
    }
  }

  /// What is listened for; nil for nothing.
  fileprivate var soundSettings: SoundWatchSettings? {
    let watched = sources.enumerated().compactMap { id, source -> SoundWatchSettings.Source? in
      switch source.kind {
      case .sound(let decibels): SoundWatchSettings.Source(id: id, kind: .loud(decibels: decibels, source.timing))
      case .smokeAlarm: SoundWatchSettings.Source(id: id, kind: .smokeAlarm)
      case .motion, .tamper, .geofence, .speed, .hardware, .input: nil
      }
    }
    return watched.isEmpty ? nil : SoundWatchSettings(sources: watched)
  }
}
