import MediaCore
import PixelConversion
import Testing

@Suite struct FrameScalerTests {
  @Test(arguments: [(640, 480, 480, 360), (320, 180, 240, 132), (1_920, 1_080, 1_440, 810), (641, 479, 480, 354)])
  func tellsTheSizeOfThreeQuarters(width: Int, height: Int, scaledWidth: Int, scaledHeight: Int) {
    #expect(FrameScaler.size(width: width, height: height, quarters: 3) == (scaledWidth, scaledHeight))
    #expect(FrameScaler.size(width: width, height: height, quarters: 4) == (width, height))
  }

  @Test(arguments: [2, 3], [(640, 480), (322, 182), (641, 479)])
  func keepsPlacesAndColours(quarters: Int, source: (Int, Int)) throws {
    var picture = I420Buffer(width: source.0, height: source.1)
    picture.fill(FrameArea(x: 0, y: 0, width: source.0 / 2, height: source.1), with: YUVColour(y: 50, u: 90, v: 200))
    picture.fill(
      FrameArea(x: source.0 / 2, y: 0, width: source.0, height: source.1), with: YUVColour(y: 200, u: 160, v: 60))
    let size = FrameScaler.size(width: source.0, height: source.1, quarters: quarters)
    var scaled = I420Buffer(width: size.width, height: size.height)
    FrameScaler.scale(picture, quarters: quarters, into: &scaled)
    let (chromaWidth, chromaStride) = (scaled.chromaWidth, scaled.chromaStride)
    let lumaStride = scaled.yStride
    let rows = [0, size.height / 2, size.height - 1]
    scaled.withUnsafeMutablePlanes { y, u, v in
      for row in rows {
        let luma = y + row * lumaStride
        #expect(luma[0] == 50 && luma[size.width / 2 - 4] == 50 && luma[size.width / 2 + 4] == 200)
        #expect(luma[size.width - 1] == 200)
        let chroma = row / 2 * chromaStride
        #expect(u[chroma] == 90 && v[chroma] == 200)
        #expect(u[chroma + chromaWidth - 1] == 160 && v[chroma + chromaWidth - 1] == 60)
      }
    }
  }
}
