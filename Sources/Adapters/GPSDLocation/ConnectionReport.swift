/// Reports the connection to gpsd: each outage once, however many attempts fail.
struct ConnectionReport {
  private var isOutageReported = false

  /// A connection that was open has ended.
  mutating func ended() -> GPSDLocation.Change {
    isOutageReported = true
    return .disconnected("the connection ended")
  }

  /// An attempt to connect has failed; nil when the outage was reported before.
  mutating func failed(_ cause: String) -> GPSDLocation.Change? {
    guard !isOutageReported else { return nil }
    isOutageReported = true
    return .disconnected(cause)
  }
}
