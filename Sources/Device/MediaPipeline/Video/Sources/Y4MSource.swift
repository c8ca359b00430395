internal import Glibc
internal import MediaCore
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

  init(path: String, repeats: Bool, _ request: SourceRequest) throws(SourceFailure) {
    self.repeats = repeats
    file = try FrameFile(path: path)
    header = try Self.readHeader(file)
    let rate = header.frameRate.map { (Int64($0.numerator), Int64($0.denominator)) } ?? (Int64(request.frameRate), 1)
    pace = PacedWait(FramePace(start: MonotonicClock.now(), numerator: rate.0, denominator: rate.1))
    offset = Int64(header.byteCount)
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
    guard let end = try readNextFrame(into: target) else { return .end }
    guard let instant = pace.next(until: stop) else { return .nothing }
    offset = end
    return .frame(instant)
  }
}

// MARK: - Reading

extension Y4MSource {
  /// Reads the next frame, or the first one after the last. Returns where it ends; nil when all have been shown.
  private func readNextFrame(into target: FrameSlot?) throws(SourceFailure) -> Int64? {
    if let end = try readFrame(at: offset, into: target) { return end }
    let first = Int64(header.byteCount)
    if !repeats, offset > first { return nil }
    offset = first
    guard let end = try readFrame(at: offset, into: target) else {
      throw file.failure("byte \(offset): no whole frame")
    }
    return end
  }

  /// Reads line and frame; nil at the file's end and for a truncated frame.
  private func readFrame(at start: Int64, into target: FrameSlot?) throws(SourceFailure) -> Int64? {
    guard let lineCount = try readLine(at: start) else { return nil }
    let begin = start + Int64(lineCount)
    let end = begin + Int64(header.frameByteCount)
    guard let target else { return try hasByte(before: end) ? end : nil }
    return try readPlanes(at: begin, into: &target.image) ? end : nil
  }

  private func hasByte(before end: Int64) throws(SourceFailure) -> Bool {
    try file.read(into: &line, count: 1, at: end - 1) == 1
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

// MARK: - Planes

extension Y4MSource {
  /// Reads a frame to where it is encoded from; false where the file ends before. A file without chroma is grey.
  private func readPlanes(at begin: Int64, into image: inout I420Buffer) throws(SourceFailure) -> Bool {
    let luma = Plane(width: image.width, height: image.height, stride: image.yStride)
    let chroma = Plane(width: image.chromaWidth, height: image.chromaHeight, stride: image.chromaStride)
    let isGrey = header.frameByteCount < luma.byteCount + 2 * chroma.byteCount
    return try image.withUnsafeMutablePlanes { y, u, v throws(SourceFailure) in
      guard try read(luma, into: y, at: begin) else { return false }
      guard !isGrey else {
        for plane in [u, v] { plane.update(repeating: 128, count: chroma.stride * chroma.height) }
        return true
      }
      let first = begin + Int64(luma.byteCount)
      guard try read(chroma, into: u, at: first) else { return false }
      return try read(chroma, into: v, at: first + Int64(chroma.byteCount))
    }
  }

  private func read(
    _ plane: Plane, into samples: UnsafeMutablePointer<UInt8>, at offset: Int64
  ) throws(SourceFailure) -> Bool {
    guard try file.read(into: samples, count: plane.byteCount, at: offset) == plane.byteCount else { return false }
    plane.spread(samples)
    return true
  }
}

/// A plane of a file, whose rows have no gaps, and of a buffer, whose rows are `stride` apart.
private struct Plane {
  let width: Int
  let height: Int
  let stride: Int

  /// In the file.
  var byteCount: Int { width * height }

  /// Moves rows that follow each other to where they belong; the last one first, since none may cover another.
  func spread(_ samples: UnsafeMutablePointer<UInt8>) {
    guard stride > width else { return }
    for row in Swift.stride(from: height - 1, to: 0, by: -1) {
      memmove(samples + row * stride, samples + row * width, width)
    }
  }
}
