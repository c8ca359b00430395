internal import MediaCore

/// Decides which source is open: reopens it after a failure, gives up threads that hang, swaps cameras.
///
/// Sans-IO: it takes what happened and the time, and returns what to do. A source is one *attempt*: a thread that
/// opens it, delivers and closes it. The *current* attempt's frames are shown. A *candidate* is opened beside it and
/// takes its place with its first frame, so that a camera that does not open costs nothing.
struct VideoSourceSupervisor {
  enum Action: Equatable {
    /// Start a thread for this attempt.
    case open(Int, SourceRequest)
    /// Request the thread to close its source.
    case close(Int)
    /// Forget the thread: a driver holds it.
    case abandon(Int)
    case reportOpened(VideoSourceDescription)
    case reportFailed(String)
    /// A source has come to its end, as it should.
    case reportEnded
  }

  /// Opening takes longer: the driver hangs. (A slow camera's own time limits are about 5 s.)
  static let openLimit = TimeSpan.seconds(6)
  /// A program that ran for less has not recovered: the pauses before it is started go on growing.
  static let steadyTime = TimeSpan.seconds(10)
  /// How often `auto` searches for a camera while it shows test bars.
  static let scanInterval = TimeSpan.seconds(2)
  /// Threads that may be held by drivers; nothing is opened before one of that many returns.
  static let abandonedLimit = 3

  // The supervisor's own, in whichever of its files: its user reads the memory and leaves the rest alone.

  var memory: VideoSourceState
  let cameras: [VideoSourceSelection]
  let request: SourceRequest
  var current: VideoSourceAttempt?
  var candidate: VideoSourceAttempt?
  /// Those that were asked to close, and until when; one that takes longer hangs in its driver.
  var closing: [(id: Int, name: String, end: MonotonicInstant)] = []
  var retry = Backoff.reopening
  var programRetry = Backoff.restarting
  var retryAt: MonotonicInstant
  var scanAt: MonotonicInstant
  var nextID = 0
  /// The one file has been shown to its end.
  var isFinished = false
  /// How many cameras to advance.
  var pendingSwaps = 0
  /// The camera that was given up for another one that needed its bandwidth.
  var fallback: Int?
  var lastScanFailure: String?
  var hasReportedLimit = false

  /// - Parameters:
  ///   - cameras: at least one.
  ///   - request: size and rate; the rest is filled in.
  init(cameras: [VideoSourceSelection], request: SourceRequest, memory: VideoSourceState, now: MonotonicInstant) {
    precondition(!cameras.isEmpty)
    self.cameras = cameras
    self.request = request
    self.memory = memory
    retryAt = now
    scanAt = now
  }
}

// MARK: - What is shown

extension VideoSourceSupervisor {
  /// The attempt whose frames are shown.
  var shown: Int? { current?.id }

  /// No source is open that could deliver soon.
  var isWithoutSource: Bool { current == nil }

  /// When ``tick(now:abandoned:)`` has to be called at the latest.
  var deadline: MonotonicInstant {
    var earliest = min(current?.deadline ?? .distantFuture, candidate?.deadline ?? .distantFuture)
    for entry in closing { earliest = min(earliest, entry.end) }
    guard closing.isEmpty else { return earliest }
    if current == nil, !isFinished { earliest = min(earliest, retryAt) }
    if isScanning, candidate == nil { earliest = min(earliest, scanAt) }
    return earliest
  }

  var isScanning: Bool { current?.description?.isStandIn ?? false }
}

// MARK: - What happened

extension VideoSourceSupervisor {
  /// An attempt's source is open, but has delivered nothing yet; or one that delivers has another size from now on.
  mutating func opened(_ id: Int, _ description: VideoSourceDescription, now: MonotonicInstant) -> [Action] {
    if let attempt = current, attempt.id == id {
      current?.description = description
      if attempt.isDelivering { return [.reportOpened(description)] }
      current?.wait(since: now)
    } else if candidate?.id == id {
      candidate?.description = description
      candidate?.wait(since: now)
    }
    return []
  }

  /// An attempt's source has delivered.
  mutating func delivered(_ id: Int, now: MonotonicInstant) -> [Action] {
    if candidate?.id == id { return promote(now: now) }
    guard current?.id == id else { return [] }
    let isFirst = current?.isDelivering == false
    if isFirst { current?.deliveringSince = now }
    current?.phase = .delivering(last: now)
    current?.damage = nil
    return isFirst ? noteDelivery(now: now) : []
  }

  /// An attempt's frames come damaged, which keeps it alive no more than silence does.
  mutating func deliveredDamaged(_ id: Int, _ damage: FrameDamage) {
    if current?.id == id { current?.damage = damage }
    if candidate?.id == id { candidate?.damage = damage }
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
      return [.reportEnded]
    }
    return currentFailed(attempt, failure.reason, now: now)
  }

  /// Switches to the next camera: opens it and takes it if it delivers, else tries the one after.
  mutating func swap(_ count: Int = 1) { pendingSwaps += count }

  /// Ends everything; returns the attempts whose threads are still to close.
  mutating func stop(now: MonotonicInstant) -> [Action] {
    let attempts = [current, candidate].compactMap { $0 }
    (current, candidate) = (nil, nil)
    (isFinished, pendingSwaps) = (true, 0)
    return attempts.map { close($0, now: now) }
  }
}

extension SourceEnd {
  /// A source that ends before it has shown anything is of no use.
  fileprivate var failure: SourceFailure {
    guard case .failed(let failure) = self else { return SourceFailure(reason: "no frames") }
    return failure
  }
}
