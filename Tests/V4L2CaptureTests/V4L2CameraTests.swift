import Foundation
import MediaCore
import Testing

@testable import V4L2Capture

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

  @Test func saysThatSomethingElseIsNoCamera() throws {
    let error = try #require(failure(opening: "/dev/null"))
    #expect(error.cause == .notACamera(.otherDevice))
    #expect(!error.isDeviceGone)
    #expect(error.description.contains("livesessions devices"))
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

  @Test func namesACameraByItsOwnNameElseByItsPort() throws {
    let directory = FileManager.default.temporaryDirectory.appending(path: "cameras-\(UUID())")
    defer { try? FileManager.default.removeItem(at: directory) }
    for folder in ["v4l/by-id", "v4l/by-path"] {
      try FileManager.default.createDirectory(at: directory.appending(path: folder), withIntermediateDirectories: true)
    }
    for node in ["video0", "video1", "video2"] { try Data().write(to: directory.appending(path: node)) }
    let links = [("by-id/usb-gate-video-index0", 0), ("by-path/usb-1", 0), ("by-path/usb-2", 1)]
    for (link, number) in links {
      let path = directory.appending(path: "v4l/\(link)").path
      try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "../../video\(number)")
    }
    let names = (0...2).map {
      CameraList.stableLink(to: "\(directory.path)/video\($0)", directory: directory.path)
    }
    #expect(names == ["\(directory.path)/v4l/by-id/usb-gate-video-index0", "\(directory.path)/v4l/by-path/usb-2", nil])
  }

  @Test(arguments: [
    (EACCES, "group"), (EBUSY, "another program"), (ENODEV, "unplugged"), (ENXIO, "unplugged"), (ENOENT, "plugged in"),
    (ENOSPC, "bandwidth"), (EPIPE, "media-ctl"),
  ])
  func advises(code: Int32, word: String) {
    let error = V4L2Error(.system(call: "VIDIOC_STREAMON", errno: code), path: "/dev/video0")
    #expect(error.description.contains(word))
  }

  @Test func listsWhatACameraOffersInstead() {
    let error = V4L2Error(.formatNotOffered(wanted: "NV12", offered: ["YUYV", "MJPG"]), path: "/dev/video0")
    #expect(error.description == "/dev/video0: cannot deliver the pixel format NV12; it offers YUYV MJPG")
  }
}
