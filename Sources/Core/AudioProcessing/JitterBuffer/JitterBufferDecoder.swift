/// What a ``JitterBuffer`` needs of a 48 kHz decoder. Samples are interleaved.
///
/// Each call returns how many samples of each channel it wrote to the front of `output`, 0 when it failed; none writes
/// more than 5,760 (120 ms).
public protocol JitterBufferDecoder: ~Copyable {
  /// Decodes a packet.
  mutating func decodePacket(_ packet: RawSpan, into output: inout MutableSpan<Int16>) -> Int

  /// Recovers the packet before `packet` from the coarse copy in it (RFC 6716 §2.1.7), or conceals when it has none.
  mutating func decodeFEC(of packet: RawSpan, samplesPerChannel: Int, into output: inout MutableSpan<Int16>) -> Int

  /// Packet-loss concealment: continues the sound decoded last; fades out when called repeatedly.
  ///
  /// - Parameter samplesPerChannel: a multiple of 480; of 120 after a packet that is no multiple of 480. Asked for less
  ///   than 10 ms, libopus' linear prediction layer, which has no shorter packets, advances by 10 ms nevertheless and
  ///   the rest of them is lost, so that what is decoded next does not join.
  mutating func concealLoss(samplesPerChannel: Int, into output: inout MutableSpan<Int16>) -> Int
}
