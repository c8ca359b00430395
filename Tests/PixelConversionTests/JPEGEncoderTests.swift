import MediaCore
import PixelConversion
import Testing

@Suite("JPEG encoding") struct JPEGEncoderTests {
  /// Left half one colour, right half another, so that edges of blocks tell nothing.
  private static let left = YUVColour(y: 81, u: 90, v: 240)
  private static let right = YUVColour(y: 210, u: 128, v: 110)

  private static func picture(width: Int, height: Int) -> I420Buffer {
    var picture = I420Buffer(width: width, height: height)
    picture.fill(FrameArea(x: 0, y: 0, width: width, height: height), with: left)
    picture.fill(FrameArea(x: width / 2 / 16 * 16, y: 0, width: width, height: height), with: right)
    return picture
  }

  @Test(arguments: [(64, 48), (640, 480), (50, 34)])
  func whatIsEncodedIsDecodedAsItWas(width: Int, height: Int) throws {
    let encoded = JPEGEncoder.encode(Self.picture(width: width, height: height))
    let bytes = try #require(encoded)
    #expect(bytes.starts(with: [0xFF, 0xD8]) && bytes.suffix(2) == [0xFF, 0xD9])
    var decoded = I420Buffer(width: width, height: height)
    guard var decoder = JPEGDecoder(width: width, height: height) else { throw NoDecoder() }
    try decoder.decode(bytes.span.bytes, into: &decoded)
    let view = decoded.view
    for (x, expected) in [(4, Self.left), (width - 4, Self.right)] {
      #expect(abs(Int(view.luma(x: x, y: height / 2)) - Int(expected.y)) <= 3)
      let place = height / 4 * view.chromaStride + x / 2
      #expect(abs(Int(view.u.unsafeLoad(fromByteOffset: place, as: UInt8.self)) - Int(expected.u)) <= 3)
      #expect(abs(Int(view.v.unsafeLoad(fromByteOffset: place, as: UInt8.self)) - Int(expected.v)) <= 3)
    }
  }

  @Test func aSizeThatJPEGDoesNotHaveIsNil() {
    let encoded = JPEGEncoder.encode(I420Buffer(width: 65_536, height: 2))
    #expect(encoded == nil)
  }

  private struct NoDecoder: Error {}
}
