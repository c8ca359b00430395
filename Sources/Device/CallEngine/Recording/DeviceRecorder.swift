import EventDetection
import Logging
import MediaCore
import MediaPlaneAPI
import Signalling
internal import JournalLogging

/// Archives of the device alone: what an unattended camera sees without calls, recorded manually or by plans.
actor DeviceRecorder {
  private let environment: EngineEnvironment
  private let watchers: EventWatchers
  private let loop = ControlLoop(longestRest: .seconds(60))
  /// What sources of events notice, in order. Taken without waiting for anything, and each source has one event at a
  /// time.
  private let events: AsyncStream<NotedEvent>
  private nonisolated let eventSink: AsyncStream<NotedEvent>.Continuation
  private var archives: Set<ArchiveID> = []
  private var schedule = PlanSchedule()
  private(set) var recordings = PlanRecordings()
  /// Of no plan, and started at the device: each ends when it is stopped.
  private var unplanned: Set<ArchiveID> = []
  /// What concurrent callers wait for that start a manual recording.
  private var starting: Task<Void, any Error>?
  /// The same of those at the device.
  private var startingUnplanned: Task<ArchiveID, any Error>?
  /// Archives that were asked for, and what has ended meanwhile: one may fail before the answer that it has begun is here.
  private var pendingStarts = 0
  private var endedEarly: [ArchiveID: String] = [:]
  /// Starts and stops under way, by numbers.
  private var tasks: [Int: Task<Void, Never>] = [:]
  private var taskCount = 0
  private var kinds: Set<MediaKind>
  private var isStopped = false

  private var media: any MediaPlane { environment.media }
  private var logger: Logger { environment.logger }

  init(_ environment: EngineEnvironment, _ settings: EngineSettings, watchers: EventWatchers) {
    self.environment = environment
    self.watchers = watchers
    (events, eventSink) = AsyncStream.makeStream()
    kinds = settings.ownMedia
    schedule.setPlans(settings.plans)
    recordings.setPlans(settings.plans)
  }

  deinit { eventSink.finish() }

  /// Takes over settings: what the device has, and the plans by which it is recorded.
  func apply(_ settings: EngineSettings) {
    kinds = settings.ownMedia
    schedule.setPlans(settings.plans)
    recordings.setPlans(settings.plans)
    tick()
  }

  /// Maintains the plans until the task is cancelled.
  func run() async {
    await withDiscardingTaskGroup { group in
      group.addTask { for await event in self.events { await self.take(event) } }
      while !Task.isCancelled {
        tick()
        await loop.rest(until: nextDeadline ?? .distantFuture, now: environment.now())
      }
    }
  }

  /// Starts no further archive; those that run end with the media plane.
  func stop() {
    isStopped = true
    for task in tasks.values { task.cancel() }
  }

  /// Something was noticed, or is over; returns at once.
  ///
  /// - Parameter plans: by which a rule has it recorded; nil for the event itself.
  nonisolated func note(_ event: TimedEvent, for plans: Set<String>? = nil) {
    eventSink.yield(NotedEvent(event: event, plans: plans))
  }

  private struct NotedEvent {
    var event: TimedEvent
    var plans: Set<String>?
  }

  private func take(_ noted: NotedEvent) {
    let now = environment.now()
    if let plans = noted.plans {
      schedule.take(noted.event, for: plans, now: now)
    } else {
      schedule.take(noted.event, now: now)
    }
    tick()
  }
}

// MARK: - Plans

extension DeviceRecorder {
  /// What each plan does.
  var planStates: [RecordingPlanState] { schedule.states(recordings) }

  private var nextDeadline: MonotonicInstant? {
    [schedule.nextDeadline(now: environment.now()), recordings.nextDeadline(wanted: schedule.wanted)].compactMap(\.self)
      .min()
  }

  /// Starts and stops the archives of plans that are due.
  func tick() {
    guard !isStopped else { return }
    while let start = nextStart() { begin(start) }
    loop.wake(by: nextDeadline)
  }

