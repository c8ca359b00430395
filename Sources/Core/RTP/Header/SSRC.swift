/// Names one source of an RTP stream (RFC 3550 §3).
public struct SSRC: RawRepresentable, Hashable, Sendable {
  public var rawValue: UInt32

  @inlinable
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  @inlinable
  public init(_ value: UInt32) { rawValue = value }
}
