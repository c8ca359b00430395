internal import MediaCore

/// One way in which a camera can deliver pictures.
struct CaptureMode: Hashable, Sendable {
  var format: PixelFormat
  /// The driver's FourCC code of `format`.
  var code: UInt32
  var width: Int
  var height: Int
  /// The highest rate at this size, or nil when the driver does not say.
  var frameRate: Double?
}

/// What a caller would like to get from a camera; the nearest that it can do is taken.
public struct CaptureRequest: Hashable, Sendable {
  public var width: Int
  public var height: Int
  public var frameRate: Int

  public init(width: Int, height: Int, frameRate: Int) {
    self.width = width
    self.height = height
    self.frameRate = frameRate
  }
}

extension CaptureRequest {
  /// Picks the mode to use: the right size first, then a sufficient rate, then the least conversion.
  ///
  /// Many USB cameras deliver large pictures at full rate only as MJPEG; this finds that.
  func best(of modes: [CaptureMode]) -> CaptureMode? {
    modes.min { isBetter($0, than: $1) }
  }

  private func isBetter(_ one: CaptureMode, than other: CaptureMode) -> Bool {
    let sizes = (sizeError(one), sizeError(other))
    if sizes.0 != sizes.1 { return sizes.0 < sizes.1 }
    let rates = (rateError(one), rateError(other))
    if rates.0 != rates.1 { return rates.0 < rates.1 }
    return one.format.rawValue < other.format.rawValue
  }

  private func sizeError(_ mode: CaptureMode) -> Int {
    abs(mode.width - width) + abs(mode.height - height)
  }

  /// Missing frames a second; a rate that the driver keeps to itself counts as sufficient, and 5 % less than asked
  /// for (29.97 or 28.6 for 30) as well.
  private func rateError(_ mode: CaptureMode) -> Int {
    guard let rate = mode.frameRate, rate < Double(frameRate) * 0.95 else { return 0 }
    return max(1, frameRate - Int(rate))
  }
}
