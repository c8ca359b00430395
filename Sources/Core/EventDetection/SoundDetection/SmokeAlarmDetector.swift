internal import MediaCore

/// Recognises the evacuation signal of smoke alarms: the temporal pattern of ISO 8201, three pulses of 0.5 s with pauses of 0.5 s,
/// then 1.5 s of silence, repeated, near 3.1 kHz or at 520 Hz.
///
/// Takes blocks of 20 ms. Two whole patterns in a row make an alarm, so that it is reported within nine seconds and
/// neither speech nor music nor a single beep is one; it continues while patterns follow. Reads no clock and allocates
/// only when made.
public struct SmokeAlarmDetector: Hashable, Sendable {
  /// Samples of a block, at ``sampleRate``.
  public static var blockFrames: Int { 320 }
  /// Samples a second.
  public static var sampleRate: Int { 16_000 }

  private let meters: [ToneMeter]
  private var samples: [Float]
  private var pattern = TemporalPattern()
  private var gate = ToneGate()

  /// Cosines of the turn from sample to sample at 16 kHz: 2,800 to 3,500 Hz in steps of 50 Hz (a block resolves 50 Hz), and 480 to 560
  /// Hz in steps of 40 Hz.
  private static let cosines: [Float] =
    stride(from: 2_800.0, through: 3_500, by: 50).map(cosine) + [480.0, 520, 560].map(cosine)

  public init() {
    meters = Self.cosines.map { ToneMeter(cosine: $0) }
    samples = [Float](repeating: 0, count: Self.blockFrames)
  }

  /// Takes a block; returns whether the alarm sounds.
  ///
  /// - Parameter block: ``blockFrames`` samples.
  public mutating func take(_ block: Span<Int16>) -> Bool {
    precondition(block.count == Self.blockFrames)
    var power: Float = 0
    for index in 0..<block.count {
      samples[index] = Float(block[index]) / 32_768
      power += samples[index] * samples[index]
    }
    power /= Float(block.count)
    return pattern.take(isOn: gate.take(share: loudestShare(power), power: power))
  }

  /// The share of the strongest frequency.
  private func loudestShare(_ power: Float) -> Float {
    guard power > ToneGate.leastPower else { return 0 }
    var maximum: Float = 0
    for meter in meters { maximum = max(maximum, meter.share(of: samples.span, power: power)) }
    return maximum
  }

  /// By the Taylor series, since the standard library has no cosine; the turn is at most 1.4.
  private static func cosine(_ frequency: Double) -> Float {
    let turn = 2 * Double.pi * frequency / Double(sampleRate)
    var (term, sum) = (1.0, 1.0)
    for index in stride(from: 1.0, to: 25, by: 2) {
      term *= -turn * turn / (index * (index + 1))
      sum += term
    }
    return Float(sum)
  }
}

/// Whether a block is a tone: at least a third of its power at one frequency, since echoes take some of it away.
struct ToneGate: Hashable, Sendable {
  /// -50 dB relative to full scale.
  static let leastPower: Float = 1e-5
  private static let leastShare: Float = 0.34

  func take(share: Float, power: Float) -> Bool { power > Self.leastPower && share >= Self.leastShare }
}
