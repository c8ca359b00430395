public import MediaCore

/// How long there has been an event stream, and how often one was opened.
public struct HubLink: Sendable, Equatable {
  /// Nil while there is none.
  public private(set) var connectedSince: MonotonicInstant?
  /// Streams opened after one had been lost.
  public private(set) var reconnects = 0
  private var hasConnected = false

  /// A stream continues under a new token without a gap, which is no new connection.
  mutating func opened(now: MonotonicInstant) {
    guard connectedSince == nil else { return }
    if hasConnected { reconnects += 1 }
    (connectedSince, hasConnected) = (now, true)
  }

  mutating func closed() { connectedSince = nil }
}
