/// Numbers the group names, so that two users' groups compare with one `and`.
///
/// The first 63 names have a bit of their own; all later ones share the last, where a hit must be checked by name.
struct GroupMasks {
  private static let sharedBit = 63
  private var bits: [String: Int] = [:]

  mutating func mask(of groups: Set<String>) -> UInt64 {
    groups.reduce(into: 0) { mask, group in
      let bit = bits[group] ?? min(bits.count, Self.sharedBit)
      bits[group] = bit
      mask |= 1 << UInt64(bit)
    }
  }

  /// True when only the shared bit hit, so that the names must decide.
  static func isAmbiguous(_ hit: UInt64) -> Bool { hit == 1 << UInt64(sharedBit) }
}
