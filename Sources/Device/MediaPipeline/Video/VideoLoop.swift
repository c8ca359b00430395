internal import MediaCore
internal import RealtimeRuntime
internal import SystemSupport
internal import MediaCodecs

/// The body of the video thread: takes frames from the source that is shown, encodes and publishes them.
///
/// Sources have threads of their own and hand frames over in a ``FrameQueue``, so this thread waits for no driver.
/// Without frames, or muted, it publishes a card once a second.
struct VideoLoop: ~Copyable {
  private let controls: PipelineControls
  private let run: MediaThreadRun
  private var stage: VideoStage
  private var report: FailureReport
  private var supervisor: VideoSourceSupervisor
  /// Those whose threads have not ended.
  private var feeds: [FeedState] = []
  private var card: PlaceholderSchedule
  private var meter: FrameRateMeter
  private let isIdle: Bool
  /// The feed whose frames were shown last.
  private var lastShown: Int?

  private struct FeedState {
    let feed: FrameQueue
    var arrivals = 0
    var damaged = 0
    /// The supervisor knows of it.
    var description: VideoSourceDescription?
  }

  init(_ controls: PipelineControls, _ run: MediaThreadRun) {
    let configuration = controls.configuration
    let cameras = controls.sources.withLock { $0.cameras }
    let now = MonotonicClock.now()
    self.controls = controls
    self.run = run
    report = FailureReport(.video, controls)
    stage = VideoStage(controls)
    supervisor = VideoSourceSupervisor(
      cameras: cameras,
      request: SourceRequest(
        selection: cameras[0], width: configuration.width, height: configuration.height,
        frameRate: configuration.frameRate, pixelFormat: configuration.pixelFormat,
        cameraSetup: configuration.cameraSetup),
      memory: controls.video.sourceState.withLock { $0 }, now: now)
    card = PlaceholderSchedule(start: now)
    meter = FrameRateMeter(controls.counters, now: now)
    isIdle = cameras == [.none]
  }

  /// A thread that wakes up later than that was kept from running, as the sources' threads may have been.
  private static let tolerance = TimeSpan.milliseconds(250)

  /// Runs until stopped.
  mutating func callAsFunction() {
    guard !isIdle else { return }
    do throws(VPXError) {
      var due = MonotonicInstant.distantFuture
      while !run.isStopped {
        let now = MonotonicClock.now()
        if now - due > Self.tolerance { supervisor.excuse(now - due) }
        try step(now: now)
        due = deadline
        run.wait(until: due)
      }
    } catch {
      report.failed("\(error)")
    }
    close()
    controls.report(.closed(.video))
  }

  private var deadline: MonotonicInstant {
    min(supervisor.deadline, card.deadline(now: MonotonicClock.now()), meter.deadline)
  }
}

// MARK: - One round

extension VideoLoop {
  /// Handles what has happened and what is due.
  mutating func step(now: MonotonicInstant) throws(VPXError) {
    var index = 0
    while index < feeds.count {
      if try update(index, now: now) { index += 1 }
    }
    let requests = controls.video.swapRequests.exchange(0, ordering: .relaxed)
    if requests > 0 { supervisor.swap(requests) }
    perform(supervisor.tick(now: now, abandoned: controls.video.abandonedSources.load(ordering: .relaxed)), now: now)
    try showCard(now: now)
    if meter.update(now: now) { publishStatus() }
  }

  /// Processes one feed: its events, and its frames if they are shown. Returns false when it has ended and was removed.
  private mutating func update(_ index: Int, now: MonotonicInstant) throws(VPXError) -> Bool {
    let feed = feeds[index].feed
    // In this order: what is read later is at least as new.
    let end = feed.end
    let arrivals = feed.arrivalCount
    if let description = feed.description, description != feeds[index].description {
      feeds[index].description = description
      perform(supervisor.opened(feed.id, description, now: now), now: now)
    }
    if arrivals != feeds[index].arrivals {
      feeds[index].arrivals = arrivals
      perform(supervisor.delivered(feed.id, now: now), now: now)
    }
    let damaged = feed.damagedCount
    if damaged != feeds[index].damaged {
      feeds[index].damaged = damaged
      supervisor.deliveredDamaged(feed.id, feed.damage)
    }
    if supervisor.shown == feed.id { try show(feed) }
    guard let end else { return true }
    feeds.remove(at: index)
    perform(supervisor.ended(feed.id, end, now: now), now: now)
    return false
  }

