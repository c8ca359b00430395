/// The measures that all stages share.
enum Audio {
  static let rate = 48_000
  /// 10 ms.
  static let block = 480
  /// Two blocks, transformed together.
  static let frame = 960
  /// Bins of a frame, 50 Hz apart, and the lanes that hold them.
  static let bins = 481
  static let lanes = 61
  /// Bins of the adaptive filter, up to 8 kHz, and the lanes that hold them.
  static let lowBins = 161
  static let lowLanes = 21
}
