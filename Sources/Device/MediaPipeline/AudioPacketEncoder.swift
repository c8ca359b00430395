internal import MediaCore
internal import MediaCodecs

/// Encodes packets of 20 ms of one stream of sound. Owned by the audio thread.
final class AudioPacketEncoder {
  private var encoder: OpusEncoder
  private let bitrate: Bitrate
  private let usesDiscontinuousTransmission: Bool
  private var expectedLoss = 0

  /// An encoder that need not send says so by a packet of this size or less (opus_encode).
  private static let longestUntransmitted = 2

  init(_ configuration: MediaPipelineConfiguration) throws(OpusError) {
    bitrate = configuration.audioBitrate
    usesDiscontinuousTransmission = configuration.usesDiscontinuousTransmission
    encoder = try OpusEncoder(
      OpusEncoderSettings(
        channels: configuration.channels == 2 ? .stereo : .mono, bitrate: bitrate,
        usesDiscontinuousTransmission: usesDiscontinuousTransmission))
  }

  /// Takes how many percent of packets are lost.
  func setExpectedLoss(_ percent: Int) throws(OpusError) {
    guard percent != expectedLoss else { return }
    try encoder.setExpectedLoss(percent)
    try encoder.setBitrate(percent > 0 ? Self.withCopies(bitrate) : bitrate)
    expectedLoss = percent
  }

  /// At 32 kbit/s libopus sends no copies below ten percent of loss, since they would cost the packets themselves too
  /// much; with half as much again it does from one percent on (measured with speech: docs/internals/sound.md).
  private static func withCopies(_ bitrate: Bitrate) -> Bitrate {
    max(bitrate, min(Bitrate(bitsPerSecond: bitrate.bitsPerSecond / 2 * 3), .kilobits(64)))
  }

  /// Encodes a packet, whose first sample was captured at `timestamp`, and lends it to `publish`.
  ///
  /// A packet that discontinuous transmission leaves empty is marked as discardable: archives want no gaps, calls need not
  /// send it.
  func encode(
    _ samples: Span<Int16>, at timestamp: MonotonicInstant, number: UInt32, mix: UInt8 = 0,
    _ publish: (EncodedFrameHeader, RawSpan) -> Void
  ) throws(OpusError) {
    let level = SoundLevel.attenuation(of: samples)
    try encoder.encode(samples) { payload in
      let header = EncodedFrameHeader(
        kind: .audio, timestamp: timestamp, duration: AudioTimeline.packetDuration, isKeyFrame: true,
        isDiscardable: usesDiscontinuousTransmission && payload.byteCount <= Self.longestUntransmitted, number: number,
        soundLevel: level, mix: mix)
      publish(header, payload)
    }
  }
}
