internal import AudioProcessing
internal import SystemSupport
public import MediaCore

/// Figures of an ``AudioPlayout``, all talkers since its beginning together, read at one moment.
public struct AudioPlayoutStatistics: Sendable, Hashable {
  /// Packets decoded and played.
  public var played = 0
  /// Sound restored from the copies in later packets.
  public var recovered = TimeSpan.zero
  /// Sound made up for packets that were lost or late.
  public var concealed = TimeSpan.zero
  /// Sound taken out to shorten the delay.
  public var accelerated = TimeSpan.zero
  /// Sound put in to lengthen the delay.
  public var expanded = TimeSpan.zero
  /// Packets that came after their time, or twice.
  public var late = 0
  /// Packets left out: too many, too old, too long, or undecodable.
  public var skipped = 0
  /// Times that the card ran dry.
  public var underruns = 0
  /// What the talker's jitter asks for, from the arrival that its fastest packets would have had until the sound leaves for
  /// the card; the longest of those who talk now.
  public var targetDelay = TimeSpan.zero
  /// The delay that is, likewise.
  public var delay = TimeSpan.zero
}

/// What the playout thread reports, once a block.
final class PlayoutFigures: Sendable {
  private let figures = Mutex(AudioPlayoutStatistics())

  var snapshot: AudioPlayoutStatistics { figures.withLock { $0 } }

  func store(_ statistics: AudioPlayoutStatistics) { figures.withLock { $0 = statistics } }
}

extension AudioPlayoutStatistics {
  /// Adds what a talker's jitter buffer has counted; the longest delay stands.
  mutating func add(_ talker: JitterBufferStatistics) {
    played += talker.decodedPackets
    recovered = recovered + Self.span(talker.recoveredSamples)
    concealed = concealed + Self.span(talker.concealedSamples)
    accelerated = accelerated + Self.span(talker.acceleratedSamples)
    expanded = expanded + Self.span(talker.expandedSamples)
    late += talker.latePackets
    skipped += talker.droppedPackets
    targetDelay = max(targetDelay, talker.targetDelay)
    delay = max(delay, talker.currentDelay)
  }

  private static func span(_ samples: Int) -> TimeSpan { TimeSpan.seconds(Int64(samples)) / 48_000 }
}
