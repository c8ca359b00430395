/// Bands of bins, narrow at low and wider at high frequencies, like those of the ear.
enum Bands {
  private static let edges: InlineArray<27, Int> = [
    0, 4, 6, 8, 10, 12, 15, 18, 22, 26, 31, 37, 44, 52, 62, 74, 88, 105, 125, 145, 160, 190, 225, 270, 330, 400, 481,
  ]
  static let count = 26
  /// Those of 200 Hz to 5 kHz.
  static let speech = 1..<17

  static func range(_ band: Int) -> Range<Int> { edges[band]..<edges[band + 1] }

  /// Adds up the bins of each band.
  static func sum(_ bins: borrowing FloatBuffer, into bands: borrowing FloatBuffer) {
    for band in 0..<count {
      var sum: Float = 0
      for bin in range(band) { sum += bins[bin] }
      bands[band] = sum
    }
  }
}
