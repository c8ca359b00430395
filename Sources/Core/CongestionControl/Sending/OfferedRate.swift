public import MediaCore

/// The recently sent octets, the last second in slots of 100 ms.
public struct OfferedRate: Sendable {
  private static var slot: TimeSpan { .milliseconds(100) }
  private static let slotCount = 11

  private var octets = [Int](repeating: 0, count: slotCount)
  private var sum = 0
  /// The slot that is being filled, counted from the clock's zero.
  private var current: Int64?

  /// Nothing was sent.
  public init() {}

  /// Notes that a packet leaves.
  public mutating func add(_ byteCount: Int, now: MonotonicInstant) {
    advance(to: now)
    octets[index(current ?? 0)] += byteCount
    sum += byteCount
  }

  /// Over the last second, in bits a second.
  public mutating func rate(now: MonotonicInstant) -> Double {
    advance(to: now)
    let filled = TimeSpan(nanoseconds: now.nanoseconds % Self.slot.nanoseconds)
    return Double(sum) * 8 / (Self.slot * Int64(Self.slotCount - 1) + filled).seconds
  }

  private mutating func advance(to now: MonotonicInstant) {
    let next = now.nanoseconds / Self.slot.nanoseconds
    let last = current ?? next
    for number in max(last + 1, next - Int64(Self.slotCount) + 1)..<max(next + 1, last + 1) {
      sum -= octets[index(number)]
      octets[index(number)] = 0
    }
    current = max(last, next)
  }

  private func index(_ number: Int64) -> Int { Int(number % Int64(Self.slotCount)) }
}
