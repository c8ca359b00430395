public import ControlMessages
public import EventDetection
import Glibc
public import Logging
public import MediaCore
public import MediaPipeline
import MediaPlaneAPI
public import Signalling
internal import JournalLogging
import SystemSupport

/// Makes events of what sources notice, keeps them on the disk, and reports them in order.
///
/// A disk that fails or stalls costs events their lines and images, and affects nothing else.
public actor EventCenter: ProblemReporting {
  /// A source as events name it.
  public struct Source: Sendable, Hashable {
    public var name: String
    public var kind: EventKind
    /// The name of the further camera that it watches.
    public var camera: String?

    public init(name: String, kind: EventKind, camera: String? = nil) {
      self.name = name
      self.kind = kind
      self.camera = camera
    }
  }

  /// What the center is handed of the world outside.
  public struct Environment: Sendable {
    /// What time it is.
    public var now: @Sendable () -> Moment
    /// Reports to watchers of the device that an event begins, and that it is over: then it has an end.
    public var report: @Sendable (TimedEvent) -> Void
    /// Receives each event after ``report``, and when it gets stronger; with the image of its strongest moment (JPEG),
    /// where there is a new one. Returns at once.
    public var evaluate: @Sendable (TimedEvent, [UInt8]?) -> Void
    /// Any number; for ids.
    public var random: @Sendable () -> UInt32

    public init(
      now: @escaping @Sendable () -> Moment, report: @escaping @Sendable (TimedEvent) -> Void,
      evaluate: @escaping @Sendable (TimedEvent, [UInt8]?) -> Void = { _, _ in },
      random: @escaping @Sendable () -> UInt32
    ) {
      self.now = now
      self.report = report
      self.evaluate = evaluate
      self.random = random
    }
  }

  /// The instant, the wall clock in milliseconds since 1970, and whether that can be trusted.
  public struct Moment: Sendable {
    public var instant: MonotonicInstant
    public var wallTime: Int64
    public var isClockSynchronized: Bool
    /// By which events may be deleted, which does not follow each step of the wall clock; nil while nothing can be said.
    public var settledTime: Int64?

    public init(instant: MonotonicInstant, wallTime: Int64, isClockSynchronized: Bool, settledTime: Int64?) {
      self.instant = instant
      self.wallTime = wallTime
      self.isClockSynchronized = isClockSynchronized
      self.settledTime = settledTime
    }
  }

  /// By the ids that steps name them by. Those of before are among them until the next change: steps of theirs may wait.
  private var sources: [Int: Source]
  /// Of the sources those that are followed.
  private var current: Set<Int>
  private let folder: EventFolder
  private let environment: Environment
  private let logger: Logger
  private var running: [Int: RunningEvent] = [:]
  /// Disk work that no caller waits for.
  private let upkeep = OwnedTasks()
  /// What is being recorded.
  private var archives: [String] = []
  /// Why events are not kept, or last were not; nil if there was never a reason.
  public private(set) var problem: ProblemStatus?

  /// - Parameter sources: by the ids that steps name them by.
  public init(sources: [Int: Source], folder: EventFolder, logger: Logger, environment: Environment) {
    self.sources = sources
    current = Set(sources.keys)
    self.folder = folder
    self.environment = environment
    self.logger = logger
  }

  /// Knows these sources from now on, and keeps events within these limits. To be called before the watchers, which end
  /// what is ongoing at sources that are gone.
  ///
  /// - Parameter sources: none reuses an earlier id.
  public func apply(_ sources: [Int: Source], _ limits: EventFolder.Limits) {
    let areFirst = current.isEmpty && !sources.isEmpty
    self.sources = self.sources.filter { current.contains($0.key) || running[$0.key] != nil }
    self.sources.merge(sources) { $1 }
    current = Set(sources.keys)
    // Disk work in the background.
    upkeep.begin { [weak self, folder] in
      await folder.setLimits(limits)
      await self?.prune()
      if areFirst { await self?.check() }
    }
  }

  /// Follows what sources notice until the task is cancelled; ongoing events end with it.
  public func follow(_ steps: EventStepQueue) async {
    for await _ in steps.arrivals {
      for step in steps.takeAll() { await take(step) }
    }
    let now = environment.now().instant
    for (source, current) in running { await end(source, current, at: now) }
  }

  /// Checks the folder at once, each minute while it has a problem, and applies retention each hour; until the task is
  /// cancelled. Without sources there is retention alone.
  public func maintain() async {
    var minutes = 0
    repeat {
      if !current.isEmpty, minutes == 0 || problem?.lasts == true { await check() }
      if minutes % 60 == 0 { await prune() }
      minutes = (minutes + 1) % 60
    } while (try? await Task.sleep(for: .seconds(60))) != nil
  }

  /// Takes what a source has noticed.
  public func take(_ step: EventStep) async {
    guard let source = sources[step.source] else { return }
    switch step.step {
    case .began(let span): await begin(step, span, source)
    case .peaked(let span):
      guard var current = running[step.source] else { return }
      current.take(step, span.peak)
      running[step.source] = current
      environment.evaluate(current.timed, current.image)
    case .ended(let span):
      guard var current = running[step.source] else { return }
      current.take(span.peak)
      await end(step.source, current, at: span.end)
    }
    if await folder.isPruningDue { await prune() }
  }

  /// Names an archive in the ongoing events while it is recorded.
  public func noteArchive(_ id: String, isRecording: Bool) {
    archives.removeAll { $0 == id }
    guard isRecording else { return }
    archives.append(id)
    for source in running.keys { running[source]?.note(archive: id) }
  }
}

