/// Names one source of an RTP stream (RFC 3550 §3).
public struct SSRC: RawRepresentable, Hashable, Sendable {
  /// 32 bits, drawn at random by the sender (RFC 3550 §8).
  public var rawValue: UInt32

  /// Any number is a source.
  @inlinable
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// Any number is a source.
  @inlinable
  public init(_ value: UInt32) { rawValue = value }
}
