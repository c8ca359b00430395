internal import COpus

/// A 48 kHz Opus decoder with concealment and forward error correction.
///
/// Allocates only when made. Use from one thread at a time: libopus locks nothing.
public struct OpusDecoder: ~Copyable {
  /// Samples of each channel in the longest packet, 120 ms.
  public static let maximumSamplesPerPacket = 5_760

  private let state: OpaquePointer
  private let channels: OpusChannels

  public init(channels: OpusChannels) throws(OpusError) {
    var status: Int32 = 0
    let state = opus_decoder_create(Int32(opusSampleRate), Int32(channels.rawValue), &status)
    guard let state else { throw OpusError(call: "opus_decoder_create", code: status) }
    self.state = state
    self.channels = channels
  }

  deinit { opus_decoder_destroy(state) }

  /// Decodes a packet into interleaved samples.
  ///
  /// - Returns: samples of each channel written; throws when `output` is too short for the packet.
  public mutating func decode(_ packet: RawSpan, into output: inout MutableSpan<Int16>) throws(OpusError) -> Int {
    try run(packet, into: &output, samplesPerChannel: output.count / channels.rawValue, usesFEC: false)
  }

  /// Recovers the packet *before* `packet` from the coarse copy in it, or conceals when it has none.
  ///
  /// - Parameter samplesPerChannel: exactly the length of the loss.
  public mutating func recoverPrevious(
    of packet: RawSpan, samplesPerChannel: Int, into output: inout MutableSpan<Int16>
  ) throws(OpusError) -> Int {
    try run(packet, into: &output, samplesPerChannel: samplesPerChannel, usesFEC: true)
  }

  /// Makes up sound for a packet that is lost.
  ///
  /// - Parameter samplesPerChannel: a multiple of 480, unless the packets are shorter. After speech a part of 10 ms clicks:
  ///   libopus (1.3) makes all of it and drops the rest.
  public mutating func conceal(samplesPerChannel: Int, into output: inout MutableSpan<Int16>) throws(OpusError) -> Int {
    precondition(samplesPerChannel * channels.rawValue <= output.count)
    let result = output.withUnsafeMutableBufferPointer {
      opus_decode(state, nil, 0, $0.baseAddress!, Int32(samplesPerChannel), 0)
    }
    return try OpusError.check(result, "opus_decode")
  }

  private mutating func run(
    _ packet: RawSpan, into output: inout MutableSpan<Int16>, samplesPerChannel: Int, usesFEC: Bool
  ) throws(OpusError) -> Int {
    precondition(samplesPerChannel * channels.rawValue <= output.count)
    guard !packet.isEmpty else { throw OpusError(call: "opus_decode", code: OPUS_INVALID_PACKET) }
    let result = packet.withUnsafeBytes { bytes in
      output.withUnsafeMutableBufferPointer {
        opus_decode(
          state, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), Int32(bytes.count), $0.baseAddress!,
          Int32(samplesPerChannel), usesFEC ? 1 : 0)
      }
    }
    return try OpusError.check(result, "opus_decode")
  }

  /// Samples of each channel that a packet holds, read from its first bytes; nil for anything but an Opus packet.
  public static func samplesPerChannel(in packet: RawSpan) -> Int? {
    guard !packet.isEmpty else { return nil }
    let count = packet.withUnsafeBytes { bytes in
      opus_packet_get_nb_samples(
        bytes.baseAddress!.assumingMemoryBound(to: UInt8.self), Int32(bytes.count), Int32(opusSampleRate))
    }
    return count > 0 ? Int(count) : nil
  }
}
