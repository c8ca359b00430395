internal import MediaCore
internal import VideoOverlay
internal import RealtimeRuntime
internal import SystemSupport

/// One buffer of a feed.
///
/// Safety: belongs to the source's thread while it is free and to the video thread while it is filled; the feed's
/// counters hand it over.
final class FrameSlot: @unchecked Sendable {
  var image: I420Buffer
  var captured = MonotonicInstant(nanoseconds: 0)

  init(width: Int, height: Int) { image = I420Buffer(width: width, height: height) }
}

/// Between the thread of one source and the video thread: two buffers, events, and the request to end.
///
/// The source's thread may hang in a driver forever. Then the feed is given up: the video thread forgets it, and what
/// the source's thread does when it returns has no effect.
final class FrameQueue: Sendable {
  let id: Int
  private let controls: PipelineControls
  /// Wakes the video thread.
  private let wake: EventDescriptor
  /// Wakes the source's thread when a buffer is free.
  private let bufferFreed: EventDescriptor
  private let isBufferAwaited = Atomic<Bool>(false)
  private let stop: EventDescriptor
  private let isStopRequested = Atomic<Bool>(false)
  private let state = Mutex(State())
  /// Frames that came, wanted or not.
  private let arrivals = Atomic<Int>(0)
  private let damaged = Atomic<Int>(0)
  /// Buffers filled and buffers emptied; they alternate.
  private let filled = Atomic<Int>(0)
  private let emptied = Atomic<Int>(0)

  /// One is encoded while the other one is filled.
  static let slotCount = 2
  /// How long the source's thread waits for a free buffer before a frame is dropped; meanwhile the driver's own
  /// buffers fill.
  private static let timeout = TimeSpan.milliseconds(250)

  private struct State {
    var description: VideoSourceDescription?
    var selection = VideoSourceSelection.none
    /// Why the last frame that could not be shown was not.
    var damage = FrameDamage.broken
    var slots: [FrameSlot] = []
    /// What is covered in each frame before it is handed over; nil for nothing.
    var mask: PrivacyMask?
    /// Of the frames that were filled, those that the video thread has begun with.
    var lent = 0
    var end: SourceEnd?
    var isAbandoned = false
  }

  init(id: Int, controls: PipelineControls, wake: EventDescriptor) throws(SystemCallError) {
    self.id = id
    self.controls = controls
    self.wake = wake
    bufferFreed = try EventDescriptor()
    stop = try EventDescriptor()
  }
}

/// How a source's thread ended.
enum SourceEnd: Hashable, Sendable {
  /// As it should: on request, or at the end of the frames.
  case finished
  case failed(SourceFailure)
}

// MARK: - The source's thread

extension FrameQueue {
  /// Starts the thread that opens the source, takes its frames and closes it.
  func begin(_ request: SourceRequest) throws(SystemCallError) {
    try MediaThread(name: "media-source") { self.finish(self.run(request)) }.detach()
  }

  /// The source is closed when this returns.
  private func run(_ request: SourceRequest) -> SourceEnd {
    do throws(SourceFailure) {
      let source = try controls.video.openSource(request)
      (source as? any LiveFrameSource)?.printed = controls.video.printed
      open(source, of: request.selection)
      while !isStopped, try takeFrame(from: source) {}
      return .finished
    } catch {
      return .failed(error)
    }
  }

  private var isStopped: Bool { isStopRequested.load(ordering: .acquiring) }

  /// Makes the buffers, and the privacy masks, and announces the format.
  func open(_ source: any FrameSource, of selection: VideoSourceSelection) {
    let description = source.description
    let slots = (0..<Self.slotCount).map { _ in FrameSlot(width: description.width, height: description.height) }
    for slot in slots { source.prepare(&slot.image) }
    let areas = controls.configuration.privacyAreas.filter { $0.camera == nil || $0.camera == selection }
    let mask = PrivacyMask(areas.map(\.polygon), width: description.width, height: description.height)
    state.withLock {
      $0.selection = selection
      $0.slots = slots
      $0.mask = mask.isEmpty ? nil : mask
      $0.description = description
    }
    wake.signal()
  }

  /// Takes one frame, if one comes soon. Returns false when there will be no more.
  func takeFrame(from source: any FrameSource) throws(SourceFailure) -> Bool {
    if let source = source as? any LiveFrameSource { return try takeNewestFrame(from: source) }
    let isWanted = !controls.video.isMuted.load(ordering: .relaxed)
    let slot = isWanted ? freeSlot() : nil
    // What was drawn into the buffer's last frame must not stay where a source draws only what changes.
    if let slot, controls.observers.overlay != nil { source.prepare(&slot.image) }
    return handle(try source.next(into: slot, until: stop), of: source, in: slot, isWanted: isWanted)
  }

  /// Waits for no buffer: where none is free, the frame takes the place of the one that waits.
  private func takeNewestFrame(from source: any LiveFrameSource) throws(SourceFailure) -> Bool {
    var outcome = try source.awaitFrame(until: stop)
    for _ in 0..<source.takeSkippedCount() { count(dropped: true) }
    let isWanted = !controls.video.isMuted.load(ordering: .relaxed)
    var slot: FrameSlot?
    if case .frame(let captured) = outcome, isWanted, let target = slotForNewest() {
      if controls.observers.overlay != nil { source.prepare(&target.image) }
      outcome = try source.draw(into: &target.image, at: captured)
      slot = target
    }
    return handle(outcome, of: source, in: slot, isWanted: isWanted)
  }

  private func slotForNewest() -> FrameSlot? {
    hasFreeBuffer ? slot(filled.load(ordering: .relaxed)) : takeBackNewest()
  }