// MARK: - Steps

extension EventCenter {
  private func begin(_ step: EventStep, _ span: EventTrigger<FrameRegion>.Span, _ source: Source) async {
    let moment = environment.now()
    let startTime = moment.wallTime.saturatingSubtracting((moment.instant - span.start).milliseconds)
    var event = DetectedEvent(
      id: "\(UTCDay.stamp(startTime))-\(Self.digits(environment.random()))", kind: source.kind, source: source.name,
      start: startTime, score: span.peak.score, clockSynchronized: moment.isClockSynchronized)
    event.camera = source.camera
    event.archives = archives.isEmpty ? nil : archives
    var current = RunningEvent(TimedEvent(event, start: span.start))
    current.take(step, span.peak)
    running[step.source] = current
    report(current)
    await keep(current, step.source)
  }

  private func end(_ source: Int, _ ended: RunningEvent, at time: MonotonicInstant) async {
    var current = ended
    current.timed.finish(at: time)
    running[source] = current
    report(current)
    await keep(current, source)
    running[source] = nil
  }

  /// Writes the newest image, unless the disk has it, and the line.
  private func keep(_ current: RunningEvent, _ source: Int) async {
    var current = current
    await attempt { () throws(SystemCallError) in
      if let image = current.image {
        let name = try await folder.write(image, of: current.event)
        current.timed.event.picture = name
        running[source]?.noteWritten(image, as: name)
      }
      try await folder.append(current.event)
    }
  }

  private func report(_ current: RunningEvent) {
    let event = current.event
    logger.info("event \(event: event.id): \(event.title) \(event.end == nil ? "begins" : "is over")")
    environment.report(current.timed)
    environment.evaluate(current.timed, current.image)
  }

  private static func digits(_ number: UInt32) -> String {
    let text = String(number, radix: 16)
    return String(repeating: "0", count: max(8 - text.count, 0)) + text
  }
}

// MARK: - Lists

extension EventCenter {
  /// The newest events first, ongoing ones among them.
  ///
  /// - Parameter since: milliseconds since 1970.
  public func events(since: Int64, limit: Int) async -> [DetectedEvent] {
    await events(since: since, before: EventPosition(start: .max), limit: limit)
  }

  /// As ``events(since:limit:)``, of those that stand before a position.
  public func events(since: Int64, before position: EventPosition, limit: Int) async -> [DetectedEvent] {
    let before = runningEvents
    let kept = await folder.events(since: since, before: position, limit: limit)
    // What began or ended while the disk was read was not interrupted.
    let current = before.merging(runningEvents) { $1 }.filter { id, _ in
      !kept.contains { $0.id == id && $0.end != nil }
    }
    let ended = kept.filter { current[$0.id] == nil }.map { event in
      var event = event
      // One that the daemon does not know any more.
      if event.end == nil { event.isInterrupted = true }
      return event
    }
    let goingOn = current.values.filter { $0.start >= since && EventPosition($0) < position }
    return Array((goingOn + ended).newestFirst().prefix(limit))
  }

  /// The ongoing ones, by their ids.
  private var runningEvents: [String: DetectedEvent] {
    Dictionary(running.values.map { ($0.event.id, $0.event) }) { first, _ in first }
  }

  /// The image of an event's strongest moment, as ``EventFolder/image(of:limit:)`` has it.
  public func image(of id: DetectedEventID, limit: Int64) async -> [UInt8]? {
    await folder.image(of: id, limit: limit)
  }
}

// MARK: - Disk

extension EventCenter {
  private func prune() async {
    let moment = environment.now()
    await folder.prune(now: moment.settledTime, today: UTCDay.name(moment.wallTime))
  }

  private func check() async { await attempt { () throws(SystemCallError) in try await folder.check() } }

  /// Notes what fails, once, and that it works again.
  private func attempt(_ write: () async throws(SystemCallError) -> Void) async {
    do throws(SystemCallError) {
      try await write()
      guard problem?.lasts == true else { return }
      problem?.until = environment.now().wallTime
      logger.notice("events are kept again in \(folder.path)")
    } catch {
      guard problem?.lasts != true else { return }
      let text = "events are reported but not kept: \(error); \(error.remedy(folder.path))"
      problem = ProblemStatus(part: .events, text: text, since: environment.now().wallTime)
      logger.error("\(text)")
    }
  }
}

extension SystemCallError {
  fileprivate func remedy(_ path: String) -> String {
    switch errno {
    case EACCES, EPERM: "give the user of the daemon permission to write in \(path), for example by chown"
    case ENOTDIR, ELOOP: "move away what lies at \(path), which is no folder"
    case ENOSPC, EDQUOT: "free space on the disk, or set a smaller max_total of [events]"
    case EROFS: "mount the file system writable; after errors of the disk see dmesg"
    case EFBIG: "there are too many a day: set masks or min_gap, or a smaller sensitivity"
    default: "see device.state_directory, in which \(path) lies"
    }
  }
}
