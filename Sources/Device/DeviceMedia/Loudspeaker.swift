import MediaPipeline
import RealtimeRuntime
import Signalling

/// Where the parties of all sessions are heard.
///
/// Each of them has a playout of its own, which opens the sound card for itself. What is known of that stays within this
/// type: from outside there is one loudspeaker, with an inbox for each talker.
struct Loudspeaker {
  private let makePlayout: PlayoutMaking
  /// Called on any thread.
  private let onEvent: @Sendable (AudioPlayoutEvent) -> Void
  private var playouts: [SessionID: any Playout] = [:]
  private var isMuted = false
  /// Of playouts that have been closed.
  private var ended = AudioPlayoutStatistics.none

  init(_ makePlayout: @escaping PlayoutMaking, onEvent: @escaping @Sendable (AudioPlayoutEvent) -> Void) {
    self.makePlayout = makePlayout
    self.onEvent = onEvent
  }

  /// Whether nobody is heard.
  var isIdle: Bool { playouts.isEmpty }

  /// Times that sound ran out, since the start.
  var underruns: Int { statistics.underruns }

  /// Counters of all that were heard, since the start.
  var statistics: AudioPlayoutStatistics { playouts.values.reduce(ended) { $0 + $1.statistics } }

  /// Begins to play a session's party; returns where its packets go.
  ///
  /// - Parameter announces: plays a signal first.
  mutating func open(_ sessionID: SessionID, announces: Bool) throws -> FrameInbox {
    if let playout = playouts[sessionID] { return playout.inbox }
    let playout = try makePlayout(announces, onEvent)
    try playout.start()
    playout.setMuted(isMuted)
    playouts[sessionID] = playout
    return playout.inbox
  }

  mutating func close(_ sessionID: SessionID) {
    guard let playout = playouts.removeValue(forKey: sessionID) else { return }
    playout.stop()
    ended = ended + playout.statistics
  }

  mutating func setMuted(_ isMuted: Bool) {
    self.isMuted = isMuted
    for playout in playouts.values { playout.setMuted(isMuted) }
  }
}
