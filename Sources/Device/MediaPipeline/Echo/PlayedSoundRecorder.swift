internal import MediaCodecs
internal import MediaCore

/// Brings what the loudspeaker plays, or one talker of it, onto the monotonic timeline: the card's clock is taken out, as for the microphone.
/// Owned by the playout thread.
struct PlayedSoundRecorder: ~Copyable {
  let sound: PlayedSound
  private let channels: Int
  private var timeline: AudioTimeline
  private let mono: UnsafeMutableBufferPointer<Int16>

  /// The echo canceller measures where the echo lies, but cannot follow a lag that goes to and fro, as the delays do that sound servers
  /// estimate: by some milliseconds in the first seconds. So they are followed slowly, and what is off by so little not at all.
  private static var clock: ClockFollower { ClockFollower(timeConstant: .seconds(20), tolerance: .milliseconds(4)) }

  init(_ sound: PlayedSound, channels: Int) throws(AudioResamplerError) {
    self.sound = sound
    self.channels = channels
    timeline = try AudioTimeline(channels: 1, clock: Self.clock)
    mono = .allocate(capacity: SoundMixer.frames)
    mono.initialize(repeating: 0)
  }

  deinit { mono.deallocate() }

  /// Takes a block of interleaved samples, the first of which sounds at `instant`.
  mutating func record(_ block: UnsafeBufferPointer<Int16>, at instant: MonotonicInstant) {
    for frame in mono.indices {
      var sum = 0
      for channel in 0..<channels { sum += Int(block[frame * channels + channel]) }
      mono[frame] = Int16(clamping: sum / channels)
    }
    let sound = sound
    timeline.append(UnsafeBufferPointer(mono).span, capturedAt: instant) { packet, start in
      sound.write(packet, at: start)
    }
  }

  /// What comes next does not continue what came before: the card was opened, or ran dry.
  mutating func interrupt() { timeline.interrupt() }
}
