internal import CV4LConvert
internal import MediaCore

/// Turns a camera's frames into YU12 or RGB24 with libv4lconvert; owns the library's handle and the memory on both
/// sides.
///
/// Frames are copied before they are converted, since the library writes into some, ignores gaps between rows in
/// others, and reads beyond the end of damaged ones. Allocates only when made and at the first frame. One converter is
/// used by one thread at a time; several may run side by side.
struct FrameConverter: ~Copyable {
  /// Bytes of a converted frame, which has no gaps between its rows.
  let frameSize: Int

  let format: ConvertibleFormat
  private let width: Int
  private let height: Int
  private let handle: OpaquePointer
  private let source: UnsafeMutableBufferPointer<UInt8>
  private let target: UnsafeMutableBufferPointer<UInt8>

  /// What decoders without a check may read too much, or write.
  private static let margin = 256 * 1_024

  /// Whether the library makes YU12 and RGB24 of frames with this code.
  static func supports(_ code: FourCC) -> Bool {
    guard let handle = cv4lconvert_create(code.rawValue) else { return false }
    defer { v4lconvert_destroy(handle) }
    return cv4lconvert_makes(handle, code.rawValue, cv4lconvert_yu12) != 0
      && cv4lconvert_makes(handle, code.rawValue, cv4lconvert_rgb24) != 0
  }

  /// - Parameter largestFrame: bytes of the largest frame that the driver announces.
  /// - Returns: nil for odd sizes, which the library handles by cropping, and when memory is short.
  init?(_ format: ConvertibleFormat, width: Int, height: Int, largestFrame: Int) {
    guard width % 2 == 0, height % 2 == 0, width > 0, height > 0,
      let handle = cv4lconvert_create(format.code.rawValue)
    else { return nil }
    self.format = format
    self.width = width
    self.height = height
    self.handle = handle
    frameSize = format.target == .rgb24 ? width * height * 3 : width * height * 3 / 2
    source = .allocate(capacity: max(largestFrame, width * height * 4) + Self.margin)
    source.initialize(repeating: 0)
    target = .allocate(capacity: frameSize + Self.margin)
    target.initialize(repeating: 0)
  }

  deinit {
    v4lconvert_destroy(handle)
    source.deallocate()
    target.deallocate()
  }

  /// The frame that was converted last.
  var converted: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(target)[..<frameSize])
  }

  /// Converts one frame; returns false for a damaged one.
  func convert(_ frame: UnsafeRawBufferPointer, bytesPerLine: Int) -> Bool {
    let rows = format.rows(width: width, height: height)
    guard let size = rows.map({ copy(frame, rows: $0, bytesPerLine: bytesPerLine) }) ?? copy(frame) else {
      return false
    }
    let written = cv4lconvert_convert(
      handle, format.code.rawValue, UInt32(clamping: width), UInt32(clamping: height),
      UInt32(clamping: rows?.bytes ?? bytesPerLine),
      source.baseAddress, Int32(clamping: size), format.target == .rgb24 ? cv4lconvert_rgb24 : cv4lconvert_yu12,
      target.baseAddress, Int32(clamping: target.count))
    return written == Int32(clamping: frameSize)
  }

  /// Copies rows without the gaps between them; returns the bytes, or nil when the frame is too short.
  private func copy(_ frame: UnsafeRawBufferPointer, rows: PlaneRows, bytesPerLine: Int) -> Int? {
    let distance = max(bytesPerLine, rows.bytes)
    guard frame.count >= distance * (rows.count - 1) + rows.bytes else { return nil }
    let memory = UnsafeMutableRawBufferPointer(source)
    for row in 0..<rows.count {
      let begin = row * distance
      let line = UnsafeRawBufferPointer(rebasing: frame[begin..<begin + rows.bytes])
      UnsafeMutableRawBufferPointer(rebasing: memory[(row * rows.bytes)...]).copyMemory(from: line)
    }
    return rows.byteCount
  }

  private func copy(_ frame: UnsafeRawBufferPointer) -> Int? {
    guard !frame.isEmpty, frame.count <= source.count - Self.margin else { return nil }
    UnsafeMutableRawBufferPointer(source).copyMemory(from: frame)
    return frame.count
  }
}