  private mutating func show(_ feed: FrameQueue) throws(VPXError) {
    guard let description = feed.description else { return }
    if lastShown != feed.id {
      lastShown = feed.id
      card.interval = description.interval
      stage.beginSource(isStandIn: description.isStandIn)
    }
    // No more than wait now: a source that is faster than the encoder must not starve the rest of the loop.
    for _ in 0..<FrameQueue.slotCount where try !takeFrame(from: feed, description) { break }
  }

  private mutating func takeFrame(
    from feed: FrameQueue, _ description: VideoSourceDescription
  ) throws(VPXError) -> Bool {
    let isMuted = controls.video.isMuted.load(ordering: .relaxed)
    return try feed.takeFirst { (image, captured) throws(VPXError) in
      guard !isMuted else { return }
      card.noteFrame(at: MonotonicClock.now())
      try stage.publish(&image, at: captured, frameRate: description.frameRate)
    }
  }

  private mutating func showCard(now: MonotonicInstant) throws(VPXError) {
    let isMuted = controls.video.isMuted.load(ordering: .relaxed)
    guard
      card.isDue(
        at: now, isMuted: isMuted, isWithoutSource: supervisor.isWithoutSource,
        isKeyFrameDue: stage.isKeyFrameDue(at: now))
    else { return }
    card.noteCard(at: now)
    try stage.publishCard(at: now)
  }
}

// MARK: - Sources

extension VideoLoop {
  private mutating func perform(_ actions: [VideoSourceSupervisor.Action], now: MonotonicInstant) {
    guard !actions.isEmpty else { return }
    for action in actions { perform(action, now: now) }
    controls.video.sourceState.withLock { $0 = supervisor.memory }
  }

  private mutating func perform(_ action: VideoSourceSupervisor.Action, now: MonotonicInstant) {
    switch action {
    case .open(let id, let request): open(id, request, now: now)
    case .close(let id): feeds.first { $0.feed.id == id }?.feed.requestStop()
    case .abandon(let id): abandon(id)
    case .reportOpened(let description):
      report.opened(name: description.name, description: description.text)
      publishStatus()
    case .reportFailed(let reason): report.failed(reason)
    case .reportEnded: controls.report(.closed(.video))
    }
  }

  private mutating func open(_ id: Int, _ request: SourceRequest, now: MonotonicInstant) {
    do throws(SystemCallError) {
      let feed = try FrameQueue(id: id, controls: controls, wake: run.interruption)
      try feed.begin(request)
      feeds.append(FeedState(feed: feed))
    } catch {
      perform(supervisor.ended(id, .failed(SourceFailure(reason: error.description)), now: now), now: now)
    }
  }

  /// One that has ended after all is removed like any other.
  private mutating func abandon(_ id: Int) {
    guard let index = feeds.firstIndex(where: { $0.feed.id == id }), feeds[index].feed.abandon() else { return }
    feeds.remove(at: index)
  }

  /// Has every source closed, and gives up those that take too long.
  mutating func close() {
    let begin = MonotonicClock.now()
    perform(supervisor.stop(now: begin), now: begin)
    while !feeds.isEmpty {
      let now = MonotonicClock.now()
      forgetEnded(now: now)
      perform(supervisor.tick(now: now, abandoned: 0), now: now)
      if !feeds.isEmpty { run.wait(until: supervisor.deadline) }
    }
  }

  private mutating func forgetEnded(now: MonotonicInstant) {
    for state in feeds {
      if let end = state.feed.end { perform(supervisor.ended(state.feed.id, end, now: now), now: now) }
    }
    feeds.removeAll { $0.feed.end != nil }
  }

  private var shownFeed: FrameQueue? {
    for index in feeds.indices where feeds[index].feed.id == supervisor.shown { return feeds[index].feed }
    return nil
  }

  private func publishStatus() {
    var status = stage.status
    let description = shownFeed?.description
    (status.source, status.width, status.height) = (
      description?.name, description?.width ?? 0, description?.height ?? 0
    )
    status.frameRate = description?.frameRate ?? 0
    (status.capturedRate, status.encodedRate) = (meter.captured, meter.encoded)
    controls.video.status.withLock { $0 = status }
  }
}
