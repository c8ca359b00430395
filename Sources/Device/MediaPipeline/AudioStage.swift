internal import EchoControl
internal import MediaCore
internal import OpusCodec
internal import RealtimeRuntime
internal import Synchronization

/// Encodes packets of 20 ms and publishes them. Owned by the audio thread.
struct AudioStage: ~Copyable {
  private var encoder: OpusEncoder
  private let controls: PipelineControls
  private let silence: UnsafeMutableBufferPointer<Int16>
  private let bitrate: Bitrate
  private var loss = LossExpectation()
  private let usesDiscontinuousTransmission: Bool
  /// Nil without a loudspeaker to be heard in the microphone.
  private var echo: EchoStage?

  /// An encoder that need not send says so by a packet of this size or less (opus_encode).
  private static let longestUntransmitted = 2

  init(_ controls: PipelineControls) throws(OpusError) {
    let configuration = controls.configuration
    let channels = configuration.channels == 2 ? OpusChannels.stereo : .mono
    encoder = try OpusEncoder(
      OpusEncoderSettings(
        channels: channels, bitrate: configuration.audioBitrate,
        usesDiscontinuousTransmission: configuration.usesDiscontinuousTransmission))
    bitrate = configuration.audioBitrate
    usesDiscontinuousTransmission = configuration.usesDiscontinuousTransmission
    silence = .allocate(capacity: AudioTimeline.packetFrames * channels.rawValue)
    silence.initialize(repeating: 0)
    self.controls = controls
    echo = Self.makeEchoStage(controls)
  }

  /// Only a microphone hears the loudspeaker.
  private static func makeEchoStage(_ controls: PipelineControls) -> EchoStage? {
    let configuration = controls.configuration
    guard let played = controls.played, configuration.microphone.isMicrophone else { return nil }
    return EchoStage(played, channels: configuration.channels == 2 ? 2 : 1, settings: configuration.echoControl)
  }

  deinit { silence.deallocate() }

  /// Takes the loudspeaker's echo out of a packet from the microphone, then encodes and publishes it.
  mutating func encode(captured samples: Span<Int16>, at timestamp: MonotonicInstant) throws(OpusError) {
    try encode(samples, at: timestamp, isCaptured: true)
  }

  private mutating func encode(
    _ samples: Span<Int16>, at timestamp: MonotonicInstant, isCaptured: Bool
  ) throws(OpusError) {
    guard var stage = echo.take() else { return try encode(samples, at: timestamp) }
    // An encoder that fails ends the thread, so the stage is needed no more then.
    try stage.process(samples, at: timestamp, isCaptured: isCaptured) { (cleaned, start) throws(OpusError) in
      try encode(cleaned, at: start)
    }
    controls.audio.echo.withLock { $0 = stage.statistics }
    echo = consume stage
  }

  /// Encodes and publishes a packet, whose first sample was captured at `timestamp`.
  ///
  /// A packet that discontinuous transmission leaves empty is published as well, so that archives have no gaps, and
  /// marked as discardable, so that calls need not send it.
  mutating func encode(_ samples: Span<Int16>, at timestamp: MonotonicInstant) throws(OpusError) {
    guard controls.bus.hasConsumers else { return }
    try applyControls()
    let isMuted = controls.audio.isMuted.load(ordering: .relaxed)
    let controls = controls
    let mayBeEmpty = usesDiscontinuousTransmission
    let level = isMuted ? SoundLevel.silence : SoundLevel.attenuation(of: samples)
    try encoder.encode(isMuted ? silence.span : samples) { payload in
      let number = controls.audio.nextPacket.wrappingAdd(1, ordering: .relaxed).oldValue
      let header = EncodedFrameHeader(
        kind: .audio, timestamp: timestamp, duration: AudioTimeline.packetDuration, isKeyFrame: true,
        isDiscardable: mayBeEmpty && payload.byteCount <= Self.longestUntransmitted, number: number, soundLevel: level)
      controls.bus.publish(header, payload: payload)
      PipelineCounters.count(controls.counters.packetsEncoded)
      PipelineCounters.count(controls.counters.audioBytes, bytes: payload.byteCount)
    }
  }

  /// Encodes and publishes 20 ms of silence, as late as what is captured, so that both follow each other without a gap.
  mutating func encodeSilence(at timestamp: MonotonicInstant) throws(OpusError) {
    try encode(silence.span, at: timestamp, isCaptured: false)
  }

  private mutating func applyControls() throws(OpusError) {
    let observed = controls.audio.expectedLoss.load(ordering: .relaxed)
    guard let expected = loss.update(observed: observed) else { return }
    try encoder.setExpectedLoss(expected)
    try encoder.setBitrate(expected > 0 ? Self.withCopies(bitrate) : bitrate)
  }

  /// At 32 kbit/s libopus sends no copies below ten percent of loss, since they would cost the packets themselves too
  /// much; with half as much again it does from one percent on (measured with speech: docs/sound.md).
  private static func withCopies(_ bitrate: Bitrate) -> Bitrate {
    max(bitrate, min(Bitrate(bitsPerSecond: bitrate.bitsPerSecond / 2 * 3), .kilobits(64)))
  }
}
