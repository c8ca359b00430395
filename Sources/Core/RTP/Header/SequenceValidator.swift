/// Distinguishes late and early packets from a sender that restarted its numbers (RFC 3550 A.1).
///
/// A number far from the highest is refused at first; when the next one follows it, the stream has restarted.
/// Extended numbers only ever grow, also over restarts.
struct SequenceValidator: Sendable {
  enum Verdict: Equatable {
    case accepted(Int64)
    /// The first packet of a restarted stream.
    case restarted(Int64)
    case rejected
  }

  /// MAX_DROPOUT, taken for late packets as well, since retransmissions arrive late.
  static let maximumJump: Int64 = 3_000

  private(set) var highest: Int64?
  private var expectedAfterJump: SequenceNumber?

  mutating func check(_ number: SequenceNumber) -> Verdict {
    guard let last = highest else {
      let first = 0x1_0000 + Int64(number.rawValue)
      highest = first
      return .accepted(first)
    }
    let extended = last + Int64(SequenceNumber(extended: last).distance(to: number))
    guard abs(extended - last) > Self.maximumJump else {
      expectedAfterJump = nil
      highest = max(last, extended)
      return .accepted(extended)
    }
    return checkRestart(number, last: last)
  }

  private mutating func checkRestart(_ number: SequenceNumber, last: Int64) -> Verdict {
    guard number == expectedAfterJump else {
      expectedAfterJump = number.advanced(by: 1)
      return .rejected
    }
    expectedAfterJump = nil
    let nextCycle = (last | 0xFFFF) + 1
    let extended = nextCycle + 0x1_0000 + Int64(number.rawValue)
    highest = extended
    return .restarted(extended)
  }
}
