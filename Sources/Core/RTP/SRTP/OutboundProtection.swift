import MediaCore
public import TransportCrypto

/// Protects outgoing packets (RFC 3711 §3.3).
///
/// A packet that is sent again has to be the same octet by octet: its index, and so the cipher's vector, is the same.
public struct OutboundProtection: ~Copyable {
  private let rtp: any PacketTransform
  private let rtcp: any PacketTransform
  private var indices = SSRCStateTable<PacketIndex>(limit: 64)
  private var nextReport: UInt32 = 1

  /// Our transforms: with the keys of our direction.
  public init(rtp: any PacketTransform, rtcp: any PacketTransform) {
    self.rtp = rtp
    self.rtcp = rtcp
  }

  /// Protects the first `length` octets in place and returns the new length.
  public mutating func protectRTP(
    _ packet: inout MutableRawSpan, length: Int
  ) throws(PacketProtectionError) -> Int {
    guard length >= 0, length + maximumTrailerLength <= packet.byteCount else { throw .bufferTooSmall }
    let bounds = try RTPBounds(packet.bytes.extracting(first: length))
    let index = try noteIndex(bounds)
    guard rtp.sealRTP(&packet, header: bounds.headerLength, length: length, ssrc: bounds.ssrc, index: index) else {
      throw .failed(code: 0)
    }
    return length + rtp.tagLength
  }

  private mutating func noteIndex(_ bounds: RTPBounds) throws(PacketProtectionError) -> UInt64 {
    guard let position = indices.position(of: bounds.ssrc) else {
      indices.insert(PacketIndex(first: bounds.sequenceNumber), for: bounds.ssrc)
      return UInt64(bounds.sequenceNumber)
    }
    guard let index = indices[position].estimate(bounds.sequenceNumber) else { throw .replayed }
    indices[position].note(index)
    indices.noteUse(at: position)
    return index
  }

  /// Protects a compound of `length` octets in place and returns the new length (RFC 3711 §3.4).
  ///
  /// - Throws: `PacketProtectionError`; always after 2³¹ compounds, since the key may protect no more (RFC 3711
  ///   §9.2).
  public mutating func protectRTCP(
    _ packet: inout MutableRawSpan, length: Int
  ) throws(PacketProtectionError) -> Int {
    guard length >= 0, length + maximumTrailerLength <= packet.byteCount else { throw .bufferTooSmall }
    let ssrc = try senderSSRC(packet.bytes.extracting(first: length))
    // At most 2^31 reports belong to one key (RFC 3711 §9.2).
    guard nextReport < 0x8000_0000 else { throw .failed(code: 1) }
    guard rtcp.sealRTCP(&packet, length: length, ssrc: ssrc, index: nextReport) else { throw .failed(code: 0) }
    nextReport += 1
    return length + rtcp.tagLength + SRTCPIndexWord.count
  }
}
