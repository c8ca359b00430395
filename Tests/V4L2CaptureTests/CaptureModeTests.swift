import MediaCore
import Testing

@testable import V4L2Capture

private func mode(_ delivery: FrameDelivery, _ width: Int, _ height: Int, _ rate: Double?) -> CaptureMode {
  CaptureMode(code: FourCC("TEST"), delivery: delivery, width: width, height: height, frameRate: rate)
}

private func mode(_ format: PixelFormat, _ width: Int, _ height: Int, _ rate: Double?) -> CaptureMode {
  mode(.direct(format), width, height, rate)
}

private func converted(_ code: StaticString) throws -> FrameDelivery {
  .converted(try #require(ConvertibleFormat(FourCC(code))))
}

@Suite struct CaptureModeTests {
  private let vga = CaptureRequest(width: 640, height: 480, frameRate: 30)

  @Test func prefersTheLeastConversion() {
    let modes = [mode(.mjpeg, 640, 480, 30), mode(.yuyv, 640, 480, 30), mode(.nv12, 640, 480, 30)]
    #expect(vga.best(of: modes)?.delivery == .direct(.nv12))
  }

  @Test func takesMJPEGWhereOnlyThatIsFastEnough() {
    let request = CaptureRequest(width: 1_280, height: 720, frameRate: 30)
    let modes = [mode(.yuyv, 1_280, 720, 10), mode(.mjpeg, 1_280, 720, 30)]
    #expect(request.best(of: modes)?.delivery == .direct(.mjpeg))
  }

  @Test func prefersTheRightSizeToTheRightRate() {
    let modes = [mode(.yuyv, 320, 240, 30), mode(.rgb24, 640, 480, 15)]
    #expect(vga.best(of: modes)?.delivery == .direct(.rgb24))
  }

  @Test func takesNTSCRatesAndUnknownOnesAsSufficient() {
    let nearly = [mode(.mjpeg, 640, 480, 30), mode(.yuyv, 640, 480, 30_000 / 1_001)]
    #expect(vga.best(of: nearly)?.delivery == .direct(.yuyv))
    let silent = [mode(.mjpeg, 640, 480, 30), mode(.yuyv, 640, 480, nil)]
    #expect(vga.best(of: silent)?.delivery == .direct(.yuyv))
  }

  @Test func takesLibV4LConvertOnlyWhereNothingElseHasSizeAndRate() throws {
    let other = try converted("YVYU")
    let same = [mode(other, 640, 480, 30), mode(.mjpeg, 640, 480, 30)]
    #expect(vga.best(of: same)?.delivery == .direct(.mjpeg))
    let larger = [mode(other, 640, 480, 30), mode(.mjpeg, 1_920, 1_080, 30)]
    #expect(vga.best(of: larger)?.delivery == other)
  }

  @Test func prefersColourAndPlanesInOnePiece() throws {
    let kinds = [
      .direct(.yu12), .gathered(.yu12), .direct(.nv12), .gathered(.nv12), .direct(.yuyv), .direct(.mjpeg),
      try converted("YVYU"), try converted("RGBP"), try converted("BA81"), try converted("GREY"),
    ]
    #expect(kinds.map(\.rank) == kinds.map(\.rank).sorted())
    #expect(Set(kinds.map(\.rank)).count == kinds.count)
  }

  @Test func findsNothingAmongNothing() {
    #expect(vga.best(of: []) == nil)
  }

  @Test func findsTheNearestSizeOfARange() {
    let range = CameraSizeRange(
      minimumWidth: 48, maximumWidth: 1_920, widthStep: 16, minimumHeight: 32, maximumHeight: 1_080, heightStep: 2)
    #expect(range.nearest(width: 640, height: 480) == (640, 480))
    #expect(range.nearest(width: 650, height: 481) == (656, 482))
    #expect(range.nearest(width: 4_096, height: 8) == (1_920, 32))
  }
}

@Suite struct FourCCTests {
  @Test func spellsCodesAsV4L2Does() {
    #expect(FourCC(0x5659_5559).description == "YUYV")
    #expect(FourCC("Y16").description == "Y16")
    #expect(FourCC("Y16").bigEndian.description == "Y16-BE")
    #expect(FourCC(0).description == "????")
    #expect(PixelFormat(FourCC("MJPG")) == .mjpeg)
    #expect(PixelFormat(separatePlanes: FourCC("NM12")) == .nv12)
  }

  @Test func knowsWhatNothingCanConvert() {
    #expect(FrameDelivery(FourCC("H264")) == nil)
    #expect(FrameDelivery(FourCC("NV24")) == nil)
    #expect(FrameDelivery(FourCC("HSV3")) == nil)
    #expect(FrameDelivery(FourCC("S561")) == nil)
  }
}

@Suite struct FrameLimitsTests {
  @Test func whatNoCameraHasIsNotBelieved() {
    #expect(FrameLimits.admits(width: 640, height: 480))
    #expect(FrameLimits.admits(width: 16_384, height: 16_384))
    for (width, height) in [(0, 480), (640, 0), (.max, 480), (640, .max)] as [(UInt32, UInt32)] {
      #expect(!FrameLimits.admits(width: width, height: height))
    }
    #expect(FrameLimits.admits(bytesPerLine: 0, byteCount: 0))
    #expect(!FrameLimits.admits(bytesPerLine: .max, byteCount: 0))
    #expect(!FrameLimits.admits(bytesPerLine: 1_280, byteCount: .max))
    #expect(FrameLimits.clamped(.max) == 16_384)
  }
}