  /// Stops what is due, until an archive has to be started.
  private func nextStart() -> (archive: PlannedArchive, previous: [String]?)? {
    let now = environment.now()
    let wanted = schedule.update(now: now, isWithin: environment.isWithin)
    while let step = recordings.nextStep(wanted: wanted, now: now) {
      switch step {
      case .start(let archive, let previous): return (archive, previous)
      case .stop(let archiveID, let isFollowed):
        begin { await $0.stop(archiveID, reason: isFollowed ? .continued : .planEnded) }
      }
    }
    return nil
  }

  private func begin(_ start: (archive: PlannedArchive, previous: [String]?)) {
    begin { await $0.start(start.archive, after: start.previous) }
  }

  private func begin(_ work: @escaping @Sendable (isolated DeviceRecorder) async -> Void) {
    taskCount += 1
    let number = taskCount
    tasks[number] = Task {
      await work(self)
      tasks[number] = nil
    }
  }

  private func start(_ archive: PlannedArchive, after previous: [String]?) async {
    let problem = recordings.problem(of: archive.plans)
    do {
      let archiveID = try await begin(archive, after: previous)
      if let problem { logger.notice("recording continues in archive \(archive: archiveID), after: \(problem)") }
    } catch {
      guard problem == nil else { return }
      logger.error("\(Self.names(archive.plans)) cannot be recorded, which is tried again: \(error)")
      watchers.notify(.source(text: "not recorded: \(error)"))
    }
  }

  /// Begins an archive for plans, and reports the result to them.
  private func begin(_ archive: PlannedArchive, after previous: [String]?) async throws -> ArchiveID {
    defer { tick() }
    do {
      let archiveID = try await begin(archive, preRoll(of: archive.plans, after: previous))
      recordings.started(archiveID, for: archive, now: environment.now())
      logger.info("archive \(archive: archiveID) is recorded for \(Self.names(archive.plans))")
      return archiveID
    } catch {
      _ = recordings.failed("\(error)", for: archive, now: environment.now())
      throw error
    }
  }

  /// An archive that follows another one begins where it is asked for, but for what an event has asked for since.
  private func preRoll(of plans: [String], after previous: [String]?) -> PreRollExtent {
    let added = plans.filter { previous?.contains($0) != true }
    if let beginning = schedule.beginning(of: added) { return .since(beginning) }
    return previous == nil ? .configured : .none
  }

  private static func names(_ plans: [String]) -> String {
    "plan\(plans.count == 1 ? "" : "s") \(plans.map { "\"\($0)\"" }.joined(separator: ", "))"
  }
}

// MARK: - Requests from the device

extension DeviceRecorder {
  /// The archives that run.
  var archiveIDs: [ArchiveID] { archives.sorted() }

  /// Records until it is stopped, and returns the archive's id. A call while it records, or begins to, returns that
  /// archive.
  ///
  /// Stopped plans begin again with it.
  func start() async throws -> ArchiveID {
    if let startingUnplanned { return try await startingUnplanned.value }
    if let archiveID = unplanned.min() { return archiveID }
    let start = Task { try await startUnplanned() }
    startingUnplanned = start
    defer { startingUnplanned = nil }
    return try await start.value
  }

  private func startUnplanned() async throws -> ArchiveID {
    if schedule.resume(), let start = nextStart() { return try await begin(start.archive, after: start.previous) }
    let archiveID = try await begin(PlannedArchive(plans: []), .configured)
    unplanned.insert(archiveID)
    return archiveID
  }
}

// MARK: - Requests from the hub

extension DeviceRecorder {
  /// The manual recording.
  var handRecording: HandRecording {
    guard let end = schedule.manualEnd, let plan = schedule.manual else {
      return HandRecording(isRecording: !unplanned.isEmpty)
    }
    let left = end - environment.now()
    return HandRecording(isRecording: true, left: max(left, .zero), problem: recordings.problem(of: [plan]))
  }

