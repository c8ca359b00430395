import MediaCore

/// How often in a row a session's links to one TURN server have failed.
struct TURNServerFailures {
  /// A relay that has served for this long counts as working.
  private static let provingTime = TimeSpan.seconds(30)

  private var pauses = Backoff(initial: .seconds(1), maximum: .seconds(30))
  /// The log says that the server does not serve.
  var areReported = false

  /// Notes another one.
  ///
  /// - Parameter service: since when there has been an allocation; nil if there was none.
  /// - Returns: when to retry: after a second, then after pauses that double up to half a minute.
  mutating func note(servingSince service: MonotonicInstant?, now: MonotonicInstant) -> MonotonicInstant {
    if let service, now - service >= Self.provingTime { pauses.reset() }
    return now + pauses.next()
  }

  /// The network is another one: what was tried before says nothing.
  mutating func forget() { pauses.reset() }
}
