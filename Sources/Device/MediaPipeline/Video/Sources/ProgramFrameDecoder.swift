internal import MediaCore
internal import MediaFiles
internal import PixelConversion

/// Draws the frames of a program, which have its format.
struct ProgramFrameDecoder: ~Copyable {
  private let program: VideoProgram
  private(set) var width: Int
  private(set) var height: Int
  private var jpeg: JPEGFrames?
  /// Frames in succession that have another size than the decoder.
  private var otherSizes = 0
  /// A frame of luma alone, and the grey chroma behind it; nil where frames have both.
  private var grey: [UInt8]?

  /// The decoder takes up another size before, or never.
  private static let maximumOtherSizes = 4

  init(_ program: VideoProgram, width: Int, height: Int) throws(SourceFailure) {
    self.program = program
    (self.width, self.height) = (width, height)
    guard program.format == .mjpeg else { return }
    jpeg = JPEGFrames(width: width, height: height)
    if jpeg == nil { throw SourceFailure(reason: "\(program.name): libjpeg does not start") }
  }

  /// The stream says what its frames are.
  mutating func take(_ header: Y4MHeader) throws(SourceFailure) {
    try check(header.width, header.height)
    (width, height) = (header.width, header.height)
    let count = PixelFormat.yu12.byteCount(bytesPerLine: width, height: height)
    grey = header.layout == .mono ? [UInt8](repeating: 128, count: count ?? header.frameByteCount) : nil
  }

  /// Draws a frame into an image of its size.
  mutating func draw(_ frame: RawSpan, into image: inout I420Buffer) throws(SourceFailure) -> JPEGFrames.Outcome {
    switch program.format {
    case .y4m where grey != nil: return drawGrey(frame, &image)
    case .y4m, .yuv420p: return draw(frame, .yu12, &image)
    case .nv12: return draw(frame, .nv12, &image)
    case .mjpeg: return try drawJPEG(frame, &image)
    }
  }

  private func draw(_ frame: RawSpan, _ format: PixelFormat, _ image: inout I420Buffer) -> JPEGFrames.Outcome {
    do throws(PixelConversionError) {
      try PixelConverter.convert(frame, format: format, bytesPerLine: width, into: &image)
      return .drawn
    } catch {
      return .damaged(.undecodable)
    }
  }

  private mutating func drawGrey(_ frame: RawSpan, _ image: inout I420Buffer) -> JPEGFrames.Outcome {
    guard var planes = grey.take() else { return .damaged(.undecodable) }
    frame.withUnsafeBytes { luma in planes.withUnsafeMutableBytes { $0.copyMemory(from: luma) } }
    defer { grey = planes }
    return draw(planes.span.bytes, .yu12, &image)
  }

  private mutating func drawJPEG(_ frame: RawSpan, _ image: inout I420Buffer) throws(SourceFailure)
    -> JPEGFrames.Outcome
  {
    switch jpeg?.draw(frame, into: &image) {
    case .drawn?:
      otherSizes = 0
      return .drawn
    case .damaged(.otherSize(let width, let height, _, _))?:
      try check(width, height)
      otherSizes += 1
      if otherSizes >= Self.maximumOtherSizes { throw refusal(width, height) }
      return .damaged(.undecodable)
    case .resized?:
      try check(jpeg?.width ?? width, jpeg?.height ?? height)
      (width, height) = (jpeg?.width ?? width, jpeg?.height ?? height)
      return .resized
    case .damaged?, nil: return .damaged(.undecodable)
    }
  }

  /// Refuses frames of another size than is stated.
  private func check(_ width: Int, _ height: Int) throws(SourceFailure) {
    guard width == program.width ?? width, height == program.height ?? height else { throw refusal(width, height) }
  }

  private func refusal(_ width: Int, _ height: Int) -> SourceFailure {
    let stated = "\(program.width ?? self.width)×\(program.height ?? self.height)"
    return SourceFailure(
      reason: "\(program.name): its frames are \(width)×\(height) in place of \(stated);"
        + " write width = \(width) and height = \(height), or have it send that size")
  }
}
