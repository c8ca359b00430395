/// Measures the echo reduction during far-end single talk: power in against power out, over some seconds.
struct ERLEMeter {
  private var captured: Float = 0
  private var cleaned: Float = 0
  /// The output belongs to the previous block.
  private var previous: Float = 0

  private static let memory: Float = 0.995
  private static let audible: Float = 1e-8

  /// Decibels; nil before there was any echo.
  var reduction: Float? { captured > 0 ? Numeric.decibels(captured / (cleaned + 1e-12)) : nil }

  mutating func measure(captured block: borrowing FloatBuffer, cleaned output: borrowing FloatBuffer, isEchoAlone: Bool)
  {
    let before = previous
    previous = block.power(Audio.block)
    guard isEchoAlone, before > Self.audible else { return }
    captured = Self.memory * captured + (1 - Self.memory) * before
    cleaned = Self.memory * cleaned + (1 - Self.memory) * output.power(Audio.block)
  }
}
