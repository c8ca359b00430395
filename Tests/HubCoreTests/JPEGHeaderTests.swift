import Testing

@testable import HubCore

struct JPEGHeaderTests {
  /// An image's first bytes: metadata with a thumbnail, a comment, tables, and the frame header.
  private func image(width: Int, height: Int, marker: UInt8 = 0xC0, precision: UInt8 = 8) -> [UInt8] {
    let thumbnail: [UInt8] = [0xFF, 0xD8, 0xFF, 0xC0, 0, 11, 8, 0, 16, 0, 16, 1]
    let metadata: [UInt8] = [0xFF, 0xE1, 0, UInt8(thumbnail.count + 2)] + thumbnail
    let fields = [height, width].flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] }
    return [0xFF, 0xD8] + metadata + [0xFF, 0xFF, 0xFE, 0, 3, 0x41, 0xFF, 0xDB, 0, 2]
      + [0xFF, marker, 0, 11, precision] + fields + [1, 1, 0x11, 0]
  }

  private func fault(in bytes: [UInt8]) -> JPEGHeader.Fault? {
    do {
      _ = try JPEGHeader(bytes)
      return nil
    } catch {
      return error
    }
  }

  @Test func theSizeIsThatOfTheImageAndNotOfItsThumbnail() throws {
    let header = try JPEGHeader(image(width: 3_840, height: 2_160) + [0xFF, 0xDA])
    #expect(header?.width == 3_840 && header?.height == 2_160)
  }

  @Test func anyBeginningOfAnImageNeedsMore() throws {
    let whole = image(width: 640, height: 480)
    for count in whole.indices { #expect(try JPEGHeader(Array(whole.prefix(count))) == nil, "\(count)") }
    #expect(try JPEGHeader(whole) != nil)
  }

  @Test(arguments: [(20_000, 20_000), (8_192, 8_192), (65_535, 1), (1, 8_193)])
  func bombs(width: Int, height: Int) {
    #expect(fault(in: image(width: width, height: height)) == .tooManyPixels(width: width, height: height))
  }

  @Test func whatNoCameraMakes() {
    for marker: UInt8 in [0xC2, 0xC3, 0xC5, 0xC9, 0xCF] {
      #expect(fault(in: image(width: 64, height: 64, marker: marker)) == .unusualForm)
    }
    #expect(fault(in: image(width: 64, height: 64, precision: 12)) == .unusualForm)
  }

  @Test(arguments: [
    "<svg xmlns='http://www.w3.org/2000/svg'/>", "GIF89a", "\u{89}PNG", "RIFF....WEBP",
  ])
  func otherFormats(text: String) {
    #expect(fault(in: Array(text.utf8)) == .notJPEG)
  }

  @Test func damagedHeads() {
    #expect(fault(in: image(width: 0, height: 64)) == .notJPEG)
    #expect(fault(in: image(width: 64, height: 0)) == .notJPEG)
    #expect(fault(in: [0xFF, 0xD8, 0xFF, 0xD9]) == nil)
    #expect(fault(in: [0xFF, 0xD8, 0x00]) == .notJPEG)
    #expect(fault(in: [0xFF, 0xD8, 0xFF, 0xE0, 0, 1, 0]) == .notJPEG)
    #expect(fault(in: [0xFF, 0xD8, 0xFF, 0xDA, 0, 2]) == .notJPEG)
    #expect(fault(in: [0xFF, 0xD8, 0xFF, 0xC0, 0, 4, 8, 0]) == .notJPEG)
    let endless =
      [0xFF, 0xD8]
      + Array(repeating: [0xFF, 0xE0, 0xFF, 0xFF] + [UInt8](repeating: 0, count: 65_533), count: 5)
      .joined()
    #expect(fault(in: endless) == .notJPEG)
  }
}
