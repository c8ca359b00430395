/// What precedes the image data in a JPEG file, as far as it says how much memory the image takes.
///
/// A browser takes four bytes for each pixel that the frame header announces, however few bytes the file has: the hub
/// passes on no image of a device that announces more than a camera has. Of the forms of JPEG the sequential ones alone
/// pass (ITU-T T.81, SOF0 and SOF1): a progressive one has a decoder work through all its pixels for each of many scans.
public struct JPEGHeader: Sendable, Equatable {
  public enum Fault: Error, Equatable {
    case notJPEG
    /// Progressive, lossless or arithmetic coding, or samples of more than 8 bits.
    case unusualForm
    case tooManyPixels(width: Int, height: Int)
  }

  /// The frame header has to be within that many first bytes: metadata, thumbnails and colour profiles come before it.
  public static let longest = 256 << 10
  /// 8K video has 33 million.
  private static let maximumSide = 8_192
  private static let maximumPixels = 36_000_000

  public var width: Int
  public var height: Int

  /// The header among a file's first bytes; nil when more of them are needed.
  public init?(_ bytes: [UInt8]) throws(Fault) {
    guard bytes.prefix(2) == [0xFF, 0xD8].prefix(bytes.count) else { throw .notJPEG }
    var position = 2
    while let segment = try Self.segment(at: position, of: bytes) {
      if let (width, height) = try segment.frame(in: bytes) {
        (self.width, self.height) = (width, height)
        return
      }
      position = segment.end
    }
    guard bytes.count < Self.longest else { throw .notJPEG }
    return nil
  }

  /// The next segment (T.81, section B.1.1.4); nil when it is not all there.
  private static func segment(at start: Int, of bytes: [UInt8]) throws(Fault) -> Segment? {
    var position = start
    guard position < bytes.count else { return nil }
    guard bytes[position] == 0xFF else { throw .notJPEG }
    while position < bytes.count, bytes[position] == 0xFF { position += 1 }
    guard position + 2 < bytes.count else { return nil }
    let length = Int(bytes[position + 1]) << 8 | Int(bytes[position + 2])
    guard length >= 2 else { throw .notJPEG }
    let end = position + 1 + length
    return end <= bytes.count ? Segment(marker: bytes[position], content: position + 3..<end) : nil
  }

  private struct Segment {
    var marker: UInt8
    var content: Range<Int>
    var end: Int { content.upperBound }

    /// Width and height where the segment is a frame header (T.81, section B.2.2).
    func frame(in bytes: [UInt8]) throws(Fault) -> (width: Int, height: Int)? {
      switch marker {
      case 0xC4, 0xC8, 0xCC, 0xDB, 0xDD, 0xE0...0xEF, 0xFE: return nil
      case 0xC0, 0xC1: break
      case 0xC2...0xCF: throw .unusualForm
      default: throw .notJPEG
      }
      guard content.count >= 6 else { throw .notJPEG }
      let field = bytes[content]
      let number = { (offset: Int) in
        Int(field[field.startIndex + offset]) << 8 | Int(field[field.startIndex + offset + 1])
      }
      let (height, width) = (number(1), number(3))
      guard field.first == 8 else { throw .unusualForm }
      guard width > 0, height > 0 else { throw .notJPEG }
      guard width <= maximumSide, height <= maximumSide, width * height <= maximumPixels else {
        throw .tooManyPixels(width: width, height: height)
      }
      return (width, height)
    }
  }
}

extension JPEGHeader.Fault: CustomStringConvertible {
  public var description: String {
    switch self {
    case .notJPEG: "it is no JPEG image"
    case .unusualForm: "its form of JPEG is none that cameras make"
    case .tooManyPixels(let width, let height): "it announces \(width) × \(height) pixels"
    }
  }
}
