import PeerSession
import RealtimeRuntime

/// The network thread's way to control: steps in a session's life arrive in order and all of them, readings of its path
/// as their newest values.
struct SessionReports: Sendable {
  /// Not bounded by a number, so that nothing is lost: a session connects and ends once, offers a restart at most each ten
  /// seconds, and gathers a bounded number of candidates for each; of digits come 20 a second at most.
  let events: AsyncStream<NetworkEvent>
  let readings = LatestValues<SessionHandle, SessionReading>()
  private let continuation: AsyncStream<NetworkEvent>.Continuation

  init() {
    (events, continuation) = AsyncStream.makeStream(of: NetworkEvent.self, bufferingPolicy: .unbounded)
  }

  func report(_ event: PeerSessionEvent, of session: SessionHandle) {
    switch event {
    case .connected: report(.connected, session)
    case .candidateGathered(let candidate): report(.candidateGathered(candidate), session)
    case .pathMissing(let problem): report(.pathMissing(problem), session)
    case .digitReceived(let digit): report(.digitReceived(digit), session)
    case .ended(let end): report(.ended(end), session)
    case .keyFrameRequested: read(session) { $0.wantsKeyFrame = true }
    case .bitrateEstimated(let estimate): read(session) { $0.estimate = estimate }
    case .soundLossReported(let percent): read(session) { $0.soundLoss = percent }
    // A restart is the network loop's own concern, which reports its offer, and so are relays, which it reports as
    // notices.
    case .restartNeeded, .relayAllocated, .relayReplaced, .relayFailed: break
    }
  }

  /// An offer within the session, which restarts ICE.
  func report(offer: String, of session: SessionHandle) { report(.offerMade(sdp: offer), session) }

  /// Drops the readings of a session that is gone.
  func forget(_ session: SessionHandle) { readings.remove(session) }

  func finish() {
    continuation.finish()
    readings.finish()
  }

  private func report(_ step: NetworkEvent.Step, _ session: SessionHandle) {
    continuation.yield(NetworkEvent(session: session, event: step))
  }

  private func read(_ session: SessionHandle, _ change: @Sendable (inout SessionReading) -> Void) {
    readings.update(session, initial: SessionReading(), change)
  }
}
