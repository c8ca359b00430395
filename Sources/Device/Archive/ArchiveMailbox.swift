import RealtimeRuntime
import Signalling
import SystemSupport

/// What a recorder's users and its thread exchange.
final class ArchiveMailbox: Sendable {
  fileprivate struct State {
    var streamIDs: Set<String> = []
    var commands = ArchiveCommands()
    var final: ArchiveManifest?
    var waiters: [CheckedContinuation<ArchiveManifest, Never>] = []
    var statistics = ArchiveStatistics()
  }

  private let state = Mutex(State())
  /// Wakes the thread: for commands, and for frames when it wants to be.
  let wake: EventDescriptor

  /// Positions of a minute and more, should the disk stall.
  private static let positionLimit = 128

  init() throws(ArchiveError) {
    do { wake = try EventDescriptor() } catch { throw .system(error) }
  }

  var statistics: ArchiveStatistics { state.withLock { $0.statistics } }

  func add(_ request: ArchiveStreamRequest) throws(ArchiveError) {
    let error: ArchiveError? = state.withLock { state in
      guard state.commands.stopReason == nil, state.final == nil else { return .stopped }
      guard !state.hasStream(likeNamed: request.description.streamID) else {
        return .duplicateStream(request.description.streamID)
      }
      state.streamIDs.insert(request.description.streamID)
      state.commands.requests.append(request)
      return nil
    }
    if let error { throw error }
    wake.signal()
  }

  func requestStop(_ reason: String) {
    state.withLock { $0.commands.stopReason = $0.commands.stopReason ?? reason }
    wake.signal()
  }

  /// Positions wait for the thread's next round.
  func add(_ point: GPXPoint) {
    state.withLock { state in
      if state.commands.positions.count < Self.positionLimit { state.commands.positions.append(point) }
    }
  }

  /// Waits until the thread has ended.
  func ending() async -> ArchiveManifest {
    await withCheckedContinuation { continuation in
      let final = state.withLock { state in
        if state.final == nil { state.waiters.append(continuation) }
        return state.final
      }
      if let final { continuation.resume(returning: final) }
    }
  }

  // MARK: The thread's side

  /// What was asked for since the last call; the reason to stop stays.
  func takeCommands() -> ArchiveCommands {
    state.withLock { state in
      defer { state.commands = ArchiveCommands(stopReason: state.commands.stopReason) }
      return state.commands
    }
  }

  func publish(_ statistics: ArchiveStatistics) {
    state.withLock { $0.statistics = statistics }
  }

  func publish(_ manifest: ArchiveManifest) {
    let waiters = state.withLock { state in
      state.final = manifest
      defer { state.waiters.removeAll() }
      return state.waiters
    }
    for waiter in waiters { waiter.resume(returning: manifest) }
  }
}

/// What an archive's thread is asked to do.
struct ArchiveCommands: Sendable {
  var requests: [ArchiveStreamRequest] = []
  var positions: [GPXPoint] = []
  var stopReason: String?
}

extension ArchiveMailbox.State {
  /// Whether a stream's files could have the names of another's: `door-0002` is a later file of `door`.
  fileprivate func hasStream(likeNamed streamID: String) -> Bool {
    let base = SegmentName(fileName: streamID + ".webm").streamID
    return streamIDs.contains { other in
      other == streamID || other == base || SegmentName(fileName: other + ".webm").streamID == streamID
    }
  }
}
