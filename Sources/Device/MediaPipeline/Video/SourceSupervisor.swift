internal import MediaCore

/// Decides which source is open: opens it anew after a failure, gives up threads that hang, swaps cameras.
///
/// Sans-IO: it is told what happened and the time, and returns what to do. A source is one *attempt*: a thread that
/// opens it, delivers and closes it. The *current* attempt's pictures are shown. A *candidate* is opened beside it and takes
/// its place with its first picture, so that a camera that does not open costs nothing.
struct SourceSupervisor {
  enum Action: Equatable {
    /// Start a thread for this attempt.
    case open(Int, SourceRequest)
    /// Tell the thread to close its source.
    case close(Int)
    /// Forget the thread: a driver holds it.
    case abandon(Int)
    case tellOpened(SourceDescription)
    case tellFailed(String)
    /// A source has come to its end, as it should.
    case tellEnded
  }

  /// Opening takes longer: the driver hangs. (A slow camera's own time limits are about 5 s.)
  static let openLimit = TimeSpan.seconds(6)
  /// A camera that delivers nothing for so long is opened anew.
  static let stallLimit = TimeSpan.seconds(2)
  /// Closing takes longer: the driver hangs.
  static let closeLimit = TimeSpan.seconds(1)
  /// How often `auto` looks for a camera while it shows the test picture.
  static let scanInterval = TimeSpan.seconds(2)
  /// Threads that may be held by drivers; nothing is opened before one of that many returns.
  static let abandonedLimit = 3

  private(set) var memory: SourceMemory
  private let cameras: [VideoSourceSelection]
  private let request: SourceRequest
  private var current: Attempt?
  private var candidate: Attempt?
  /// Those that were told to close, and when.
  private var closing: [(id: Int, name: String, since: MonotonicInstant)] = []
  private var retry = RetryDelay()
  private var retryAt: MonotonicInstant
  private var scanAt: MonotonicInstant
  private var nextID = 0
  /// The one file has been shown to its end.
  private var isFinished = false
  /// Cameras to go on by.
  private var pendingSwaps = 0
  /// The camera that was given up for another one that needed its bandwidth.
  private var fallback: Int?
  private var lastScanFailure: String?
  private var hasToldLimit = false

  /// - Parameters:
  ///   - cameras: at least one.
  ///   - request: size and rate; the rest is filled in.
  init(cameras: [VideoSourceSelection], request: SourceRequest, memory: SourceMemory, now: MonotonicInstant) {
    precondition(!cameras.isEmpty)
    self.cameras = cameras
    self.request = request
    self.memory = memory
    retryAt = now
    scanAt = now
  }
}

/// What outlives a run of the video thread.
struct SourceMemory: Hashable, Sendable {
  /// The camera in use, as an index.
  var selected = 0
  /// Once `auto` has taken a camera it waits for cameras and shows no test picture any more.
  var hasTakenCamera = false
  /// The camera that `auto` took last.
  var preferred: String?
  /// The camera that `auto` opened in vain.
  var avoided: String?
}

private struct Attempt {
  enum Purpose: Hashable {
    case show, swap
    /// Looking for a camera in place of the test picture.
    case scan
  }

  enum Phase: Hashable {
    case opening(since: MonotonicInstant)
    case waiting(since: MonotonicInstant)
    case delivering(last: MonotonicInstant)
  }

  let id: Int
  /// Of its camera.
  let index: Int
  let purpose: Purpose
  let name: String
  var description: SourceDescription?
  var phase: Phase

  var isDelivering: Bool {
    if case .delivering = phase { return true }
    return false
  }

  /// When the attempt has failed if nothing happens before.
  var deadline: MonotonicInstant {
    switch phase {
    case .opening(let since): since + SourceSupervisor.openLimit
    case .waiting(let since), .delivering(let since): since + silenceLimit
    }
  }

  /// At least three pictures' time.
  private var silenceLimit: TimeSpan {
    max(SourceSupervisor.stallLimit, (description?.interval ?? .zero) * 3)
  }
}

// MARK: - What is shown

extension SourceSupervisor {
  /// The attempt whose pictures are shown.
  var shown: Int? { current?.id }

  /// No source is open that could deliver soon.
  var isWithoutSource: Bool { current == nil }

  /// When ``tick(now:abandoned:)`` has to be called at the latest.
  var deadline: MonotonicInstant {
    var earliest = min(current?.deadline ?? .distantFuture, candidate?.deadline ?? .distantFuture)
    for entry in closing { earliest = min(earliest, entry.since + Self.closeLimit) }
    guard closing.isEmpty else { return earliest }
    if current == nil, !isFinished { earliest = min(earliest, retryAt) }
    if isScanning, candidate == nil { earliest = min(earliest, scanAt) }
    return earliest
  }

  private var isScanning: Bool { current?.description?.isStandIn ?? false }
}

// MARK: - What happened

