/// How far the stream is decoded.
struct PlayPosition {
  /// The extended timestamp after decoded sound; nil before the first packet.
  var end: Int64?
  /// Until the first packet, and after long silence, nothing is played.
  var isPlaying = false
  /// Samples concealed since the last packet for which no timestamp was given up.
  var waited = 0
  private(set) var packetSamples = 960
  private var sequence: UInt16?

  mutating func begin(at ticks: Int64) {
    end = ticks
    isPlaying = true
    waited = 0
  }

  mutating func skip(to ticks: Int64?) { end = ticks ?? end }

  /// At least this many samples, as a decoder conceals them
  /// (``JitterBufferDecoder/concealLoss(samplesPerChannel:into:)``).
  func concealable(_ samples: Int) -> Int {
    let unit = packetSamples % 480 == 0 ? 480 : 120
    return (samples + unit - 1) / unit * unit
  }

  /// Sound before `ticks` is concealed, or given up.
  mutating func bridge(to ticks: Int64) {
    let gap = ticks - (end ?? ticks)
    waited = max(0, Int(clamping: Int64(waited) - gap))
    end = ticks
  }

  /// Whether no packet was sent between the last one and this one.
  func isSuccessor(_ sequence: UInt16?) -> Bool {
    guard let last = self.sequence, let sequence else { return false }
    return sequence == last &+ 1
  }

  mutating func notePlayed(_ packet: StoredPackets.Packet, samples: Int) {
    sequence = packet.sequence
    end = packet.ticks + Int64(samples)
    waited = 0
    packetSamples = samples
  }

  /// An undecodable packet is concealed like a lost one.
  mutating func noteUndecodable() { sequence = nil }
}
