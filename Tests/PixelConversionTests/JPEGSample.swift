import CTestSupport
import Testing

/// A picture of slopes, at most 100 samples long, and what JPEGs can be made of it.
struct JPEGSample: Sendable, CustomTestStringConvertible {
  var width = 80
  var height = 48
  var components: Int32 = 3
  /// Sampling factors, across and down.
  var luma: (Int32, Int32) = (2, 2)
  var chroma: (Int32, Int32) = (1, 1)
  var coding = CJPEG_SAMPLE_BASELINE
  var isRGB = false
  var lacksHuffmanTables = false
  var lacksQuantizationTables = false
  var restartInterval: Int32 = 0

  var testDescription: String {
    let coding = "coding \(coding.rawValue)\(isRGB ? ", RGB" : "")"
    return "\(width)×\(height), \(components) components, \(luma) to \(chroma), \(coding)"
  }

  func luma(_ x: Int, _ y: Int) -> UInt8 { UInt8(30 + x + y) }
  func u(_ x: Int, _ y: Int) -> UInt8 { UInt8(clamping: 40 + 2 * x) }
  func v(_ x: Int, _ y: Int) -> UInt8 { UInt8(clamping: 40 + 2 * y) }

  /// The JPEG's bytes.
  func encoded() -> [UInt8] {
    var sample = cjpeg_sample(
      width: Int32(width), height: Int32(height), components: components, luma: luma, chroma: chroma, coding: coding,
      is_rgb: isRGB ? 1 : 0, lacks_huffman_tables: lacksHuffmanTables ? 1 : 0,
      lacks_quantization_tables: lacksQuantizationTables ? 1 : 0, restart_interval: restartInterval)
    var count = 0
    let bytes = cjpeg_sample_encode(&sample, samples, &count)!
    defer { cjpeg_sample_free(bytes) }
    return Array(UnsafeBufferPointer(start: bytes, count: count))
  }

  private var samples: [UInt8] {
    (0..<height).flatMap { y in
      (0..<width).flatMap { x in [luma(x, y), u(x, y), v(x, y), 0].prefix(Int(components)) }
    }
  }
}
