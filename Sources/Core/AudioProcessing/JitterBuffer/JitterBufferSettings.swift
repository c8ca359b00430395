public import MediaCore

/// What a ``JitterBuffer`` is made for.
public struct JitterBufferSettings: Sendable {
  /// 1 or 2, interleaved.
  public var channels: Int
  /// The target delay is never less, however even the network.
  public var leastDelay: TimeSpan
  /// The maximum target delay; later packets are concealed.
  public var maxDelay: TimeSpan
  /// The target delay until half a second of packets has been seen.
  public var firstDelay: TimeSpan

  /// Brings `channels` to 1 unless it is 2, and orders the delays: minimum, initial, maximum.
  public init(
    channels: Int = 1, leastDelay: TimeSpan = .milliseconds(20), maxDelay: TimeSpan = .milliseconds(500),
    firstDelay: TimeSpan = .milliseconds(40)
  ) {
    self.channels = channels == 2 ? 2 : 1
    self.leastDelay = leastDelay
    self.maxDelay = max(leastDelay, maxDelay)
    self.firstDelay = min(max(firstDelay, leastDelay), maxDelay)
  }
}

/// Figures of a ``JitterBuffer`` since it was made. Samples are counted for each channel.
public struct JitterBufferStatistics: Sendable, Hashable {
  /// Delay that the network's jitter requires, beyond the fastest packets.
  public var targetDelay = TimeSpan.zero
  /// Delay now, beyond the fastest packets, until the next sample is played.
  public var currentDelay = TimeSpan.zero
  /// Packets that the decoder took.
  public var decodedPackets = 0
  /// Samples restored from the copy in the packet after them.
  public var recoveredSamples = 0
  /// Samples made up for packets that were lost or late.
  public var concealedSamples = 0
  /// Samples made up while the sender was silent (discontinuous transmission).
  public var silenceSamples = 0
  /// Samples removed to shorten the delay.
  public var acceleratedSamples = 0
  /// Samples put in to lengthen the delay.
  public var expandedSamples = 0
  /// Packets that came after their time, or twice.
  public var latePackets = 0
  /// Packets dropped: too long, undecodable, beyond the capacity, or too old to be caught up with.
  public var droppedPackets = 0
  /// How often the sender restarted its timestamps.
  public var restarts = 0

  /// Nothing was counted.
  public init() {}
}
