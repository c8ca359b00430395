import MediaCore
import TransportCrypto

/// Takes packets without their protection.
///
/// The bytes are valid only during the call.
protocol PacketSink: AnyObject {
  /// - Returns: whether the packet was well formed.
  func receive(_ packet: RawSpan, _ kind: PacketInput.Kind, now: MonotonicInstant) -> Bool
}

/// Removes the protection of the packets that come in, and counts those that are refused.
struct PacketInput {
  /// What a protected packet is.
  enum Kind {
    case rtp, rtcp

    /// Where the packet's SSRC stands, outside of the encrypted part (RFC 3711 §3.1, §3.4).
    fileprivate var sourceOffset: Int { self == .rtp ? 8 : 4 }
  }

  private(set) var sources = AuthenticatedSSRCs()
  /// Packets that failed authentication, were replayed, or whose source is one too many.
  private(set) var refusedCount: UInt64 = 0

  /// Turns a packet into plain text in place and returns its length, or nil if it is refused.
  mutating func unprotect(_ datagram: inout MutableRawSpan, _ kind: Kind, with protection: any PacketProtection) -> Int?
  {
    guard let source = Self.source(of: datagram.bytes, kind), sources.admits(source),
      let length = Self.remove(protection, from: &datagram, kind)
    else {
      refusedCount += 1
      return nil
    }
    sources.insert(source)
    return length
  }

  /// The source (SSRC) that a protected packet names, in the clear and so without proof (RFC 3550 §5.1, §6.4.1); nil for
  /// other datagrams.
  static func source(of datagram: RawSpan) -> UInt32? {
    switch DatagramKind(datagram) {
    case .rtp: source(of: datagram, .rtp)
    case .rtcp: source(of: datagram, .rtcp)
    case .stun, .dtls, .turnChannel, .unknown: nil
    }
  }

  private static func source(of datagram: RawSpan, _ kind: Kind) -> UInt32? {
    var reader = ByteReader(datagram)
    guard (try? reader.skip(kind.sourceOffset)) != nil else { return nil }
    return try? reader.readUInt32()
  }

  private static func remove(
    _ protection: any PacketProtection, from datagram: inout MutableRawSpan, _ kind: Kind
  ) -> Int? {
    switch kind {
    case .rtp: try? protection.unprotectRTP(&datagram, length: datagram.byteCount)
    case .rtcp: try? protection.unprotectRTCP(&datagram, length: datagram.byteCount)
    }
  }
}
