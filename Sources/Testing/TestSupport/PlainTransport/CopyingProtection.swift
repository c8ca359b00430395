public import TransportCrypto

/// SRTP that leaves packets unchanged.
public final class CopyingProtection: PacketProtectionMaking, PacketProtection {
  public init() {}

  public func makeProtection(_ keys: SRTPKeyingMaterial) -> any PacketProtection { self }
  public func protectRTP(_ buffer: inout MutableRawSpan, length: Int) -> Int { length }
  public func protectRTCP(_ buffer: inout MutableRawSpan, length: Int) -> Int { length }
  public func unprotectRTP(_ buffer: inout MutableRawSpan, length: Int) -> Int { length }
  public func unprotectRTCP(_ buffer: inout MutableRawSpan, length: Int) -> Int { length }
}
