import MediaCore

/// How an encoder differs from one that makes each frame as large as it should be.
struct EncoderHabits: Sendable {
  /// The part of a change of rate that is made with each frame.
  var agility = 1.0
  /// By how much the sizes of frames differ, of their mean.
  var spread = 0.0
  /// Key frames without anybody's asking, as recordings want them.
  var keyFrameInterval: TimeSpan?
  /// What a key frame needs beyond the share of a frame: at most so many shares, at most so many octets.
  var keyFrameShares = 4.0
  var keyFrameOctets = Double.infinity
  /// What the pictures are worth at most, in bits a second: where nothing moves, that is little.
  var demand: (@Sendable (MonotonicInstant) -> Double)?

  static let ideal = EncoderHabits()
  /// As libvpx behaves while a recording runs.
  static let lifelike = EncoderHabits(
    agility: 0.12, spread: 0.5, keyFrameInterval: .seconds(4), keyFrameShares: 8, keyFrameOctets: 16_000)
  /// The same before a scene in which for four seconds of eight little moves.
  static let restless: EncoderHabits = {
    var habits = lifelike
    habits.demand = { $0.nanoseconds % 8_000_000_000 < 4_000_000_000 ? 250_000 : 3_000_000 }
    return habits
  }()

  func keyFrameExcess(share: Double) -> Double { min(keyFrameShares * share, keyFrameOctets) }
}
