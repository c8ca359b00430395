internal import SystemSupport
internal import MediaCore

/// What is to be played.
struct PlayoutState {
  var talkers: [PlayoutSource] = []
  /// Those that have not begun, one after another.
  var announcements: [SoundClip] = []
  /// What is played in a loop; nil when nothing rings.
  var ring: SoundClip?
  /// Counts the rings that were begun and ended.
  var ringCount: UInt64 = 0
  /// Changes with each change of the others.
  var version: UInt64 = 0
  /// The thread that plays; nil while there is nothing to play.
  var run: MediaThreadRun?
  /// The one that was ended last; it may still be closing the card.
  var ended: MediaThreadRun?

  static let maxAnnouncements = 4

  var isEmpty: Bool { talkers.isEmpty && announcements.isEmpty && ring == nil }
}

/// What control and network threads share with the playout thread.
final class PlayoutControls: Sendable {
  let speaker: SpeakerSelection
  let channels: Int
  let played: PlayedSound?
  /// What clips are multiplied by.
  let clipGain: Float
  let program = Mutex(PlayoutState())
  let isMuted = Atomic<Bool>(false)
  let figures = PlayoutFigures()
  private let onEvent: @Sendable (AudioPlayoutEvent) -> Void
  private let lastEvent = Mutex<AudioPlayoutEvent?>(nil)

  init(
    speaker: SpeakerSelection, channels: Int, played: PlayedSound?, clipGain: Float,
    onEvent: @escaping @Sendable (AudioPlayoutEvent) -> Void
  ) {
    self.speaker = speaker
    self.channels = channels == 2 ? 2 : 1
    self.played = played
    self.clipGain = clipGain
    self.onEvent = onEvent
  }

  /// Reports the state of the card, each change once.
  func report(_ event: AudioPlayoutEvent) {
    let isNew = lastEvent.withLock { last in
      defer { last = event }
      return last != event
    }
    if isNew { onEvent(event) }
  }

  /// Ends a run that has nothing left to play; returns false if something has come meanwhile.
  func end(_ run: MediaThreadRun) -> Bool {
    program.withLock { program in
      guard program.isEmpty || run.isStopped else { return false }
      release(run, &program)
      return true
    }
  }

  /// A run could not begin; talkers are not played until the next change.
  func fail(_ reason: String, _ run: MediaThreadRun) {
    report(.failed(reason: reason))
    program.withLock { release(run, &$0) }
  }

  private func release(_ run: MediaThreadRun, _ program: inout PlayoutState) {
    guard program.run === run else { return }
    (program.run, program.ended) = (nil, run)
  }
}
