internal import MediaCore
internal import MediaCodecs
internal import RealtimeRuntime

/// Makes and encodes the mixes of talkers who hear each other. Owned by the audio thread.
///
/// The others' sound is taken as the loudspeaker plays it, sample for sample at the time at which the microphone
/// captures, so that a talker hears them as a listener in the room does.
struct MixMinusStage: ~Copyable {
  private let program: MixMinusProgram
  private let configuration: MediaPipelineConfiguration
  private var version: UInt64 = 0
  private var encoders: [MixMinusEncoder] = []

  init(_ controls: PipelineControls) {
    program = controls.audio.mixes
    configuration = controls.configuration
  }

  /// Takes the device's own packet, and hands each mix to its sender.
  mutating func encode(
    _ samples: Span<Int16>, at timestamp: MonotonicInstant, number: UInt32, expectedLoss: Int
  ) throws(OpusError) {
    if let mixes = program.changes(since: &version) { try follow(mixes) }
    for encoder in encoders {
      try encoder.setExpectedLoss(expectedLoss)
      try encoder.encode(samples, at: timestamp, number: number)
    }
  }

  private mutating func follow(_ mixes: [MixMinus]) throws(OpusError) {
    var followed: [MixMinusEncoder] = []
    for mix in mixes {
      let known = encoders.first { $0.mix.id == mix.id }
      known?.mix = mix
      if let known { followed.append(known) } else { followed.append(try MixMinusEncoder(mix, configuration)) }
    }
    encoders = followed
  }
}

/// One mix and its encoder.
private final class MixMinusEncoder {
  var mix: MixMinus
  private let encoder: AudioPacketEncoder
  private let channels: Int
  private var limiter = Limiter()
  /// Of all others.
  private let sum: UnsafeMutableBufferPointer<Float>
  /// Of one of them.
  private let voice: UnsafeMutableBufferPointer<Int16>
  private let mixed: UnsafeMutableBufferPointer<Int16>
  /// How much later than the microphone picks them up the others come.
  private var lag = TimeSpan.zero

  /// Cards are given sound in advance. Where one is not, what is played is known only afterwards.
  private static let longestLag = TimeSpan.milliseconds(100)
  private static let margin = TimeSpan.milliseconds(5)

  init(_ mix: MixMinus, _ configuration: MediaPipelineConfiguration) throws(OpusError) {
    self.mix = mix
    encoder = try AudioPacketEncoder(configuration)
    channels = configuration.channels == 2 ? 2 : 1
    sum = .allocate(capacity: AudioTimeline.packetFrames)
    sum.initialize(repeating: 0)
    voice = .allocate(capacity: AudioTimeline.packetFrames)
    voice.initialize(repeating: 0)
    mixed = .allocate(capacity: AudioTimeline.packetFrames * channels)
    mixed.initialize(repeating: 0)
  }

  deinit {
    sum.deallocate()
    voice.deallocate()
    mixed.deallocate()
  }

  func setExpectedLoss(_ percent: Int) throws(OpusError) { try encoder.setExpectedLoss(percent) }

  func encode(_ samples: Span<Int16>, at timestamp: MonotonicInstant, number: UInt32) throws(OpusError) {
    addOthers(at: timestamp)
    for index in 0..<min(samples.count, mixed.count) {
      let sample = Float(samples[index]) + sum[index / channels]
      mixed[index] = Int16(nearest: limiter.limit(sample))
    }
    let inbox = mix.inbox
    try encoder.encode(UnsafeBufferPointer(mixed).span, at: timestamp, number: number, mix: mix.id) { header, payload in
      inbox.push(header, payload: payload)
    }
  }

  private func follow(_ sound: PlayedSound, at timestamp: MonotonicInstant) {
    let missing = timestamp + AudioTimeline.packetDuration - sound.end
    if missing > lag, missing < Self.longestLag { lag = missing + Self.margin }
  }

  private func addOthers(at timestamp: MonotonicInstant) {
    sum.update(repeating: 0)
    for talker in mix.others {
      guard let sound = talker.sound else { continue }
      follow(sound, at: timestamp)
      sound.read(into: voice, from: timestamp - lag)
      for index in sum.indices { sum[index] = sum[index] + Float(voice[index]) }
    }
  }
}
