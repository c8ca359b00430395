internal import Locking

/// Counters of an ``AudioPlayout``, read at one moment.
public struct AudioPlayoutStatistics: Sendable, Hashable {
  /// Packets decoded and played.
  public var played = 0
  /// Packets recovered from the one after them.
  public var recovered = 0
  /// Packets that were concealed.
  public var concealed = 0
  /// Packets left out because too many waited.
  public var leftOut = 0
  /// Packets that came too late, twice, or too long.
  public var lateOrRefused = 0
  /// Times that the card ran dry.
  public var underruns = 0
}

/// The live counters; the playout thread writes them.
struct PlayoutCounters: ~Copyable, Sendable {
  let played = Atomic<Int>(0)
  let recovered = Atomic<Int>(0)
  let concealed = Atomic<Int>(0)
  let leftOut = Atomic<Int>(0)
  let lateOrRefused = Atomic<Int>(0)
  let underruns = Atomic<Int>(0)

  var snapshot: AudioPlayoutStatistics {
    AudioPlayoutStatistics(
      played: played.load(ordering: .relaxed), recovered: recovered.load(ordering: .relaxed),
      concealed: concealed.load(ordering: .relaxed), leftOut: leftOut.load(ordering: .relaxed),
      lateOrRefused: lateOrRefused.load(ordering: .relaxed), underruns: underruns.load(ordering: .relaxed))
  }
}
