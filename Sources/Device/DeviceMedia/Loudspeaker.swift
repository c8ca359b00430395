import MediaPipeline
import RealtimeRuntime
import Signalling

/// Where the parties of all sessions are heard.
struct Loudspeaker {
  private let playout: any Playout
  private var talkers: [SessionID: Talker] = [:]

  init(_ playout: any Playout) { self.playout = playout }

  /// Times that sound ran out, since the start.
  var underruns: Int { playout.statistics.underruns }

  /// Counters since the start.
  var statistics: AudioPlayoutStatistics { playout.statistics }

  /// Begins to play a session's party; returns where its packets go.
  mutating func open(_ sessionID: SessionID) throws -> ReceivedSoundQueue {
    if let talker = talkers[sessionID] { return talker.received }
    let talker = try playout.addTalker()
    talkers[sessionID] = talker
    return talker.received
  }

  mutating func close(_ sessionID: SessionID) {
    if let talker = talkers.removeValue(forKey: sessionID) { playout.remove(talker) }
  }

  func announce(_ clip: SoundClip) throws { try playout.announce(clip) }

  func setMuted(_ isMuted: Bool) { playout.setMuted(isMuted) }
}
