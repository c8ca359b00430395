import MediaCore
import MediaFiles
import Testing

/// What a caller does: appends pieces, takes frames, removes what is removable.
private struct Reader {
  var framing: VideoStreamFraming
  var buffer: [UInt8] = []
  var frames: [[UInt8]] = []
  var headers: [Y4MHeader] = []
  /// The most that the buffer had to hold.
  var capacity = 0

  init(_ format: VideoStreamFraming.Format) { framing = VideoStreamFraming(format) }

  mutating func add(_ piece: some Sequence<UInt8>) throws(VideoStreamError) {
    buffer += piece
    while true {
      // A span needs a constant to borrow from.
      let bytes = buffer
      switch try framing.next(bytes.span.bytes) {
      case .header(let header): headers.append(header)
      case .frame(let range): frames.append(Array(buffer[range]))
      case .incomplete(let capacity):
        self.capacity = max(self.capacity, capacity)
        buffer.removeFirst(framing.removable)
        framing.remove()
        return
      }
    }
  }

  mutating func add(_ bytes: [UInt8], inPiecesOf size: Int) throws(VideoStreamError) {
    for start in stride(from: 0, to: bytes.count, by: size) { try add(bytes[start..<min(start + size, bytes.count)]) }
  }
}

private func failure(_ format: VideoStreamFraming.Format, _ bytes: [UInt8]) -> VideoStreamError? {
  var reader = Reader(format)
  do {
    try reader.add(bytes, inPiecesOf: 1_000)
    return nil
  } catch {
    return error
  }
}

private let pieces = [1, 2, 3, 7, 64, 100_000]

@Suite("Raw frames and YUV4MPEG2 of a stream") struct VideoStreamFramingTests {
  @Test(arguments: pieces) func rawFramesFollowEachOther(size: Int) throws {
    var reader = Reader(.raw(frameByteCount: 6))
    try reader.add(Array(0..<20), inPiecesOf: size)
    #expect(reader.frames == [Array(0..<6), Array(6..<12), Array(12..<18)])
    #expect(reader.buffer == [18, 19] && reader.capacity == 6)
  }

  @Test(arguments: pieces) func framesOfY4MComeBehindTheirLines(size: Int) throws {
    let first = [UInt8](repeating: 1, count: 12)
    // Chroma that reads like a line.
    let second = Array("FRAME\nFRAME\n".utf8)
    let stream = Array("YUV4MPEG2 W4 H2 F30:1\nFRAME\n".utf8) + first + Array("FRAME Ip\n".utf8) + second
    var reader = Reader(.y4m)
    try reader.add(stream, inPiecesOf: size)
    #expect(reader.headers.map(\.width) == [4] && reader.headers.map(\.height) == [2])
    #expect(reader.frames == [first, second])
    #expect(reader.buffer.isEmpty)
  }

  @Test func whatIsNoY4MIsRefusedAtOnce() {
    #expect(failure(.y4m, [0xFF]) == .y4m(.notYUV4MPEG2))
    #expect(failure(.y4m, Array("YUV4MPEX".utf8)) == .y4m(.notYUV4MPEG2))
    #expect(failure(.y4m, Array("YUV4".utf8)) == nil)
    #expect(failure(.y4m, Array("YUV4MPEG2 W4".utf8)) == nil)
    #expect(failure(.y4m, Array("YUV4MPEG2 W4\n".utf8)) == .y4m(.missingField("H")))
    let endless = Array("YUV4MPEG2 ".utf8) + [UInt8](repeating: UInt8(ascii: "x"), count: 2_000)
    #expect(failure(.y4m, endless) == .y4m(.endlessLine(offset: Y4MHeader.maximumByteCount)))
  }

  @Test func aLostByteIsNoticedAtTheNextFrame() {
    let head = "YUV4MPEG2 W4 H2 F30:1\nFRAME\n"
    let stream = Array(head.utf8) + [UInt8](repeating: 1, count: 11) + Array("FRAME\n".utf8)
    #expect(failure(.y4m, stream) == .y4m(.noFrameLine(offset: head.utf8.count + 12)))
  }
}

