import MediaCore

/// When packets of a stream were sent again, for the last 512 numbers. Allocated with the first such packet: most streams
/// never need it.
struct RepetitionTable {
  private struct Entry {
    var number = SequenceNumber(0)
    var isResent = false
    /// From when on a round trip passes until it is sent again; nil for a free place.
    var resentAt: MonotonicInstant?
  }

  private static var count: Int { 512 }
  private var entries: [Entry] = []

  /// These numbers belong to new packets.
  mutating func forget(from first: SequenceNumber, count: Int) {
    guard !entries.isEmpty else { return }
    for offset in 0..<min(count, Self.count) { entries[Self.slot(first.advanced(by: offset))].resentAt = nil }
  }

  func isResent(_ number: SequenceNumber) -> Bool { entry(number)?.isResent ?? false }

  func mayRepeat(_ wanted: Retransmission) -> Bool {
    guard let resentAt = entry(wanted.number)?.resentAt else { return true }
    return wanted.now - resentAt >= wanted.minimumInterval
  }

  mutating func holdBack(_ number: SequenceNumber, from instant: MonotonicInstant) {
    note(Entry(number: number, isResent: isResent(number), resentAt: instant))
  }

  mutating func noteResent(_ wanted: Retransmission) {
    note(Entry(number: wanted.number, isResent: true, resentAt: wanted.now))
  }

  private mutating func note(_ entry: Entry) {
    if entries.isEmpty { entries = Array(repeating: Entry(), count: Self.count) }
    entries[Self.slot(entry.number)] = entry
  }

  private func entry(_ number: SequenceNumber) -> Entry? {
    guard !entries.isEmpty else { return nil }
    let entry = entries[Self.slot(number)]
    return entry.number == number && entry.resentAt != nil ? entry : nil
  }

  private static func slot(_ number: SequenceNumber) -> Int { Int(clamping: number.rawValue) & (count - 1) }
}
