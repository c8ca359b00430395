/// Counts the datagrams that the kernel refused to send, and keeps each new reason until it was told.
struct SendFailures {
  private(set) var count: UInt64 = 0
  /// Few: errno has a few values for sendmsg(2).
  private var known: [Int32] = []
  private var news: [Int32] = []

  init() {
    known.reserveCapacity(8)
    news.reserveCapacity(8)
  }

  /// Notes a datagram that is lost for the reason `errno`.
  mutating func note(_ errno: Int32) {
    count += 1
    guard !known.contains(errno) else { return }
    known.append(errno)
    news.append(errno)
  }

  /// Takes a reason that was not told before.
  mutating func takeNews() -> Int32? { news.popLast() }
}
