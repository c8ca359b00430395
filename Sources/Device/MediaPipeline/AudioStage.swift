internal import MediaCore
internal import OpusCodec
internal import RealtimeRuntime
internal import Synchronization

/// Collects samples into packets of 20 ms, encodes and publishes them. Owned by the audio thread.
struct AudioStage: ~Copyable {
  private var encoder: OpusEncoder
  private let controls: PipelineControls
  private let channels: Int
  private let samples: UnsafeMutableBufferPointer<Int16>
  private var filled = 0
  private var timeline = AudioTimeline(packet: AudioStage.packetDuration)
  private var bitrate: Int
  private var expectedLoss = 0

  static let packetDuration = TimeSpan.milliseconds(20)

  init(_ controls: PipelineControls) throws(OpusError) {
    let configuration = controls.configuration
    encoder = try OpusEncoder(
      OpusEncoderSettings(
        channels: configuration.channels == 2 ? .stereo : .mono, bitrate: configuration.audioBitrate,
        usesDiscontinuousTransmission: configuration.usesDiscontinuousTransmission))
    bitrate = configuration.audioBitrate.bitsPerSecond
    channels = configuration.channels == 2 ? 2 : 1
    samples = .allocate(capacity: OpusEncoder.samplesPerPacket * channels)
    samples.initialize(repeating: 0)
    self.controls = controls
  }

  deinit { samples.deallocate() }

  /// When the next packet begins, if one was published before.
  var nextTimestamp: MonotonicInstant? { timeline.next }

  /// Lends the part of the packet that is still to be filled; `body` returns how many values it wrote.
  mutating func fill<Failure: Error>(
    _ body: (inout MutableSpan<Int16>) throws(Failure) -> Int
  ) throws(Failure) {
    var rest = UnsafeMutableBufferPointer(rebasing: samples[filled...]).mutableSpan
    filled += try body(&rest)
  }

  var isFull: Bool { filled == samples.count }

  /// Samples of each channel that wait for the packet to be full.
  var pendingFrames: Int { filled / channels }

  /// Forgets an unfinished packet, after a gap.
  mutating func discard() { filled = 0 }

  mutating func fillWithSilence() {
    samples.update(repeating: 0)
    filled = samples.count
  }

  /// Encodes and publishes the full packet, whose first sample was captured at `measured`.
  mutating func publish(capturedAt measured: MonotonicInstant) throws(OpusError) {
    precondition(isFull)
    filled = 0
    let timestamp = timeline.advance(measured: measured)
    guard controls.bus.hasConsumers else { return }
    if controls.isAudioMuted.load(ordering: .relaxed) { samples.update(repeating: 0) }
    try applyControls()
    let controls = controls
    let level = SoundLevel.attenuation(of: samples.span)
    try encoder.encode(samples.span) { payload in
      let number = controls.nextPacket.wrappingAdd(1, ordering: .relaxed).oldValue
      let header = EncodedFrameHeader(
        kind: .audio, timestamp: timestamp, duration: Self.packetDuration, isKeyFrame: true, number: number,
        soundLevel: level)
      controls.bus.publish(header, payload: payload)
      PipelineCounters.count(controls.counters.packetsEncoded)
      PipelineCounters.count(controls.counters.audioBytes, payload.byteCount)
    }
  }

  private mutating func applyControls() throws(OpusError) {
    let wantedBitrate = controls.audioBitrate.load(ordering: .relaxed)
    if wantedBitrate != bitrate {
      try encoder.setBitrate(Bitrate(bitsPerSecond: wantedBitrate))
      bitrate = wantedBitrate
    }
    let wantedLoss = controls.expectedLoss.load(ordering: .relaxed)
    if wantedLoss != expectedLoss {
      try encoder.setExpectedLoss(wantedLoss)
      expectedLoss = wantedLoss
    }
  }
}
