internal import ALSAAudio
internal import RealtimeRuntime
internal import Locking

/// What control and network threads share with the playout thread.
final class PlayoutControls: Sendable {
  let inbox: FrameInbox
  let speaker: SpeakerSelection
  let channels: Int
  let announces: Bool
  let isMuted = Atomic<Bool>(false)
  let played = Atomic<Int>(0)
  let recovered = Atomic<Int>(0)
  let concealed = Atomic<Int>(0)
  let leftOut = Atomic<Int>(0)
  let lateOrRefused = Atomic<Int>(0)
  let underruns = Atomic<Int>(0)
  private let onEvent: @Sendable (AudioPlayoutEvent) -> Void
  private let lastEvent = Mutex<AudioPlayoutEvent?>(nil)

  init(
    inbox: FrameInbox, speaker: SpeakerSelection, channels: Int, announces: Bool,
    onEvent: @escaping @Sendable (AudioPlayoutEvent) -> Void
  ) {
    self.inbox = inbox
    self.speaker = speaker
    self.channels = channels == 2 ? 2 : 1
    self.announces = announces
    self.onEvent = onEvent
  }

  /// Tells what became of the card, each change once.
  func report(_ event: AudioPlayoutEvent) {
    let isNew = lastEvent.withLock { last in
      defer { last = event }
      return last != event
    }
    if isNew { onEvent(event) }
  }

  var snapshot: AudioPlayoutStatistics {
    AudioPlayoutStatistics(
      played: played.load(ordering: .relaxed), recovered: recovered.load(ordering: .relaxed),
      concealed: concealed.load(ordering: .relaxed), leftOut: leftOut.load(ordering: .relaxed),
      lateOrRefused: lateOrRefused.load(ordering: .relaxed), underruns: underruns.load(ordering: .relaxed))
  }
}
