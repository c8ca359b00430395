internal import MediaCore

/// One way in which a camera can deliver frames.
struct CaptureMode: Hashable, Sendable {
  var code: FourCC
  var delivery: FrameDelivery
  var width: Int
  var height: Int
  /// The highest rate at this size, or nil when the driver does not say.
  var frameRate: Double?
}

/// The requested mode; the camera's nearest one is used.
public struct CaptureRequest: Hashable, Sendable {
  /// Pixels.
  public var width: Int
  public var height: Int
  /// Frames a second, at least 1.
  public var frameRate: Int
  /// The only pixel format to take, by its V4L2 code such as `YUYV` or `MJPG`; nil for the least conversion.
  public var format: String?
  /// Settings to apply first.
  public var setup: CameraSetup

  public init(width: Int, height: Int, frameRate: Int, format: String? = nil, setup: CameraSetup = CameraSetup()) {
    self.width = width
    self.height = height
    self.frameRate = frameRate
    self.format = format
    self.setup = setup
  }
}

extension CaptureRequest {
  /// Picks the mode to use: the right size first, then a sufficient rate, then the least conversion.
  ///
  /// Many USB cameras deliver large frames at full rate only as MJPEG; this finds that.
  func best(of modes: [CaptureMode]) -> CaptureMode? {
    modes.min { isBetter($0, than: $1) }
  }

  /// Whether `mode` has the requested size and rate.
  func isMet(by mode: CaptureMode) -> Bool {
    sizeError(mode.width, mode.height) == 0 && rateError(mode) == 0
  }

  /// How far a size is from the requested one.
  func sizeError(_ width: Int, _ height: Int) -> Int {
    abs(width - self.width) + abs(height - self.height)
  }

  private func isBetter(_ one: CaptureMode, than other: CaptureMode) -> Bool {
    let sizes = (sizeError(one.width, one.height), sizeError(other.width, other.height))
    if sizes.0 != sizes.1 { return sizes.0 < sizes.1 }
    let rates = (rateError(one), rateError(other))
    if rates.0 != rates.1 { return rates.0 < rates.1 }
    return one.delivery.rank < other.delivery.rank
  }

  /// Missing frames a second; a rate that the driver keeps to itself counts as sufficient, and 5 % less than asked
  /// for (29.97 or 28.6 for 30) as well.
  private func rateError(_ mode: CaptureMode) -> Int {
    guard let rate = mode.frameRate, rate < Double(frameRate) * 0.95 else { return 0 }
    return max(1, frameRate - Int(saturating: rate))
  }
}
