/// Half duplex: attenuates the microphone while the loudspeaker plays, for acoustics that echo control cannot handle.
struct Ducker {
  private var gain: Float = 1
  private var hold = 0

  /// 30 dB.
  private static let least: Float = 0.03
  /// The minimum mean playback power that counts: -50 dB of full scale.
  private static let audible: Float = 1e-5
  /// Blocks until the microphone opens again, as between spoken words; then 100 ms.
  private static let holdBlocks = 25
  private static let release: Float = 0.1

  /// - Parameter played: the mean power of the current echo.
  mutating func process(_ block: borrowing FloatBuffer, played: Float) {
    hold = played > Self.audible ? Self.holdBlocks : max(hold - 1, 0)
    let next = hold > 0 ? Self.least : min(gain + Self.release, 1)
    for lane in 0..<Audio.block / 8 {
      block[lanes: lane] = block[lanes: lane] * (gain + (next - gain) * Float(lane + 1) / Float(Audio.block / 8))
    }
    gain = next
  }
}