  /// Nil where the video thread has begun with it.
  private func takeBackNewest() -> FrameSlot? {
    state.withLock { state in
      let newest = filled.load(ordering: .relaxed) - 1
      guard newest >= state.lent else { return nil }
      filled.store(newest, ordering: .releasing)
      PipelineCounters.count(controls.counters.framesDropped)
      return state.slots[newest % Self.slotCount]
    }
  }

  private func handle(_ outcome: FrameOutcome, of source: any FrameSource, in slot: FrameSlot?, isWanted: Bool) -> Bool
  {
    switch outcome {
    case .end: return false
    case .nothing: return true
    case .damaged(let damage):
      guard !isStopped else { break }
      PipelineCounters.count(controls.counters.framesDamaged)
      state.withLock { $0.damage = damage }
      damaged.add(1, ordering: .releasing)
    case .resized:
      // Where the video thread keeps a buffer for long, the next frame asks again.
      if waitUntilEmpty() { open(source, of: state.withLock { $0.selection }) }
    case .frame(let captured):
      guard !isStopped else { return false }
      note(captured, in: slot, isWanted: isWanted)
    }
    return true
  }

  private func count(dropped isDropped: Bool) {
    PipelineCounters.count(controls.counters.framesCaptured)
    if isDropped { PipelineCounters.count(controls.counters.framesDropped) }
  }

  private func note(_ captured: MonotonicInstant, in slot: FrameSlot?, isWanted: Bool) {
    count(dropped: slot == nil && isWanted)
    let isFirst = arrivals.add(1, ordering: .releasing).oldValue == 0
    if let slot {
      state.withLock { $0.mask }?.cover(&slot.image)
      slot.captured = captured
      filled.add(1, ordering: .releasing)
    }
    if slot != nil || isFirst { wake.signal() }
  }

  private func freeSlot() -> FrameSlot? {
    if !hasFreeBuffer { waitForBuffer() }
    return hasFreeBuffer ? slot(filled.load(ordering: .relaxed)) : nil
  }

  private var filledBuffers: Int {
    filled.load(ordering: .relaxed) - emptied.load(ordering: .sequentiallyConsistent)
  }

  private var hasFreeBuffer: Bool { filledBuffers < Self.slotCount }

  /// Returns false where the video thread still has a buffer after all.
  private func waitUntilEmpty() -> Bool {
    waitForBuffers { filledBuffers == 0 }
    return filledBuffers == 0
  }

  private func waitForBuffer() { waitForBuffers { hasFreeBuffer } }

  private func waitForBuffers(_ isReady: () -> Bool) {
    let end = MonotonicClock.now() + Self.timeout
    isBufferAwaited.store(true, ordering: .sequentiallyConsistent)
    while !isReady(), !isStopped {
      let rest = end - MonotonicClock.now()
      guard rest > .zero else { break }
      _ = bufferFreed.wait(timeout: rest)
    }
    isBufferAwaited.store(false, ordering: .relaxed)
  }

  private func slot(_ count: Int) -> FrameSlot { state.withLock { $0.slots[count % Self.slotCount] } }

  private func finish(_ end: SourceEnd) {
    let isAbandoned = state.withLock { state in
      state.end = end
      return state.isAbandoned
    }
    if isAbandoned { controls.video.abandonedSources.subtract(1, ordering: .relaxed) }
    wake.signal()
  }
}

// MARK: - The video thread

extension FrameQueue {
  /// What the source delivers; nil until it is open.
  var description: VideoSourceDescription? { state.withLock { $0.description } }

  /// How the thread ended; nil while it runs.
  var end: SourceEnd? { state.withLock { $0.end } }

  /// Frames that have come so far.
  var arrivalCount: Int { arrivals.load(ordering: .acquiring) }

  var damagedCount: Int { damaged.load(ordering: .acquiring) }

  /// Why the last frame that could not be shown was not.
  var damage: FrameDamage { state.withLock { $0.damage } }

  /// Lends the oldest waiting frame, to be drawn into; returns false when there is none.
  func takeFirst<Failure: Error>(
    _ body: (inout I420Buffer, MonotonicInstant) throws(Failure) -> Void
  ) throws(Failure) -> Bool {
    let next = emptied.load(ordering: .relaxed)
    guard let slot = lend(next) else { return false }
    defer { free(next) }
    try body(&slot.image, slot.captured)
    return true
  }

  /// Nil where it is not filled.
  private func lend(_ count: Int) -> FrameSlot? {
    guard count < filled.load(ordering: .acquiring) else { return nil }
    return state.withLock { state in
      // The source's thread may have taken it back.
      guard count < filled.load(ordering: .acquiring) else { return nil }
      state.lent = count + 1
      return state.slots[count % Self.slotCount]
    }
  }

  private func free(_ count: Int) {
    emptied.store(count + 1, ordering: .sequentiallyConsistent)
    if isBufferAwaited.load(ordering: .sequentiallyConsistent) { bufferFreed.signal() }
  }

  /// Requests the source's thread to close the source and end.
  func requestStop() {
    isStopRequested.store(true, ordering: .releasing)
    stop.signal()
    bufferFreed.signal()
  }

  /// Gives up a thread that a driver holds. Returns false when it has just ended after all.
  func abandon() -> Bool {
    requestStop()
    let isHeld = state.withLock { state in
      state.isAbandoned = state.end == nil
      return state.isAbandoned
    }
    if isHeld { controls.video.abandonedSources.add(1, ordering: .relaxed) }
    return isHeld
  }
}
