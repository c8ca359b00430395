public import MediaCore

/// How loud a packet of sound is (RFC 6464 §3).
public struct AudioLevel: Sendable, Hashable {
  /// In decibels below the loudest possible signal: 0 is the loudest, 127 silence.
  public var attenuation: UInt8
  /// The sender takes it for speech.
  public var isVoice: Bool

  /// - Parameter attenuation: brought to 127 at most.
  public init(attenuation: UInt8, isVoice: Bool = false) {
    self.attenuation = min(attenuation, 127)
    self.isVoice = isVoice
  }

  init(octet: UInt8) { self.init(attenuation: octet & 0x7F, isVoice: octet & 0x80 != 0) }

  /// The one octet of the extension element.
  public var octet: UInt8 { (isVoice ? 0x80 : 0) | attenuation }
}

/// The time of sending as 24 bits: six of seconds and eighteen of their fraction
/// (www.webrtc.org/experiments/rtp-hdrext/abs-send-time). It wraps after 64 s.
public struct AbsoluteSendTime: Sendable, Hashable {
  /// 64 s in units of 2^-18 s.
  static let cycle: Int64 = 1 << 24

  /// 24 bits, in units of 2⁻¹⁸ s.
  public var rawValue: UInt32

  /// Uses the lower 24 bits.
  public init(rawValue: UInt32) { self.rawValue = rawValue & 0xFF_FFFF }

  /// The time of a packet that leaves at `instant`, of any epoch.
  public init(_ instant: MonotonicInstant) {
    let seconds = (instant.nanoseconds / 1_000_000_000) & 63
    let fraction = (instant.nanoseconds % 1_000_000_000) << 18 / 1_000_000_000
    rawValue = UInt32(truncatingIfNeeded: seconds << 18 | fraction) & 0xFF_FFFF
  }
}

/// Puts the sending times of a stream on one growing timeline.
public struct AbsoluteSendTimeUnwrapper: Sendable {
  private var last: Int64?

  /// The first time to come sets the origin.
  public init() {}

  /// The time of sending since the sender's own origin, at most 32 s from that of the packet before.
  public mutating func unwrap(_ time: AbsoluteSendTime) -> TimeSpan {
    let value = Int64(time.rawValue)
    guard let last else {
      self.last = value
      return Self.span(value)
    }
    var difference = (value - last) & (AbsoluteSendTime.cycle - 1)
    if difference >= AbsoluteSendTime.cycle / 2 { difference -= AbsoluteSendTime.cycle }
    self.last = last + difference
    return Self.span(last + difference)
  }

  private static func span(_ units: Int64) -> TimeSpan {
    TimeSpan(nanoseconds: (units >> 18) * 1_000_000_000 + ((units & 0x3_FFFF) * 1_000_000_000) >> 18)
  }
}

extension RTPHeader {
  /// The audio level of the packet that this header was parsed from, if it carries element `id`.
  public func audioLevel(_ id: UInt8, in packet: RawSpan) -> AudioLevel? {
    number(id, byteCount: 1, in: packet).map { AudioLevel(octet: UInt8(truncatingIfNeeded: $0)) }
  }

  /// The time of sending of the packet that this header was parsed from, if it carries element `id`.
  public func absoluteSendTime(_ id: UInt8, in packet: RawSpan) -> AbsoluteSendTime? {
    number(id, byteCount: 3, in: packet).map { AbsoluteSendTime(rawValue: $0) }
  }

  /// The transport-wide sequence number of the packet that this header was parsed from, if it carries element `id`.
  public func transportSequenceNumber(_ id: UInt8, in packet: RawSpan) -> SequenceNumber? {
    number(id, byteCount: 2, in: packet).map { SequenceNumber(UInt16(truncatingIfNeeded: $0)) }
  }

  private func number(_ id: UInt8, byteCount: Int, in packet: RawSpan) -> UInt32? {
    guard let range = extensionElement(id, in: packet), range.count == byteCount else { return nil }
    var reader = ByteReader(packet.extracting(range))
    var value: UInt32 = 0
    // Counted, since running into the end would allocate an error.
    while reader.offset < byteCount, let octet = try? reader.readUInt8() { value = value << 8 | UInt32(octet) }
    return value
  }
}