  /// Has the device recorded for as long as the manual plan says; does nothing during a manual recording. One archive
  /// serves it and the plans that record already.
  ///
  /// - Throws: where no archive can be begun; then there is no retry.
  func startManually() async throws {
    if let starting { return try await starting.value }
    guard !isStopped else { throw EngineError.stopped }
    if let startingUnplanned { _ = try? await startingUnplanned.value }
    if let starting { return try await starting.value }
    guard !isStopped else { throw EngineError.stopped }
    guard unplanned.isEmpty, schedule.manualEnd == nil else { return }
    schedule.beginManually(now: environment.now())
    let start = Task { try await beginManually() }
    starting = start
    defer { starting = nil }
    try await start.value
  }

  private func beginManually() async throws {
    defer { tick() }
    guard let plan = schedule.manual else { throw EngineError.notAllowed }
    do {
      while let start = nextStart() {
        guard start.archive.plans.contains(plan) else {
          begin(start)
          continue
        }
        _ = try await begin(start.archive, after: start.previous)
      }
      if let problem = recordings.problem(of: [plan]) { throw RecordingFailure(description: problem) }
    } catch {
      schedule.stopManually()
      throw error
    }
  }

  /// Ends the manual recording, and nothing of plans.
  func stopManually() async {
    schedule.stopManually()
    tick()
    for archiveID in unplanned.sorted() { await stop(archiveID) }
  }
}

// MARK: - Archives

extension DeviceRecorder {
  private func begin(_ archive: PlannedArchive, _ preRoll: PreRollExtent) async throws -> ArchiveID {
    guard !isStopped else { throw EngineError.stopped }
    let mode = archive.mode
    var description = ArchiveDescription(
      sessionID: nil, callerID: "", callerTitle: "", hasAudio: kinds.contains(.audio) && mode.timeLapse == nil,
      hasVideo: kinds.contains(.video))
    (description.plans, description.preRoll) = (archive.plans, mode.timeLapse == nil ? preRoll : .none)
    (description.isThinned, description.segment) = (mode.isThinned, mode.segment)
    description.timeLapse = mode.timeLapse
    let archiveID = try await start(description)
    archives.insert(archiveID)
    watchers.notify(.archiveStarted(archiveID: archiveID, sessionID: nil))
    return archiveID
  }

  /// - Throws: also where the archive has ended by itself before it is known to have begun.
  private func start(_ description: ArchiveDescription) async throws -> ArchiveID {
    pendingStarts += 1
    defer {
      pendingStarts -= 1
      if pendingStarts == 0 { endedEarly.removeAll() }
    }
    let archiveID = try await media.startArchive(description)
    if let reason = endedEarly.removeValue(forKey: archiveID) { throw RecordingFailure(description: reason) }
    return archiveID
  }

  /// Stops an archive; returns false for one that is not the device's own.
  @discardableResult
  func stop(_ archiveID: ArchiveID, reason: ArchiveStopReason = .userInitiated) async -> Bool {
    guard archives.contains(archiveID) else { return false }
    let isManual = reason == .userInitiated
    let plans = recordings.ended(archiveID, manual: isManual, now: environment.now())
    if isManual { schedule.pause(plans) }
    forget(archiveID, status: .stopped)
    tick()
    await media.stopArchive(archiveID: archiveID, reason: reason)
    return true
  }

  /// An archive of the device alone has stopped by itself.
  func stoppedByItself(_ archiveID: ArchiveID, status: ArchiveStatus, reason: String) {
    guard archives.contains(archiveID) else {
      if pendingStarts > 0 { endedEarly[archiveID] = reason.isEmpty ? status.rawValue : reason }
      return
    }
    recordings.ended(
      archiveID, manual: false, because: reason.isEmpty ? nil : reason, now: environment.now())
    forget(archiveID, status: status)
    tick()
  }

  private func forget(_ archiveID: ArchiveID, status: ArchiveStatus) {
    guard archives.remove(archiveID) != nil else { return }
    unplanned.remove(archiveID)
    watchers.notify(.archiveStopped(archiveID: archiveID, sessionID: nil, status: status))
  }
}
