import RealtimeRuntime
import Synchronization

/// What a recorder's users and its thread tell each other.
final class ArchiveMailbox: Sendable {
  private struct State {
    var streamIDs: Set<String> = []
    var requests: [ArchiveStreamRequest] = []
    var stopReason: String?
    var final: ArchiveManifest?
    var waiters: [CheckedContinuation<ArchiveManifest, Never>] = []
    var statistics = ArchiveStatistics()
  }

  private let state = Mutex(State())
  /// Wakes the thread for a stop; new streams can wait for its next round.
  let wake: EventDescriptor

  init() throws(ArchiveError) {
    do { wake = try EventDescriptor() } catch { throw .system(error) }
  }

  var statistics: ArchiveStatistics { state.withLock { $0.statistics } }

  func add(_ request: ArchiveStreamRequest) throws(ArchiveError) {
    let error: ArchiveError? = state.withLock { state in
      guard state.stopReason == nil, state.final == nil else { return .stopped }
      guard state.streamIDs.insert(request.streamID).inserted else { return .duplicateStream(request.streamID) }
      state.requests.append(request)
      return nil
    }
    if let error { throw error }
  }

  func requestStop(_ reason: String) {
    state.withLock { $0.stopReason = $0.stopReason ?? reason }
    wake.signal()
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

  /// What was asked for since the last call.
  func takeCommands() -> (requests: [ArchiveStreamRequest], stopReason: String?) {
    state.withLock { state in
      defer { state.requests.removeAll() }
      return (state.requests, state.stopReason)
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
