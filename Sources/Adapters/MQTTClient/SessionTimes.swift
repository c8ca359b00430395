import MediaCore

/// When a connection is to be probed, and when the broker has been silent for too long.
struct SessionTimes {
  /// From the beginning of an attempt until the broker lets the client in, TLS included.
  static let longestConnecting = TimeSpan.seconds(15)
  /// From what the broker has to answer until it answers anything.
  static let longestSilence = TimeSpan.seconds(20)
  /// The library counts in whole seconds.
  private static let margin = TimeSpan.milliseconds(1_100)

  private let keepAlive: TimeSpan
  private let openedAt: MonotonicInstant
  private var isConnected = false
  private var lastOutput: MonotonicInstant
  private var unansweredSince: MonotonicInstant?
  private var lastProbe: MonotonicInstant

  init(keepAlive: TimeSpan, now: MonotonicInstant) {
    self.keepAlive = keepAlive
    (openedAt, lastOutput, lastProbe) = (now, now, now)
  }

  mutating func didConnect(now: MonotonicInstant) {
    isConnected = true
    unansweredSince = nil
    (lastOutput, lastProbe) = (now, now)
  }

  /// Something was sent that the broker answers.
  mutating func didAsk(now: MonotonicInstant) {
    lastOutput = now
    unansweredSince = unansweredSince ?? now
  }

  /// The broker has sent something; `isMoreAwaited` says whether it still owes an answer.
  mutating func didHear(isMoreAwaited: Bool, now: MonotonicInstant) {
    unansweredSince = isMoreAwaited && isConnected ? now : nil
  }

  func isProbeDue(now: MonotonicInstant) -> Bool { isConnected && now >= lastOutput + keepAlive + Self.margin }

  /// Whether the work of a probe is due, which comes once in a keep-alive time however much is sent.
  mutating func takeProbe(now: MonotonicInstant) -> Bool {
    guard isConnected, now - lastProbe >= keepAlive else { return false }
    lastProbe = now
    return true
  }

  func isSilent(now: MonotonicInstant) -> Bool {
    if !isConnected { return now - openedAt >= Self.longestConnecting }
    return unansweredSince.map { now - $0 >= Self.longestSilence } ?? false
  }

  /// When to look at the times again.
  var nextDeadline: MonotonicInstant {
    guard isConnected else { return openedAt + Self.longestConnecting }
    let probe = lastOutput + keepAlive + Self.margin
    return unansweredSince.map { min(probe, $0 + Self.longestSilence) } ?? probe
  }
}

/// How much a broker may send: bursts of ``capacity``, and ``rate`` for ever. A device reads commands of a few octets.
struct ReceiveBudget {
  /// Octets.
  static let capacity: Int64 = 256 << 10
  /// Octets a second.
  static let rate: Int64 = 4 << 10

  private var left = Self.capacity
  private var seen: UInt64 = 0
  private var lastRefill: MonotonicInstant

  init(now: MonotonicInstant) { lastRefill = now }

  /// - Parameter total: octets received since the connection began.
  /// - Returns: false when that is too much.
  mutating func allows(total: UInt64, now: MonotonicInstant) -> Bool {
    let elapsed = max(0, (now - lastRefill).milliseconds)
    let refill = elapsed.multipliedReportingOverflow(by: Self.rate)
    left = min(Self.capacity, left.saturatingAdding(refill.overflow ? Self.capacity : refill.partialValue / 1_000))
    lastRefill = now
    left = left.saturatingSubtracting(Int64(clamping: total - min(seen, total)))
    seen = max(seen, total)
    return left >= 0
  }
}
