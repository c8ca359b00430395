public import DeviceConfiguration
public import EventDetection
import HostSystem
public import Logging
public import MediaCore
public import MediaPipeline
import MediaPlaneAPI
import RealtimeRuntime
import Signalling
import SystemSupport

/// What the device notices by itself: those who watch, and the one who keeps what they notice.
///
/// All are there for devices without sources, too: events of before are listed and deleted in time, and sources may come
/// while the daemon runs.
public final class EventService: Sendable {
  /// Watch cameras' frames, the main one's by nil.
  private let scenes: [String?: MotionMonitor]
  /// Listens.
  public let sound: SoundWatch
  /// Follows positions.
  private let place: GeofenceMonitor
  /// Monitors the machine itself.
  private let hardware: HardwareWatch
  /// Follows keys and lines.
  private let input: InputWatch
  /// What cannot be read for sources.
  public let problems: SourceProblems
  private let steps = EventStepQueue()
  private let sources: Mutex<EventSources>
  private let folder: EventFolder
  /// By which events become too old.
  private let settledTime: @Sendable () -> Int64?
  /// Notified of each change of the sources.
  private let changes = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

  /// - Parameters:
  ///   - overlays: what the images of events show beside the scene, by camera.
  ///   - settledTime: by which events become too old; nil while nothing can be said.
  public init(
    _ configuration: DeviceConfiguration, overlays: [String?: FrameOverlay],
    settledTime: @escaping @Sendable () -> Int64?, logger: Logger
  ) {
    self.settledTime = settledTime
    let (sources, steps) = (EventSources(configuration.events, configuration.cameras), steps)
    self.sources = Mutex(sources)
    scenes = Dictionary(
      uniqueKeysWithValues: sources.sceneSettings.map { camera, settings in
        (camera, MotionMonitor(settings, overlay: overlays[camera], steps: steps))
      })
    sound = SoundWatch(sources.soundSettings, steps: steps)
    place = GeofenceMonitor(sources.placeSources, steps: steps)
    problems = SourceProblems(logger: logger) { wallClockMilliseconds() }
    hardware = HardwareWatch(sources.hardwareSources, reader: HardwareReader(), steps: steps, problems: problems)
    input = InputWatch(sources.inputSources, steps: steps, problems: problems)
    folder = EventFolder(path: "\(configuration.identity.stateDirectory)/events", limits: sources.settings.limits)
  }

  /// Follows these sources from now on. Unchanged ones continue with their events, and ongoing events of others end.
  /// Calls of this come one after the other.
  ///
  /// - Parameter settings: sources watch only cameras that were there at the start.
  public func apply(_ settings: EventSettings, _ center: EventCenter) async {
    let sources = sources.withLock { sources in
      sources.apply(settings)
      return sources
    }
    await center.apply(sources.centerSources, settings.limits)
    for (camera, settings) in sources.sceneSettings { scenes[camera]?.apply(settings) }
    sound.apply(sources.soundSettings)
    place.apply(sources.placeSources)
    input.apply(sources.inputSources)
    await hardware.apply(sources.hardwareSources)
    changes.continuation.yield()
  }

  /// Watches a camera's frames, the main one's by nil; nil for an unknown one.
  public func scene(of camera: String?) -> MotionMonitor? { scenes[camera] }

  /// Nil where none has the name.
  public func source(named name: String) -> EventSourceSettings? {
    sources.withLock { $0.settings.sources.first { $0.name == name } }
  }

  /// - Parameters:
  ///   - report: called with each event.
  ///   - evaluate: called with each event after that, and when it gets stronger, with the image of that moment.
  public func makeCenter(
    logger: Logger, report: @escaping @Sendable (TimedEvent) -> Void,
    evaluate: @escaping @Sendable (TimedEvent, [UInt8]?) -> Void
  ) -> EventCenter {
    EventCenter(
      sources: sources.withLock { $0.centerSources }, folder: folder, logger: logger,
      environment: EventCenter.Environment(
        now: { [settledTime] in
          EventCenter.Moment(
            instant: MonotonicClock.now(), wallTime: wallClockMilliseconds(),
            isClockSynchronized: ClockTrust.isSynchronized, settledTime: settledTime())
        }, report: report, evaluate: evaluate, random: { UInt32.random(in: 0 ... .max) }))
  }

  /// Judges a plausible position: impossible ones do not leave a place.
  public func take(_ fix: PositionFix, _ logger: Logger) { place.take(fix, at: MonotonicClock.now(), logger) }

  /// Works until the task is cancelled, and then up to a timeout for a slow disk: recordings are still to be completed.
  public func run(_ center: EventCenter, _ logger: Logger) async {
    let work = Task { await watch(center, logger) }
    await withTaskCancellationHandler {
      let (cancelled, signal) = AsyncStream.makeStream(of: Never.self)
      defer { signal.finish() }
      for await _ in cancelled {}
    } onCancel: {
      work.cancel()
    }
    await finish(work)
  }

  private static let timeout = Duration.seconds(3)

  private func finish(_ work: Task<Void, Never>) async {
    let (done, signal) = AsyncStream.makeStream(of: Never.self)
    let waiting = OwnedTasks()
    defer { waiting.cancel() }
    waiting.begin {
      await work.value
      signal.finish()
    }
    waiting.begin {
      try? await Task.sleep(for: Self.timeout)
      signal.finish()
    }
    // The task itself is cancelled, so that another one has to wait.
    await Task { for await _ in done {} }.value
  }

  private func watch(_ center: EventCenter, _ logger: Logger) async {
    await withDiscardingTaskGroup { group in
      group.addTask { await center.maintain() }
      group.addTask { await self.hardware.run() }
      group.addTask { await self.input.run() }
      group.addTask { await self.tick(logger) }
      await center.follow(steps)
      group.cancelAll()
    }
  }

  /// Lets those who watch do what is due, as long as there are sources.
  private func tick(_ logger: Logger) async {
    var changes = changes.stream.makeAsyncIterator()
    while !Task.isCancelled {
      if sources.withLock({ $0.settings.sources.isEmpty }) {
        await changes.next()
      } else {
        try? await Task.sleep(for: .seconds(1))
        tick(now: MonotonicClock.now(), logger)
      }
    }
  }

  private func tick(now: MonotonicInstant, _ logger: Logger) {
    for scene in scenes.values { scene.tick(now: now) }
    place.tick(now: now, logger)
    input.tick(now: now)
  }
}
