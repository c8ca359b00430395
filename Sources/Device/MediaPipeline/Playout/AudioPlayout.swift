public import SystemSupport
public import MediaCore
public import RealtimeRuntime

/// What control learns from an ``AudioPlayout``.
public enum AudioPlayoutEvent: Sendable, Hashable {
  /// Sound goes to this device.
  case opened(name: String)
  /// There is no sound; the card is tried again until there is nothing to play any more.
  case failed(reason: String)
  /// There is nothing to play any more; the card is closed.
  case closed
}

/// So many clips wait that one more would be too late.
public struct TooManyAnnouncements: Error, Hashable, CustomStringConvertible {
  public var description: String { "\(PlayoutState.maxAnnouncements) announcements wait already; try again later" }
}

/// One party whose sound is played.
public final class PlayoutSource: Sendable {
  /// Where its packets go.
  public let received = ReceivedSoundQueue()
  private let recorded = Mutex<PlayedSound?>(nil)

  public init() {}

  /// What is played of this talker alone; nil while no other party is to hear it.
  var sound: PlayedSound? { recorded.withLock { $0 } }

  /// Keeps what is played of this talker, for a ``MixMinus`` of others.
  public func setHeardByOthers(_ isHeard: Bool) {
    recorded.withLock { recorded in
      if isHeard == (recorded == nil) { recorded = isHeard ? PlayedSound() : nil }
    }
  }
}

/// The loudspeaker of the device: mixes all talkers and signals into one stream of one sound card.
///
/// The card is open while there is a talker or a signal; its thread takes each talker's Opus packets, bridges jitter and
/// loss, and decodes. The network thread pushes into ``PlayoutSource/received``. What is played is also handed to the echo canceller.
public final class AudioPlayout: Sendable {
  private let controls: PlayoutControls

  /// - Parameters:
  ///   - channels: 1 or 2; what comes in otherwise is converted.
  ///   - played: takes what is played, for the echo canceller.
  ///   - clipGain: what announcements and rings are multiplied by, 0 to 1; talkers are played as they come.
  ///   - onEvent: called on the playout thread, for each change once.
  public init(
    speaker: SpeakerSelection, channels: Int = 1, played: PlayedSound? = nil, clipGain: Float = 1,
    onEvent: @escaping @Sendable (AudioPlayoutEvent) -> Void = { _ in }
  ) {
    controls = PlayoutControls(
      speaker: speaker, channels: channels, played: played, clipGain: min(max(clipGain, 0), 1), onEvent: onEvent)
  }

  deinit { stop() }

  public var statistics: AudioPlayoutStatistics { controls.figures.snapshot }

  /// Begins to play one more party.
  public func addTalker() throws(SystemCallError) -> PlayoutSource {
    let talker = PlayoutSource()
    try add(talker)
    return talker
  }

  func add(_ talker: PlayoutSource) throws(SystemCallError) { try change { $0.talkers.append(talker) } }

  /// What has not sounded yet is discarded if there is no other sound.
  public func remove(_ talker: PlayoutSource) {
    controls.program.withLock { program in
      program.talkers.removeAll { $0 === talker }
      program.version += 1
      program.run?.wake()
    }
  }

  /// Plays a clip after those that wait, mixed with the talkers; what waits while there is no card is not played later.
  ///
  /// - Throws: ``TooManyAnnouncements``, ``SystemCallError``.
  public func announce(_ clip: SoundClip) throws {
    var isFull = false
    try change { program in
      isFull = program.announcements.count >= PlayoutState.maxAnnouncements
      if !isFull { program.announcements.append(clip) }
    }
    if isFull { throw TooManyAnnouncements() }
  }

  /// Plays a clip in a loop, for five minutes at most, in place of the one that rings; nil ends that at once.
  public func setRing(_ clip: SoundClip?) throws(SystemCallError) {
    guard let clip else {
      return controls.program.withLock { program in
        program.ring = nil
        program.ringCount += 1
        program.version += 1
        program.run?.wake()
      }
    }
    try change { program in
      program.ring = clip
      program.ringCount += 1
    }
  }

  /// Plays silence instead, without closing the card.
  public func setMuted(_ isMuted: Bool) { controls.isMuted.store(isMuted, ordering: .relaxed) }

  /// Ends all sound and closes the card.
  public func stop() {
    controls.program.withLock { program in
      (program.talkers, program.announcements, program.ring) = ([], [], nil)
      program.version += 1
      program.run?.stop()
    }
  }

  /// Blocks until the thread has closed the card after the last sound. Not for the shared thread pool.
  public func waitUntilIdle(timeout: TimeSpan) -> Bool {
    let run = controls.program.withLock { $0.run ?? $0.ended }
    return run?.waitUntilFinished(timeout: timeout) ?? true
  }

  /// Changes what is to be played, and starts the thread if none runs; without a speaker, nothing is ever played.
  private func change(_ body: (inout PlayoutState) -> Void) throws(SystemCallError) {
    guard controls.speaker != .none else { return }
    try controls.program.withLock { (program) throws(SystemCallError) in
      if program.run == nil { program.run = try start(after: program.ended) }
      body(&program)
      program.version += 1
      program.run?.wake()
    }
  }

  private func start(after predecessor: MediaThreadRun?) throws(SystemCallError) -> MediaThreadRun {
    let run = try MediaThreadRun()
    let controls = controls
    try run.begin(name: "media-playout", after: predecessor) {
      do {
        var loop = try PlayoutLoop(controls, run)
        loop()
      } catch {
        controls.fail("\(error)", run)
      }
    }
    return run
  }
}
