internal import MediaCore

/// The first line of a YUV4MPEG2 stream: `YUV4MPEG2 W640 H480 F30:1 Ip A1:1 C420jpeg`.
///
/// Interlacing, aspect and comments are ignored: frames are taken as stored. The variants of 4:2:0 differ
/// only in where chroma is sampled, by less than a pixel, and are treated alike.
public struct Y4MHeader: Hashable, Sendable {
  /// What each frame consists of.
  public enum Layout: Hashable, Sendable {
    /// Planes Y, U and V; chroma has half of each size, rounded up.
    case planar420
    /// Only a Y plane.
    case mono
  }

  /// The frame rate as a fraction in lowest terms.
  public struct FrameRate: Hashable, Sendable {
    /// Above the line, 1 at least.
    public let numerator: Int
    /// Below the line, 1 at least.
    public let denominator: Int
  }

  /// Pixels, 1 to ``maximumSize``; may be odd.
  public let width: Int
  /// Pixels, 1 to ``maximumSize``; may be odd.
  public let height: Int
  /// nil when the stream does not say (no `F`, or `F0:0`).
  public let frameRate: FrameRate?
  /// How chroma is sampled.
  public let layout: Layout
  /// Bytes of the line, its newline included: where the first frame's line begins.
  public let byteCount: Int

  /// The longest line that is read, its newline included.
  public static let maximumByteCount = 1_024
  /// The largest width and height in pixels.
  public static let maximumSize = 4_096
  static let signature: StaticString = "YUV4MPEG2"

  /// Bytes of one frame, without its line.
  public var frameByteCount: Int {
    let chroma = ((width + 1) / 2) * ((height + 1) / 2)
    return lumaByteCount + (layout == .planar420 ? 2 * chroma : 0)
  }

  /// Octets of a frame's luma.
  public var lumaByteCount: Int { width * height }

  /// Reads the line from the beginning of a file; bytes after its newline are ignored.
  public init(parsing bytes: RawSpan) throws(Y4MError) {
    var reader = ByteReader(bytes)
    guard reader.skip(Self.signature) else { throw .notYUV4MPEG2 }
    var fields = Fields()
    try fields.read(&reader)
    guard let width = fields.width else { throw .missingField("W") }
    guard let height = fields.height else { throw .missingField("H") }
    self.width = width
    self.height = height
    frameRate = fields.frameRate
    layout = fields.layout
    byteCount = reader.offset
  }
}

extension Y4MHeader {
  /// The line's fields so far; of a repeated field, the last one counts.
  private struct Fields {
    var width: Int?
    var height: Int?
    var frameRate: FrameRate?
    var layout = Layout.planar420

    mutating func read(_ reader: inout ByteReader) throws(Y4MError) {
      while let field = try Field(&reader) { try take(field) }
    }

    private mutating func take(_ field: Field) throws(Y4MError) {
      switch field.tag {
      case UInt8(ascii: "W"): width = try size(field)
      case UInt8(ascii: "H"): height = try size(field)
      case UInt8(ascii: "F"): frameRate = try FrameRate(field)
      case UInt8(ascii: "C"): layout = try Layout(field)
      default: break
      }
    }

    private func size(_ field: Field) throws(Y4MError) -> Int {
      guard let size = decimal(field.value[...]), (1...Y4MHeader.maximumSize).contains(size) else {
        throw field.error("a size from 1 to \(Y4MHeader.maximumSize)")
      }
      return size
    }
  }
}

extension Y4MHeader.Layout {
  fileprivate init(_ field: Field) throws(Y4MError) {
    switch field.text {
    case "420", "420jpeg", "420mpeg2", "420paldv": self = .planar420
    case "mono": self = .mono
    default: throw .unsupportedColourSpace(field.text, offset: field.offset)
    }
  }
}

extension Y4MHeader.FrameRate {
  /// nil for 0:0, which means unknown.
  fileprivate init?(_ field: Field) throws(Y4MError) {
    let parts = field.value.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
    guard parts.count == 2, let numerator = decimal(parts[0]), let denominator = decimal(parts[1]) else {
      throw field.error("a fraction such as 30:1")
    }
    guard numerator > 0 || denominator > 0 else { return nil }
    // From a frame in ten seconds to 240 a second.
    guard denominator > 0, numerator * 10 >= denominator, numerator <= denominator * 240 else {
      throw field.error("a rate from 1:10 to 240:1")
    }
    let divisor = greatestCommonDivisor(numerator, denominator)
    self.numerator = numerator / divisor
    self.denominator = denominator / divisor
  }
}

/// One tagged field of the line.
private struct Field {
  let tag: UInt8
  let value: [UInt8]
  /// The tag's offset from the beginning of the file.
  let offset: Int

  var text: String { String(decoding: value, as: UTF8.self) }

  /// Reads the next field; nil at the line's end.
  init?(_ reader: inout ByteReader) throws(Y4MError) {
    var byte = try reader.byteOfLine()
    while byte == UInt8(ascii: " ") { byte = try reader.byteOfLine() }
    guard byte != newline else { return nil }
    tag = byte
    offset = reader.offset - 1
    var value: [UInt8] = []
    while let next = reader.peek(), next != UInt8(ascii: " "), next != newline { value.append(try reader.byteOfLine()) }
    self.value = value
  }

  func error(_ expectation: String) -> Y4MError {
    .badField(String(decoding: [tag], as: UTF8.self), value: text, offset: offset, expected: expectation)
  }
}

let newline = UInt8(ascii: "\n")

/// Up to seven digits.
private func decimal(_ digits: ArraySlice<UInt8>) -> Int? {
  guard (1...7).contains(digits.count) else { return nil }
  var value = 0
  for digit in digits {
    guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
    value = value * 10 + Int(digit - UInt8(ascii: "0"))
  }
  return value
}

private func greatestCommonDivisor(_ one: Int, _ other: Int) -> Int {
  var (larger, smaller) = (one, other)
  while smaller != 0 { (larger, smaller) = (smaller, larger % smaller) }
  return larger
}

extension ByteReader {
  /// Skips a keyword when it comes next and a space or newline follows it.
  mutating func skip(_ word: StaticString) -> Bool {
    var ahead = self
    for index in 0..<word.utf8CodeUnitCount {
      guard let byte = try? ahead.readUInt8(), unsafe byte == word.utf8Start[index] else { return false }
    }
    guard let next = ahead.peek(), next == UInt8(ascii: " ") || next == newline else { return false }
    self = ahead
    return true
  }

  func peek() -> UInt8? {
    var ahead = self
    return try? ahead.readUInt8()
  }

  fileprivate mutating func byteOfLine() throws(Y4MError) -> UInt8 {
    guard offset < Y4MHeader.maximumByteCount, let byte = try? readUInt8() else {
      throw .endlessLine(offset: offset)
    }
    return byte
  }
}
