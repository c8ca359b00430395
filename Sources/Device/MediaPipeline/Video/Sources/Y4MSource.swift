internal import MediaCore
internal import PixelConversion
internal import RealtimeRuntime
internal import MediaFiles

/// Frames of a YUV4MPEG2 file at the file's own rate, once or in a loop without a gap.
///
/// They are read one by one, so a file that is cut or overwritten while it plays ends or fails, and harms nothing.
final class Y4MSource: FrameSource {
  let description: VideoSourceDescription
  private let file: FrameFile
  private let header: Y4MHeader
  private let repeats: Bool
  private var pace: PacedWait
  /// Where the next frame's line begins.
  private var offset: Int64
  private var line = [UInt8](repeating: 0, count: Y4MFrameHeader.maximumByteCount)
  /// Planes Y, U, V without gaps; chroma stays grey when the file has none.
  private var planes: [UInt8]

  init(path: String, repeats: Bool, _ request: SourceRequest) throws(SourceFailure) {
    self.repeats = repeats
    file = try FrameFile(path: path)
    header = try Self.readHeader(file)
    let rate = header.frameRate.map { (Int64($0.numerator), Int64($0.denominator)) } ?? (Int64(request.frameRate), 1)
    pace = PacedWait(FramePace(start: MonotonicClock.now(), numerator: rate.0, denominator: rate.1))
    offset = Int64(header.byteCount)
    let layout = PixelFormat.yu12.byteCount(bytesPerLine: header.width, height: header.height)
    planes = [UInt8](repeating: 128, count: layout ?? header.frameByteCount)
    let name = VideoSourceSelection.file(path: path, repeats: repeats).name
    let frameRate = Double(rate.0) / Double(rate.1)
    description = VideoSourceDescription(
      name: name, text: "\(name), \(header.width)×\(header.height) at \(hundredths(frameRate))/s",
      width: header.width, height: header.height, frameRate: frameRate)
  }

  private static func readHeader(_ file: borrowing FrameFile) throws(SourceFailure) -> Y4MHeader {
    var line = [UInt8](repeating: 0, count: Y4MHeader.maximumByteCount)
    let count = try file.read(into: &line, count: line.count, at: 0)
    do throws(Y4MError) {
      return try Y4MHeader(parsing: line.span.extracting(first: count).bytes)
    } catch {
      throw file.failure(error.description)
    }
  }

  /// Reads before it waits, so that a slow disk makes no frame late.
  func next(into target: FrameSlot?, until stop: EventDescriptor) throws(SourceFailure) -> FrameOutcome {
    guard let end = try readNextFrame() else { return .end }
    guard let instant = pace.next(until: stop) else { return .nothing }
    offset = end
    if let target { try show(&target.image) }
    return .frame(instant)
  }

  private func show(_ image: inout I420Buffer) throws(SourceFailure) {
    // A span needs a constant to borrow from; the bytes are not copied.
    let planes = planes
    do throws(PixelConversionError) {
      try PixelConverter.convert(planes.span.bytes, format: .yu12, bytesPerLine: header.width, into: &image)
    } catch {
      throw file.failure("\(error)")
    }
  }
}

// MARK: - Reading

extension Y4MSource {
  /// Reads the next frame, or the first one after the last. Returns where it ends; nil when all have been shown.
  private func readNextFrame() throws(SourceFailure) -> Int64? {
    if let end = try readFrame(at: offset) { return end }
    let first = Int64(header.byteCount)
    if !repeats, offset > first { return nil }
    offset = first
    guard let end = try readFrame(at: offset) else { throw file.failure("byte \(offset): no whole frame") }
    return end
  }

  /// Reads line and frame; nil at the file's end and for a truncated frame.
  private func readFrame(at start: Int64) throws(SourceFailure) -> Int64? {
    guard let lineCount = try readLine(at: start) else { return nil }
    let count = try file.read(into: &planes, count: header.frameByteCount, at: start + Int64(lineCount))
    return count == header.frameByteCount ? start + Int64(lineCount + count) : nil
  }

  private func readLine(at start: Int64) throws(SourceFailure) -> Int? {
    let count = try file.read(into: &line, count: line.count, at: start)
    guard count > 0 else { return nil }
    let line = line
    do throws(Y4MError) {
      return try Y4MFrameHeader.byteCount(parsing: line.span.extracting(first: count).bytes, at: Int(clamping: start))
    } catch {
      // The file ends here: a line that was cut off.
      guard count == line.count else { return nil }
      throw file.failure(error.description)
    }
  }
}