/// A JPEG by its markers; what stands in it is of no interest.
private enum Sample {
  static let soi: [UInt8] = [0xFF, 0xD8]
  static let eoi: [UInt8] = [0xFF, 0xD9]

  static func segment(_ code: UInt8, _ content: [UInt8]) -> [UInt8] {
    [0xFF, code, UInt8((content.count + 2) >> 8), UInt8((content.count + 2) & 0xFF)] + content
  }

  /// With a whole JPEG as its thumbnail, and all that may look like an end in its data.
  static func image(_ number: UInt8, ends: Bool = true) -> [UInt8] {
    let thumbnail = soi + segment(0xDA, [1]) + [0x12, 0xFF, 0x00] + eoi
    let scan: [UInt8] = [number, 0xFF, 0x00, 0xD9, 0xFF, 0xD0, 0xFF, 0xD7, 0x00, 0xFF, 0xFF, 0x00, 0xD8]
    return soi + segment(0xE1, thumbnail) + [0xFF] + segment(0xC4, [0xFF, 0xD9]) + segment(0xDA, [number, 0xFF, 0xD9])
      + scan + (ends ? eoi : [])
  }

  /// Three scans, tables between them.
  static let progressive =
    soi + segment(0xC2, [1]) + segment(0xDA, [1]) + [1, 2, 3] + segment(0xC4, [0xFF, 0xD9]) + segment(0xDA, [2])
    + [4, 0xFF, 0x00] + segment(0xDC, [0, 1]) + [5] + eoi
}

@Suite("JPEGs of a stream") struct JPEGScannerTests {
  private static let format = VideoStreamFraming.Format.mjpeg(maximumByteCount: 10_000)

  @Test(arguments: pieces) func imagesEndAtTheirOwnEOI(size: Int) throws {
    let images = [Sample.image(1), Sample.progressive, Sample.image(2)]
    var reader = Reader(Self.format)
    try reader.add(images.flatMap { $0 }, inPiecesOf: size)
    #expect(reader.frames == images)
    #expect(reader.buffer.isEmpty)
  }

  @Test(arguments: pieces) func theHeadersOfAMultipartStreamAreSkipped(size: Int) throws {
    let head = Array("--frame\r\nContent-Type: image/jpeg\r\n\r\n".utf8)
    var reader = Reader(Self.format)
    try reader.add(head + Sample.image(1) + [0xFF, 0x00, 0xFF] + head + Sample.image(2), inPiecesOf: size)
    #expect(reader.frames == [Sample.image(1), Sample.image(2)])
  }

  @Test(arguments: pieces) func anImageWithoutEOIEndsWhereTheNextBegins(size: Int) throws {
    var reader = Reader(Self.format)
    try reader.add(Sample.image(1, ends: false) + Sample.image(2), inPiecesOf: size)
    #expect(reader.frames == [Sample.image(1, ends: false), Sample.image(2)])
  }

  @Test func anImageThatIsCutInItsHeadersIsLeftOut() throws {
    var reader = Reader(Self.format)
    try reader.add(Sample.soi + [0xFF, 0xE0, 0, 1] + Sample.image(2))
    #expect(reader.frames == [Sample.image(2)])
  }

  @Test func whatIsNoStreamOfJPEGsIsRefused() {
    let zeros = [UInt8](repeating: 0, count: 5 << 20)
    guard case .noJPEG? = failure(Self.format, zeros) else { return #expect(Bool(false), "zeros are no JPEGs") }
    let endless = Sample.soi + Sample.segment(0xDA, [1]) + [UInt8](repeating: 7, count: 20_000)
    #expect(failure(Self.format, endless) == .endlessJPEG(byteCount: 10_000))
  }
}
