/// Finds the frames in a stream of bytes, as a program writes it to its standard output.
///
/// The bytes lie in a buffer of the caller's, who appends what comes and removes what ``removable`` says. Allocates
/// nothing, except for the error of a stream that is none.
///
/// ```swift
/// switch try framing.next(buffer.bytes) {
/// case .incomplete(let capacity): …  // make room, read more
/// case .header(let header): …        // of YUV4MPEG2: the size of the frames that follow
/// case .frame(let range): …          // lies at buffer.bytes[range] until it is removed
/// }
/// ```
public struct VideoStreamFraming: Sendable {
  public enum Format: Hashable, Sendable {
    /// YUV4MPEG2, whose first line has the frames' size.
    case y4m
    /// Frames of this many bytes, 1 or more, one after the other.
    case raw(frameByteCount: Int)
    /// JPEGs of at most this many bytes.
    case mjpeg(maximumByteCount: Int)
  }

  public enum Step: Hashable, Sendable {
    /// More bytes are needed; the buffer must have room for this many, when what is removable is removed.
    case incomplete(capacity: Int)
    case header(Y4MHeader)
    /// Where a frame's bytes lie in the buffer.
    case frame(Range<Int>)
  }

  private enum State {
    case y4mHeader
    case y4mFrame(byteCount: Int)
    case raw(frameByteCount: Int)
    case mjpeg(JPEGScanner)
  }

  private var state: State
  /// Where the bytes begin that belong to no frame yet; not used for JPEGs.
  private var position = 0
  /// Bytes removed so far, for errors.
  private var removed: Int64 = 0

  public init(_ format: Format) {
    state =
      switch format {
      case .y4m: .y4mHeader
      case .raw(let count): .raw(frameByteCount: count)
      case .mjpeg(let maximum): .mjpeg(JPEGScanner(maximumByteCount: maximum))
      }
  }

  /// How many bytes from the buffer's beginning on belong to frames that were returned, or to nothing.
  public var removable: Int {
    if case .mjpeg(let scanner) = state { scanner.disposable } else { position }
  }

  /// The caller has removed ``removable`` bytes from the buffer's beginning.
  public mutating func remove() {
    let count = removable
    removed += Int64(count)
    position = 0
    guard case .mjpeg(var scanner) = state else { return }
    scanner.remove(count)
    state = .mjpeg(scanner)
  }

  /// Looks at what has come.
  ///
  /// - Parameter bytes: the whole buffer, as far as it is filled.
  public mutating func next(_ bytes: RawSpan) throws(VideoStreamError) -> Step {
    switch state {
    case .y4mHeader: return try readHeader(bytes)
    case .y4mFrame(let count): return try readFrame(bytes, count)
    case .raw(let count): return frame(bytes, from: position, count) ?? .incomplete(capacity: count)
    case .mjpeg(var scanner):
      defer { state = .mjpeg(scanner) }
      // So many that a longer one is noticed.
      return try scanner.next(bytes).map { .frame($0) } ?? .incomplete(capacity: scanner.maximumByteCount + 2)
    }
  }

  private mutating func frame(_ bytes: RawSpan, from start: Int, _ count: Int) -> Step? {
    guard bytes.byteCount - start >= count else { return nil }
    position = start + count
    return .frame(start..<position)
  }
}

// MARK: - YUV4MPEG2

extension VideoStreamFraming {
  private mutating func readHeader(_ bytes: RawSpan) throws(VideoStreamError) -> Step {
    let line = bytes.extracting(position..<bytes.byteCount)
    guard line.begins(Y4MHeader.signature) else { throw .y4m(.notYUV4MPEG2) }
    guard line.hasLine(atMost: Y4MHeader.maximumByteCount) else {
      return .incomplete(capacity: Y4MHeader.maximumByteCount)
    }
    do throws(Y4MError) {
      let header = try Y4MHeader(parsing: line)
      position += header.byteCount
      state = .y4mFrame(byteCount: header.frameByteCount)
      return .header(header)
    } catch {
      throw .y4m(error)
    }
  }

  private mutating func readFrame(_ bytes: RawSpan, _ count: Int) throws(VideoStreamError) -> Step {
    let line = bytes.extracting(position..<bytes.byteCount)
    let offset = Int(clamping: removed + Int64(position))
    guard line.begins(Y4MFrameHeader.signature) else { throw .y4m(.noFrameLine(offset: offset)) }
    let needed = Step.incomplete(capacity: Y4MFrameHeader.maximumByteCount + count)
    guard line.hasLine(atMost: Y4MFrameHeader.maximumByteCount) else { return needed }
    do throws(Y4MError) {
      let lineCount = try Y4MFrameHeader.byteCount(parsing: line, at: offset)
      return frame(bytes, from: position + lineCount, count) ?? needed
    } catch {
      throw .y4m(error)
    }
  }
}

extension RawSpan {
  /// Whether the bytes that are there are, or may become, those of a word.
  fileprivate func begins(_ word: StaticString) -> Bool {
    for index in 0..<min(byteCount, word.utf8CodeUnitCount)
    where unsafe unsafeLoad(fromByteOffset: index, as: UInt8.self) != word.utf8Start[index] { return false }
    return true
  }

  /// Whether a line ends here, or is longer than it may be.
  fileprivate func hasLine(atMost maximum: Int) -> Bool {
    for index in 0..<min(byteCount, maximum)
    where unsafe unsafeLoad(fromByteOffset: index, as: UInt8.self) == newline { return true }
    return byteCount >= maximum
  }
}