extension SourceSupervisor {
  /// An attempt's source is open, but has delivered nothing yet.
  mutating func opened(_ id: Int, _ description: SourceDescription, now: MonotonicInstant) {
    if current?.id == id {
      current?.description = description
      current?.phase = .waiting(since: now)
    } else if candidate?.id == id {
      candidate?.description = description
      candidate?.phase = .waiting(since: now)
    }
  }

  /// An attempt's source has delivered.
  mutating func delivered(_ id: Int, now: MonotonicInstant) -> [Action] {
    if candidate?.id == id { return promote(now: now) }
    guard current?.id == id else { return [] }
    let isFirst = current?.isDelivering == false
    current?.phase = .delivering(last: now)
    return isFirst ? noteDelivery(now: now) : []
  }

  /// An attempt's thread has ended, or could not be started.
  mutating func ended(_ id: Int, _ end: SourceEnd, now: MonotonicInstant) -> [Action] {
    if let index = closing.firstIndex(where: { $0.id == id }) {
      closing.remove(at: index)
      return []
    }
    if candidate?.id == id { return candidateFailed(end.failure, now: now) }
    guard let attempt = current, attempt.id == id else { return [] }
    current = nil
    guard case .failed(let failure) = end else {
      isFinished = true
      return [.tellEnded]
    }
    return currentFailed(attempt, failure.reason, now: now)
  }

  /// Goes on to the next camera: opens it and takes it if it delivers, else tries the one after.
  mutating func swap(_ count: Int = 1) { pendingSwaps += count }

  /// Ends everything; returns the attempts whose threads are still to close.
  mutating func stop(now: MonotonicInstant) -> [Action] {
    let attempts = [current, candidate].compactMap { $0 }
    (current, candidate) = (nil, nil)
    (isFinished, pendingSwaps) = (true, 0)
    return attempts.map { close($0, now: now) }
  }
}

// MARK: - Time

extension SourceSupervisor {
  /// Lets time pass.
  ///
  /// - Parameter abandoned: threads that drivers hold now.
  mutating func tick(now: MonotonicInstant, abandoned: Int) -> [Action] {
    abandonLateClosings(now: now) + checkCurrent(now: now) + checkCandidate(now: now)
      + openWhatIsWanted(now: now, abandoned: abandoned)
  }

  private mutating func abandonLateClosings(now: MonotonicInstant) -> [Action] {
    let late = closing.filter { now >= $0.since + Self.closeLimit }
    guard !late.isEmpty else { return [] }
    closing.removeAll { entry in late.contains { $0.id == entry.id } }
    return late.flatMap { [.abandon($0.id), .tellFailed(Self.hang($0.name))] }
  }

  private static func hang(_ name: String) -> String {
    "\(name): the driver does not answer; its thread is left behind"
  }

  private mutating func checkCurrent(now: MonotonicInstant) -> [Action] {
    guard let attempt = current, now >= attempt.deadline else { return [] }
    current = nil
    let (action, reason) = giveUp(attempt, now: now)
    return [action] + currentFailed(attempt, reason, now: now)
  }

  private mutating func checkCandidate(now: MonotonicInstant) -> [Action] {
    guard let attempt = candidate, now >= attempt.deadline else { return [] }
    let (action, reason) = giveUp(attempt, now: now)
    return [action] + candidateFailed(SourceFailure(reason: reason), now: now)
  }

  /// A thread that is still opening hangs; one that waits for pictures can be told to close.
  private mutating func giveUp(_ attempt: Attempt, now: MonotonicInstant) -> (Action, reason: String) {
    if case .opening = attempt.phase { return (.abandon(attempt.id), Self.hang(attempt.name)) }
    let name = attempt.description?.name ?? attempt.name
    return (close(attempt, now: now), "\(name): no picture for \(Self.stallLimit.milliseconds / 1_000) s")
  }

  private mutating func close(_ attempt: Attempt, now: MonotonicInstant) -> Action {
    closing.append((attempt.id, attempt.description?.name ?? attempt.name, now))
    return .close(attempt.id)
  }

  private mutating func openWhatIsWanted(now: MonotonicInstant, abandoned: Int) -> [Action] {
    // What is closing may be the very device that is wanted next.
    guard closing.isEmpty else { return [] }
    let room = Self.abandonedLimit - abandoned - (current == nil ? 0 : 1) - (candidate == nil ? 0 : 1)
    var actions: [Action] = []
    if current == nil, !isFinished, now >= retryAt {
      guard room > 0 else { return waitForThreads(now: now) }
      hasToldLimit = false
      actions.append(openCurrent(now: now))
    }
    return actions + openCandidate(now: now, hasRoom: room > actions.count)
  }

  private mutating func waitForThreads(now: MonotonicInstant) -> [Action] {
    retryAt = now + .seconds(1)
    guard !hasToldLimit else { return [] }
    hasToldLimit = true
    let name = cameras[memory.selected].name
    return [.tellFailed("\(name): not opened until one of the threads that drivers hold returns")]
  }
}

// MARK: - The current source

extension SourceSupervisor {
  private mutating func openCurrent(now: MonotonicInstant) -> Action {
    let attempt = makeAttempt(memory.selected, .show, now: now)
    current = attempt
    return .open(attempt.id, request(for: attempt))
  }

