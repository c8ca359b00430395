internal import CLinux

/// A frame size and its rates, as a driver lists them.
public struct CameraFrameSize: Hashable, Sendable {
  /// Pixels.
  public var width: Int
  public var height: Int
  /// Frames a second, the highest first; only the ends where the driver takes any between them, none where it does
  /// not say.
  public var frameRates: [Double]
}

/// Sizes of which a driver takes any.
public struct CameraSizeRange: Hashable, Sendable {
  public var minimumWidth: Int
  public var maximumWidth: Int
  /// Widths are the smallest one plus multiples of this.
  public var widthStep: Int
  public var minimumHeight: Int
  public var maximumHeight: Int
  public var heightStep: Int

  /// The size nearest to a requested one.
  func nearest(width: Int, height: Int) -> (width: Int, height: Int) {
    (
      Self.nearest(width, minimumWidth, maximumWidth, widthStep),
      Self.nearest(height, minimumHeight, maximumHeight, heightStep)
    )
  }

  private static func nearest(_ wanted: Int, _ minimum: Int, _ maximum: Int, _ step: Int) -> Int {
    let inside = min(max(wanted, minimum), max(minimum, maximum))
    let steps = (inside - minimum + step / 2) / step
    let rounded = minimum + steps * step
    return rounded > maximum ? max(minimum, rounded - step) : rounded
  }
}

/// What a driver says about the sizes of a format.
enum FrameSizes {
  case discrete([(width: Int, height: Int)])
  case range(CameraSizeRange)
  case unknown
}

// Only ioctls that a driver answers from what it knows, so another program's stream is undisturbed.
extension V4L2Node {
  /// No driver lists more of anything.
  private static var limit: UInt32 { 256 }

  /// The formats that the driver lists, with its descriptions.
  func pixelFormats() -> [(code: FourCC, description: String)] {
    var formats: [(code: FourCC, description: String)] = []
    var entry = v4l2_fmtdesc()
    entry.type = queueType
    while entry.index < Self.limit, status(cv4l2_enum_fmt, &entry) == 0 {
      formats.append((FourCC(entry.pixelformat), text(entry.description)))
      entry.index += 1
    }
    return formats
  }

  func frameSizes(_ code: FourCC) -> FrameSizes {
    var sizes: [(width: Int, height: Int)] = []
    var entry = v4l2_frmsizeenum()
    entry.pixel_format = code.rawValue
    while entry.index < Self.limit, status(cv4l2_enum_framesizes, &entry) == 0 {
      guard entry.type == V4L2_FRMSIZE_TYPE_DISCRETE.rawValue else { return .range(CameraSizeRange(entry.stepwise)) }
      let (width, height) = (entry.discrete.width, entry.discrete.height)
      if FrameLimits.admits(width: width, height: height) {
        sizes.append((Int(clamping: width), Int(clamping: height)))
      }
      entry.index += 1
    }
    return sizes.isEmpty ? .unknown : .discrete(sizes)
  }

  /// Frames a second, the highest first; only the ends of a range, none when the driver does not say.
  func frameRates(_ code: FourCC, width: Int, height: Int) -> [Double] {
    var rates: [Double] = []
    var entry = v4l2_frmivalenum()
    entry.pixel_format = code.rawValue
    entry.width = UInt32(clamping: width)
    entry.height = UInt32(clamping: height)
    while entry.index < Self.limit, status(cv4l2_enum_frameintervals, &entry) == 0 {
      guard entry.type == V4L2_FRMIVAL_TYPE_DISCRETE.rawValue else {
        rates = [entry.stepwise.min, entry.stepwise.max].compactMap(Self.rate)
        break
      }
      if let rate = Self.rate(entry.discrete) { rates.append(rate) }
      entry.index += 1
    }
    return rates.sorted(by: >)
  }

  static func rate(_ interval: v4l2_fract) -> Double? {
    guard interval.numerator > 0, interval.denominator > 0 else { return nil }
    return Double(interval.denominator) / Double(interval.numerator)
  }
}

extension CameraSizeRange {
  fileprivate init(_ range: v4l2_frmsize_stepwise) {
    self.init(
      minimumWidth: FrameLimits.clamped(range.min_width), maximumWidth: FrameLimits.clamped(range.max_width),
      widthStep: max(1, FrameLimits.clamped(range.step_width)),
      minimumHeight: FrameLimits.clamped(range.min_height), maximumHeight: FrameLimits.clamped(range.max_height),
      heightStep: max(1, FrameLimits.clamped(range.step_height)))
  }
}
