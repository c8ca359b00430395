/// Remembers which of the latest 1,024 packet indices have been seen (RFC 3711 §3.3.2).
///
/// 1,024 packets are a second of video at 10 Mbit/s, so a repaired packet is rarely too old.
public struct ReplayWindow: Sendable {
  private var seen = InlineArray<16, UInt64>(repeating: 0)
  private var highest: UInt64 = 0
  private var isEmpty = true

  private static let size: UInt64 = 1_024

  /// Nothing was seen.
  public init() {}

  /// Whether a packet of this index is new.
  public func admits(_ index: UInt64) -> Bool {
    if isEmpty || index > highest { return true }
    guard highest - index < Self.size else { return false }
    return seen[Self.word(index)] & Self.bit(index) == 0
  }

  /// Takes note of an authentic packet that ``admits(_:)`` let through.
  public mutating func note(_ index: UInt64) {
    if isEmpty || index > highest { advance(to: index) }
    seen[Self.word(index)] |= Self.bit(index)
  }

  /// Forgets the bits that the indices up to `index` take over.
  private mutating func advance(to index: UInt64) {
    if isEmpty || index - highest >= Self.size {
      seen = InlineArray(repeating: 0)
    } else {
      for skipped in (highest + 1)...index { seen[Self.word(skipped)] &= ~Self.bit(skipped) }
    }
    highest = index
    isEmpty = false
  }

  private static func word(_ index: UInt64) -> Int { Int(truncatingIfNeeded: index % size / 64) }

  private static func bit(_ index: UInt64) -> UInt64 { 1 << (index % 64) }
}