  private mutating func makeAttempt(_ index: Int, _ purpose: Attempt.Purpose, now: MonotonicInstant) -> Attempt {
    defer { nextID += 1 }
    return Attempt(
      id: nextID, index: index, purpose: purpose, name: cameras[index].name, phase: .opening(since: now))
  }

  private func request(for attempt: Attempt) -> SourceRequest {
    var request = request
    request.selection = cameras[attempt.index]
    request.allowsStandIn = !memory.hasTakenCamera && attempt.purpose != .scan
    request.preferred = memory.preferred
    request.avoided = memory.avoided
    return request
  }

  private mutating func noteDelivery(now: MonotonicInstant) -> [Action] {
    guard let current, let description = current.description else { return [] }
    retry.reset()
    (fallback, lastScanFailure) = (nil, nil)
    scanAt = now + Self.scanInterval
    if cameras[current.index] == .automatic, !description.isStandIn {
      (memory.hasTakenCamera, memory.preferred, memory.avoided) = (true, description.name, nil)
    }
    return [.tellOpened(description)]
  }

  private mutating func currentFailed(_ attempt: Attempt, _ reason: String, now: MonotonicInstant) -> [Action] {
    if !attempt.isDelivering { avoid(attempt) }
    if let fallback {
      memory.selected = fallback
      self.fallback = nil
    }
    retryAt = now + retry.next()
    return [.tellFailed(reason)]
  }

  /// `auto` tries others before a camera that opened and delivered nothing.
  private mutating func avoid(_ attempt: Attempt) {
    guard cameras[attempt.index] == .automatic, let name = attempt.description?.name else { return }
    memory.avoided = name
    if memory.preferred == name { memory.preferred = nil }
  }
}

// MARK: - The candidate

extension SourceSupervisor {
  private mutating func openCandidate(now: MonotonicInstant, hasRoom: Bool) -> [Action] {
    if pendingSwaps > 0, candidate?.purpose != .swap {
      return openSwap(now: now, hasRoom: hasRoom)
    }
    guard candidate == nil, isScanning, now >= scanAt, let current else { return [] }
    scanAt = now + Self.scanInterval
    return hasRoom ? [open(makeAttempt(current.index, .scan, now: now))] : []
  }

  private mutating func open(_ attempt: Attempt) -> Action {
    candidate = attempt
    return .open(attempt.id, request(for: attempt))
  }

  private mutating func openSwap(now: MonotonicInstant, hasRoom: Bool) -> [Action] {
    if let scan = candidate {
      candidate = nil
      return [close(scan, now: now)]
    }
    let target = (memory.selected + pendingSwaps) % cameras.count
    pendingSwaps = 0
    guard target != memory.selected else { return [] }
    guard hasRoom else { return [.tellFailed("\(cameras[target].name): not opened, drivers hold other threads")] }
    return [open(makeAttempt(target, .swap, now: now))]
  }

  /// The candidate delivers: it takes the current source's place.
  private mutating func promote(now: MonotonicInstant) -> [Action] {
    guard var attempt = candidate else { return [] }
    let old = current
    attempt.phase = .delivering(last: now)
    (current, candidate) = (attempt, nil)
    memory.selected = attempt.index
    isFinished = false
    let closing = old.map { [close($0, now: now)] } ?? []
    return closing + noteDelivery(now: now)
  }

  private mutating func candidateFailed(_ failure: SourceFailure, now: MonotonicInstant) -> [Action] {
    guard let attempt = candidate else { return [] }
    candidate = nil
    if attempt.purpose == .scan { return scanFailed(failure) }
    if failure.kind == .outOfBandwidth, let current { return makeWay(for: attempt, current, now: now) }
    pendingSwaps = (attempt.index + 1 - memory.selected + cameras.count) % cameras.count
    return [.tellFailed(failure.reason)] + (pendingSwaps == 0 ? stay() : [])
  }

  /// The camera that is open goes on.
  private func stay() -> [Action] {
    guard let current, current.isDelivering, let description = current.description else { return [] }
    return [.tellOpened(description)]
  }

  private mutating func scanFailed(_ failure: SourceFailure) -> [Action] {
    guard failure.kind != .noCamera, failure.reason != lastScanFailure else { return [] }
    lastScanFailure = failure.reason
    return [.tellFailed(failure.reason)] + stay()
  }

  /// Closes the current camera first; when the other one still does not open, the current one is opened again.
  private mutating func makeWay(for attempt: Attempt, _ old: Attempt, now: MonotonicInstant) -> [Action] {
    fallback = memory.selected
    memory.selected = attempt.index
    current = nil
    retryAt = now
    return [close(old, now: now)]
  }
}

extension SourceEnd {
  /// A source that ends before it has shown anything is of no use.
  fileprivate var failure: SourceFailure {
    guard case .failed(let failure) = self else { return SourceFailure(reason: "no pictures") }
    return failure
  }
}
