import Glibc
import MediaCore
import MediaPipeline
import VideoOverlay
import PixelConversion

/// Measures what privacy masks and an overlay cost beside the conversion that writes each picture, 640×480 at 30/s.
struct OverlayBench: ~Copyable {
  private(set) var conversionTime = 0.0
  private(set) var maskTime = 0.0
  private(set) var overlayTime = 0.0

  private static let (width, height) = (640, 480)
  private static let rate: Int64 = 30
  private var picture = I420Buffer(width: width, height: height)
  private let packed = [UInt8](repeating: 90, count: width * height * 2)
  private let mask: PrivacyMask
  private let overlay = FrameOverlay(
    FrameOverlaySettings(title: Array("Front door".utf8), showsTime: true, showsPosition: true))

  init() {
    // Four windows of an eighth each way, and a triangle across the picture.
    let windows = (0..<4).map { index in
      let left = Double(index) / 4
      return [(left, 0.25), (left + 0.125, 0.25), (left + 0.125, 0.375), (left, 0.375)]
    }
    let areas = (windows + [[(0.0, 1.0), (1.0, 1.0), (0.5, 0.5)]]).map { corners in
      FramePolygon(corners: corners.map { FramePolygon.Point(x: $0.0, y: $0.1) })!
    }
    mask = PrivacyMask(areas, width: Self.width, height: Self.height)
    overlay.setPosition(StampedPosition(latitude: 52.5163, longitude: 13.3777))
  }

  mutating func step(_ index: Int) throws {
    let timestamp = MonotonicInstant(nanoseconds: Int64(index) * 1_000_000_000 / Self.rate)
    // A span needs a constant to borrow from; the bytes are not copied.
    let packed = packed
    let start = cpuTime(CLOCK_THREAD_CPUTIME_ID)
    try PixelConverter.convert(packed.span.bytes, format: .yuyv, bytesPerLine: Self.width * 2, into: &picture)
    let converted = cpuTime(CLOCK_THREAD_CPUTIME_ID)
    mask.cover(&picture)
    let covered = cpuTime(CLOCK_THREAD_CPUTIME_ID)
    overlay.draw(into: &picture, at: timestamp)
    overlayTime += cpuTime(CLOCK_THREAD_CPUTIME_ID) - covered
    maskTime += covered - converted
    conversionTime += converted - start
  }

  /// Of a core, for 30 pictures a second.
  static func percent(_ seconds: Double, pictures: Int) -> Double { seconds / Double(pictures) * Double(rate) * 100 }
}
