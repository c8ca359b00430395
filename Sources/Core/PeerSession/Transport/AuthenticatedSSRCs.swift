import MediaCore

/// The sources of authentic packets. Their number is bounded, since packet protection keeps state for each.
struct AuthenticatedSSRCs {
  /// Far more than two streams, their retransmissions and the sources of reports can need.
  private static var limit: Int { 32 }

  private var sources = InlineArray<32, UInt32>(repeating: 0)
  private(set) var count = 0

  /// Whether a packet of this source may be unprotected.
  func admits(_ source: UInt32) -> Bool { count < Self.limit || contains(source) }

  /// Remembers the source of a packet that proved authentic.
  mutating func insert(_ source: UInt32) {
    guard count < Self.limit, !contains(source) else { return }
    sources[count] = source
    count += 1
  }

  /// - Parameter index: below ``count``, in the order in which they came.
  subscript(index: Int) -> UInt32 { sources[index] }

  private func contains(_ source: UInt32) -> Bool {
    let sources = sources.span
    for index in 0..<count where sources[index] == source { return true }
    return false
  }
}
