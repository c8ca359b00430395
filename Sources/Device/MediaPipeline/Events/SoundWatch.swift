public import EventDetection
internal import SystemSupport
internal import MediaCore

/// What is listened for.
public struct SoundWatchSettings: Sendable {
  /// A source of events.
  public struct Source: Sendable {
    /// Identifies its steps.
    public var id: Int
    public var detector: any SoundDetector

    public init(id: Int, detector: any SoundDetector) {
      self.id = id
      self.detector = detector
    }
  }

  public var sources: [Source]

  public init(sources: [Source]) { self.sources = sources }
}

/// Listens to what the microphone captures, on the thread of sound, while the microphone is open. Allocates only when
/// something is noticed.
public final class SoundWatch: Sendable {
  private let steps: EventStepQueue
  private let state: Mutex<State>

  private struct State {
    var sources: [SoundWatchSettings.Source]
    var block = NarrowBlock()
  }

  /// - Parameter steps: where what is noticed goes.
  public init(_ settings: SoundWatchSettings, steps: EventStepQueue) {
    self.steps = steps
    state = Mutex(State(sources: settings.sources))
  }

  /// Listens for these from now on. A source whose id was there before continues, and ongoing events of others end.
  /// From any thread.
  public func apply(_ settings: SoundWatchSettings) {
    state.withLock { state in
      let old = state.sources
      let ids = Set(settings.sources.map(\.id))
      for index in old.indices where !ids.contains(old[index].id) { finish(index, &state) }
      state.sources = settings.sources.map { source in old.first { $0.id == source.id } ?? source }
    }
  }

  /// While the microphone is muted nothing is listened to.
  func setMuted(_ isMuted: Bool) {
    guard isMuted else { return }
    state.withLock { state in
      for index in state.sources.indices { finish(index, &state) }
    }
  }

  private func finish(_ index: Int, _ state: inout State) {
    for step in state.sources[index].detector.finish() {
      steps.push(EventStep(source: state.sources[index].id, step: step))
    }
  }

  /// From the thread of sound, with each packet of 20 ms at 48 kHz, whose first sample was captured at `captured`.
  ///
  /// Digital silence stands for a microphone that is muted or fails, and says nothing of the place.
  func offer(_ samples: Span<Int16>, channels: Int, at captured: MonotonicInstant) {
    state.withLock { state in
      guard !state.sources.isEmpty else { return }
      let attenuation = SoundLevel.attenuation(of: samples)
      let isSilence = attenuation == SoundLevel.silence
      if !isSilence { state.block.fill(samples, channels: channels) }
      let block = state.block.samples
      for index in state.sources.indices {
        let found =
          isSilence
          ? state.sources[index].detector.tick(now: captured)
          : state.sources[index].detector.take(level: -Double(attenuation), block.span, at: captured)
        for step in found {
          steps.push(
            EventStep(source: state.sources[index].id, step: step, detail: state.sources[index].detector.detail))
        }
      }
    }
  }
}

/// A packet of one channel with a third of the rate.
private struct NarrowBlock {
  private(set) var samples = [Int16](repeating: 0, count: SmokeAlarmDetector.blockFrames)

  /// Means of three samples, of the first channel.
  mutating func fill(_ packet: Span<Int16>, channels: Int) {
    guard packet.count >= samples.count * 3 * channels else { return }
    for index in samples.indices {
      let first = index * 3 * channels
      let sum = Int(packet[first]) + Int(packet[first + channels]) + Int(packet[first + 2 * channels])
      samples[index] = Int16(clamping: sum / 3)
    }
  }
}
