import MediaCore
import Testing

@testable import V4L2Capture

private func mode(_ format: PixelFormat, _ width: Int, _ height: Int, _ rate: Double?) -> CaptureMode {
  CaptureMode(format: format, code: 0, width: width, height: height, frameRate: rate)
}

@Suite struct CaptureModeTests {
  @Test func prefersTheLeastConversion() {
    let request = CaptureRequest(width: 640, height: 480, frameRate: 30)
    let modes = [mode(.mjpeg, 640, 480, 30), mode(.yuyv, 640, 480, 30), mode(.nv12, 640, 480, 30)]
    #expect(request.best(of: modes)?.format == .nv12)
  }

  @Test func takesMJPEGWhereOnlyThatIsFastEnough() {
    let request = CaptureRequest(width: 1_280, height: 720, frameRate: 30)
    let modes = [mode(.yuyv, 1_280, 720, 10), mode(.mjpeg, 1_280, 720, 30)]
    #expect(request.best(of: modes)?.format == .mjpeg)
  }

  @Test func prefersTheRightSizeToTheRightRate() {
    let request = CaptureRequest(width: 640, height: 480, frameRate: 30)
    let modes = [mode(.yuyv, 320, 240, 30), mode(.rgb24, 640, 480, 15)]
    #expect(request.best(of: modes)?.format == .rgb24)
  }

  @Test func takesNTSCRatesAndUnknownOnesAsSufficient() {
    let request = CaptureRequest(width: 640, height: 480, frameRate: 30)
    let nearly = [mode(.mjpeg, 640, 480, 30), mode(.yuyv, 640, 480, 30_000 / 1_001)]
    #expect(request.best(of: nearly)?.format == .yuyv)
    #expect(request.best(of: [mode(.mjpeg, 640, 480, 30), mode(.yuyv, 640, 480, nil)])?.format == .yuyv)
  }

  @Test func findsNothingAmongNothing() {
    #expect(CaptureRequest(width: 640, height: 480, frameRate: 30).best(of: []) == nil)
  }
}
