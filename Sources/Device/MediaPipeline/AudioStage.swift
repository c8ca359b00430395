internal import AudioProcessing
internal import MediaCore
internal import MediaCodecs
internal import RealtimeRuntime
internal import SystemSupport

/// Cleans, encodes and publishes packets of 20 ms. Owned by the audio thread.
struct AudioStage: ~Copyable {
  private let encoder: AudioPacketEncoder
  private var mixes: MixMinusStage
  private let controls: PipelineControls
  private let silence: UnsafeMutableBufferPointer<Int16>
  private var loss = LossExpectation()
  private var expectedLoss = 0
  /// Nil without a loudspeaker that the microphone could pick up.
  private var echo: EchoStage?

  init(_ controls: PipelineControls) throws(OpusError) {
    encoder = try AudioPacketEncoder(controls.configuration)
    mixes = MixMinusStage(controls)
    silence = .allocate(capacity: AudioTimeline.packetFrames * (controls.configuration.channels == 2 ? 2 : 1))
    silence.initialize(repeating: 0)
    self.controls = controls
    echo = Self.makeEchoStage(controls)
  }

  /// Only a microphone picks up the loudspeaker.
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
  mutating func encode(_ samples: Span<Int16>, at timestamp: MonotonicInstant) throws(OpusError) {
    let isMuted = controls.audio.isMuted.load(ordering: .relaxed)
    if !isMuted {
      controls.observers.sound?.offer(samples, channels: controls.configuration.channels == 2 ? 2 : 1, at: timestamp)
    }
    guard controls.bus.hasConsumers else { return }
    try applyControls()
    let audible = isMuted ? silence.span : samples
    let number = controls.audio.nextPacket.wrappingAdd(1, ordering: .relaxed).oldValue
    let controls = controls
    try encoder.encode(audible, at: timestamp, number: number) { header, payload in
      controls.bus.publish(header, payload: payload)
      PipelineCounters.count(controls.counters.packetsEncoded)
      PipelineCounters.count(controls.counters.audioBytes, bytes: payload.byteCount)
    }
    try mixes.encode(audible, at: timestamp, number: number, expectedLoss: expectedLoss)
  }

  /// Encodes and publishes 20 ms of silence, as late as what is captured, so that both follow each other without a gap.
  mutating func encodeSilence(at timestamp: MonotonicInstant) throws(OpusError) {
    try encode(silence.span, at: timestamp, isCaptured: false)
  }

  private mutating func applyControls() throws(OpusError) {
    let observed = controls.audio.expectedLoss.load(ordering: .relaxed)
    guard let expected = loss.update(observed: observed) else { return }
    expectedLoss = expected
    try encoder.setExpectedLoss(expected)
  }
}
