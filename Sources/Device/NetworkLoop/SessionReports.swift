import PeerSession
import RealtimeRuntime
import Signalling

/// The network thread's way to control: steps in a session's life arrive in order and all of them, readings of its path
/// as their newest values.
struct SessionReports: Sendable {
  /// Not bounded by a number, so that nothing is lost: a session connects and ends once, asks for a restart until it
  /// gets one, and gathers a bounded number of candidates for each.
  let events: AsyncStream<NetworkEvent>
  let readings = LatestValues<SessionID, SessionReading>()
  private let continuation: AsyncStream<NetworkEvent>.Continuation

  init() {
    (events, continuation) = AsyncStream.makeStream(of: NetworkEvent.self, bufferingPolicy: .unbounded)
  }

  func tell(_ event: PeerSessionEvent, of sessionID: SessionID) {
    switch event {
    case .connected: tell(.connected, sessionID)
    case .candidateGathered(let candidate): tell(.candidateGathered(candidate), sessionID)
    case .restartNeeded: tell(.restartNeeded, sessionID)
    case .ended(let end): tell(.ended(end), sessionID)
    case .keyFrameRequested: read(sessionID) { $0.wantsKeyFrame = true }
    case .bitrateEstimated(let estimate): read(sessionID) { $0.estimate = estimate }
    case .soundLossReported(let percent): read(sessionID) { $0.soundLoss = percent }
    // Relays are the network loop's own concern, which tells of them as notices.
    case .relayAllocated, .relayReplaced, .relayFailed: break
    }
  }

  /// Drops the readings of a session that is gone.
  func forget(_ sessionID: SessionID) { readings.remove(sessionID) }

  func finish() {
    continuation.finish()
    readings.finish()
  }

  private func tell(_ step: NetworkEvent.Step, _ sessionID: SessionID) {
    continuation.yield(NetworkEvent(sessionID: sessionID, event: step))
  }

  private func read(_ sessionID: SessionID, _ change: @Sendable (inout SessionReading) -> Void) {
    readings.update(sessionID, initial: SessionReading(), change)
  }
}
