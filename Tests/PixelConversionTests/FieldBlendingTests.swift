import MediaCore
import PixelConversion
import Testing

@Suite("Interlaced pictures") struct FieldBlendingTests {
  /// Two fields of two moments, one light, one dark: a comb.
  @Test(arguments: [(16, 8), (17, 7), (64, 2), (5, 1)]) func twoFieldsBecomeOneFrame(width: Int, height: Int) {
    var picture = I420Buffer(width: width, height: height)
    for row in 0..<height {
      picture.fill(
        FrameArea(x: 0, y: row, width: width, height: 1), with: YUVColour(y: row % 2 == 0 ? 200 : 100))
    }
    picture.blendFields()
    let view = picture.view
    for row in 0..<height - 1 {
      #expect(view.luma(x: 0, y: row) == 150 && view.luma(x: width - 1, y: row) == 150)
    }
    #expect(view.luma(x: 0, y: height - 1) == (height % 2 == 0 ? 100 : 200))
  }
}
