/// A place in a user's event log: Redis's `milliseconds-sequence` as one number, 44 and 20 bits.
enum EventPosition {
  static let sequenceBits: UInt64 = 20

  /// Nil for what is no id of an entry, or beyond the bits.
  static func parse(_ text: String) -> UInt64? {
    guard let dash = text.firstIndex(of: "-"), let milliseconds = UInt64(text[..<dash]),
      let sequence = UInt64(text[text.index(after: dash)...])
    else { return nil }
    guard milliseconds < 1 << 44, sequence < 1 << sequenceBits else { return nil }
    return milliseconds << sequenceBits | sequence
  }

  static func text(_ position: UInt64) -> String {
    "\(position >> sequenceBits)-\(position & (1 << sequenceBits - 1))"
  }

  /// Milliseconds since 1970.
  static func milliseconds(_ position: UInt64) -> UInt64 { position >> sequenceBits }
}
