import MediaPipeline
import RealtimeRuntime
import Signalling

/// Plays the parties of all sessions.
struct Loudspeaker {
  private let playout: any Playout
  private var talkers: [SessionID: PlayoutSource] = [:]
  private var mixes = MixMinusAssignment()
  /// Announces near the device that a call begins.
  var answerSound = SoundClip.callBegins
  private var ringCount: UInt64 = 0

  init(_ playout: any Playout) { self.playout = playout }

  /// Times that sound ran out, since the start.
  var underruns: Int { playout.statistics.underruns }

  /// Counters since the start.
  var statistics: AudioPlayoutStatistics { playout.statistics }

  var talkerCount: Int { talkers.count }

  func plays(_ sessionID: SessionID) -> Bool { talkers[sessionID] != nil }

  /// Begins to play a session's party; returns where its packets go.
  mutating func open(_ sessionID: SessionID) throws -> ReceivedSoundQueue {
    let talker = try playout.addTalker()
    talkers[sessionID] = talker
    return talker.received
  }

  mutating func close(_ sessionID: SessionID) {
    if let talker = talkers.removeValue(forKey: sessionID) { playout.remove(talker) }
  }

  /// What each party hears beside the device's own sound; nil for those who hear that alone.
  ///
  /// - Parameters:
  ///   - senders: the sessions whose parties send audio.
  ///   - inbox: where the mixes go.
  mutating func mix(_ senders: Set<SessionID>, inbox: FrameInbox) -> [SessionID: MixMinus?] {
    let mixes = mixes.update(talkers.filter { senders.contains($0.key) }, inbox: inbox)
    for (sessionID, talker) in talkers { talker.setHeardByOthers(mixes[sessionID] != nil) }
    return Dictionary(uniqueKeysWithValues: talkers.keys.map { ($0, mixes[$0]) })
  }

  /// Enough is audible already where other clips wait.
  func announceAnswer() throws {
    do { try announce(answerSound) } catch is TooManyAnnouncements {}
  }

  func announce(_ clip: SoundClip) throws { try playout.announce(clip) }

  /// Notes that something else is to ring, or nothing; what is returned is for ``ring(_:number:)``.
  mutating func requestRing() -> UInt64 {
    ringCount += 1
    return ringCount
  }

  /// Rings, unless something else has been asked for since.
  func ring(_ clip: SoundClip?, number: UInt64) throws {
    if number == ringCount { try playout.setRing(clip) }
  }

  func setMuted(_ isMuted: Bool) { playout.setMuted(isMuted) }
}
