internal import COpus
public import MediaCore

/// What an ``OpusEncoder`` is made for.
public struct OpusEncoderSettings: Sendable {
  /// What the encoder optimises for.
  public enum Application: Sendable {
    /// Speech first.
    case voice
    /// Faithful to any sound.
    case audio
  }

  public var channels: OpusChannels
  public var bitrate: Bitrate
  public var application: Application
  /// Adds a coarse copy of the previous packet, when ``expectedLoss`` makes it worth its bits.
  public var usesForwardErrorCorrection: Bool
  /// Percent of packets that are lost, 0 to 100.
  public var expectedLoss: Int
  /// Sends next to nothing during silence.
  public var usesDiscontinuousTransmission: Bool
  /// 0 (least work) to 10.
  public var complexity: Int

  public init(
    channels: OpusChannels = .mono, bitrate: Bitrate = .kilobits(32), application: Application = .voice,
    usesForwardErrorCorrection: Bool = true, expectedLoss: Int = 0, usesDiscontinuousTransmission: Bool = false,
    complexity: Int = 5
  ) {
    self.channels = channels
    self.bitrate = bitrate
    self.application = application
    self.usesForwardErrorCorrection = usesForwardErrorCorrection
    self.expectedLoss = expectedLoss
    self.usesDiscontinuousTransmission = usesDiscontinuousTransmission
    self.complexity = complexity
  }
}

/// A 48 kHz Opus encoder for packets of 2.5 to 60 ms; 20 ms is what this project sends.
///
/// Allocates only when made. Use from one thread at a time: libopus locks nothing.
public struct OpusEncoder: ~Copyable {
  /// Samples of each channel in 20 ms.
  public static let samplesPerPacket = 960

  private let state: OpaquePointer
  private let output: UnsafeMutableRawBufferPointer
  private let channels: OpusChannels

  /// The largest packet of one frame (RFC 6716 §3.2.1), so that no encoding can fail for lack of space.
  private static let maximumPacket = 1_275

  public init(_ settings: OpusEncoderSettings) throws(OpusError) {
    state = try Self.makeState(settings)
    channels = settings.channels
    output = .allocate(byteCount: Self.maximumPacket, alignment: 16)
  }

  private static func makeState(_ settings: OpusEncoderSettings) throws(OpusError) -> OpaquePointer {
    let application = settings.application == .voice ? OPUS_APPLICATION_VOIP : OPUS_APPLICATION_AUDIO
    var status: Int32 = 0
    let state = opus_encoder_create(
      Int32(opusSampleRate), Int32(settings.channels.rawValue), application, &status)
    guard let state else { throw OpusError(call: "opus_encoder_create", code: status) }
    do throws(OpusError) {
      try apply(settings, to: state)
    } catch {
      opus_encoder_destroy(state)
      throw error
    }
    return state
  }

  private static func apply(_ settings: OpusEncoderSettings, to state: OpaquePointer) throws(OpusError) {
    try set(OPUS_SET_COMPLEXITY_REQUEST, settings.complexity, "OPUS_SET_COMPLEXITY", of: state)
    try set(
      OPUS_SET_INBAND_FEC_REQUEST, settings.usesForwardErrorCorrection ? 1 : 0, "OPUS_SET_INBAND_FEC", of: state)
    try set(OPUS_SET_DTX_REQUEST, settings.usesDiscontinuousTransmission ? 1 : 0, "OPUS_SET_DTX", of: state)
    try set(OPUS_SET_BITRATE_REQUEST, settings.bitrate.bitsPerSecond, "OPUS_SET_BITRATE", of: state)
    try set(OPUS_SET_PACKET_LOSS_PERC_REQUEST, settings.expectedLoss, "OPUS_SET_PACKET_LOSS_PERC", of: state)
  }

  deinit {
    opus_encoder_destroy(state)
    output.deallocate()
  }

  /// Changes the target rate from the next packet on; 6 to 510 kbit/s.
  public mutating func setBitrate(_ bitrate: Bitrate) throws(OpusError) {
    try Self.set(OPUS_SET_BITRATE_REQUEST, bitrate.bitsPerSecond, "OPUS_SET_BITRATE", of: state)
  }

  /// Sets the current packet loss in percent, which decides how much forward error correction is sent.
  public mutating func setExpectedLoss(_ percent: Int) throws(OpusError) {
    let percent = min(max(percent, 0), 100)
    try Self.set(OPUS_SET_PACKET_LOSS_PERC_REQUEST, percent, "OPUS_SET_PACKET_LOSS_PERC", of: state)
  }

  private static func set(
    _ request: Int32, _ value: Int, _ name: String, of state: OpaquePointer
  ) throws(OpusError) {
    try OpusError.check(copus_encoder_set(state, request, Int32(clamping: value)), name)
  }

  /// Encodes interleaved samples of one packet and lends it to `body`, which is valid only during the call.
  ///
  /// - Parameter samples: 2.5, 5, 10, 20, 40 or 60 ms of each channel; traps when empty.
  public mutating func encode(_ samples: Span<Int16>, _ body: (RawSpan) -> Void) throws(OpusError) {
    let perChannel = Int32(samples.count / channels.rawValue)
    let result = samples.withUnsafeBufferPointer { samples in
      opus_encode(
        state, samples.baseAddress!, perChannel, output.baseAddress!.assumingMemoryBound(to: UInt8.self),
        Int32(output.count))
    }
    let count = try OpusError.check(result, "opus_encode")
    body(UnsafeRawBufferPointer(start: output.baseAddress, count: count).bytes)
  }
}
