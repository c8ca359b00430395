import Foundation
import MediaCore
import Testing
import V4L2Capture

private func failure(opening path: String) -> V4L2Error? {
  do throws(V4L2Error) {
    _ = try V4L2Camera(path: path, request: CaptureRequest(width: 640, height: 480, frameRate: 30))
    return nil
  } catch {
    return error
  }
}

@Suite struct V4L2CameraTests {
  @Test func saysThatAnAbsentCameraIsAbsent() throws {
    let error = try #require(failure(opening: "/dev/video-absent"))
    #expect(error.cause == .system(call: "open", errno: ENOENT))
    #expect(error.isDeviceGone)
    #expect(error.description.contains("/dev/video-absent: open: "))
    #expect(error.description.contains("plugged in"))
  }

  @Test func saysWhichCallRefusesWhatIsNoCamera() throws {
    let error = try #require(failure(opening: "/dev/null"))
    #expect(error.cause == .system(call: "VIDIOC_QUERYCAP", errno: ENOTTY))
    #expect(!error.isDeviceGone)
  }

  @Test func listsNoCamerasWhereNoNodesAre() throws {
    let directory = FileManager.default.temporaryDirectory.appending(path: "cameras-\(UUID())")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    // A plain file by a camera's name is not one.
    try Data().write(to: directory.appending(path: "video0"))
    #expect(CameraList.current(directory: directory.path).isEmpty)
    #expect(CameraList.current(directory: "/absent").isEmpty)
  }

  @Test(arguments: [(EACCES, "group"), (EBUSY, "another program"), (ENODEV, "unplugged"), (ENOSPC, "bandwidth")])
  func advises(code: Int32, word: String) {
    let error = V4L2Error(.system(call: "VIDIOC_STREAMON", errno: code), path: "/dev/video0")
    #expect(error.description.contains(word))
  }
}
