public import MediaCore

/// When clusters are closed. The defaults put every frame on its way to the disk within 0.9 s of its arrival.
public struct WebMTiming: Sendable {
  /// The longest stretch of media in one cluster.
  public var clusterSpan: TimeSpan
  /// How long a cluster that is full waits for the other track to catch up, in media time.
  public var reorderWindow: TimeSpan
  /// The longest time that a frame is held in memory, by the clock.
  public var longestHold: TimeSpan

  /// The duration of a frame that carries none and has no predecessor: a file of no duration passes for a damaged one.
  static let loneFrameMilliseconds: Int64 = 33

  /// Nothing is checked: `longestHold` below `clusterSpan` makes clusters only by the clock.
  public init(
    clusterSpan: TimeSpan = .milliseconds(750), reorderWindow: TimeSpan = .milliseconds(150),
    longestHold: TimeSpan = .milliseconds(900)
  ) {
    self.clusterSpan = clusterSpan
    self.reorderWindow = reorderWindow
    self.longestHold = longestHold
  }
}
