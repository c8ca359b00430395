/// Counts the datagrams that the kernel refused to send, and keeps each new reason until it was reported.
struct SendFailures {
  private(set) var count: UInt64 = 0
  /// Few: errno has a few values for sendmsg(2).
  private var known: [Int32] = []
  private var unreported: [Int32] = []

  init() {
    known.reserveCapacity(8)
    unreported.reserveCapacity(8)
  }

  /// Notes a datagram that is lost for the reason `errno`.
  mutating func note(_ errno: Int32) {
    count += 1
    guard !known.contains(errno) else { return }
    known.append(errno)
    unreported.append(errno)
  }

  /// Takes a reason that was not reported before.
  mutating func takeUnreported() -> Int32? { unreported.popLast() }
}
