import Foundation
import MediaCore
import RealtimeRuntime
import SystemSupport

@testable import MediaPipeline

/// Cameras that do as a test tells them. They draw one luma, by which a test tells whose picture it sees.
final class FakeCameras: Sendable {
  struct Camera: Sendable {
    var luma: UInt8
    var width = 320
    var height = 180
    var behaviour = Behaviour.delivers
  }

  enum Behaviour: Hashable, Sendable {
    case delivers
    /// Opening fails.
    case absent
    /// An open stream fails.
    case fails
    /// An open stream is silent.
    case silent
    /// An open stream goes on with pictures of half the size.
    case resizes
    /// Opening, or waiting for a picture, blocks in the kernel until ``FakeCameras/release()``.
    case hangs
  }

  private let cameras: Mutex<[String: Camera]>
  /// Opening it for reading blocks until somebody opens it for writing.
  private let fifo: String
  private let counts = Mutex((opened: 0, closed: 0))

  init(_ cameras: [String: Camera]) {
    self.cameras = Mutex(cameras)
    fifo = FileManager.default.temporaryDirectory.appending(path: "hang-\(UUID())").path
    mkfifo(fifo, 0o600)
  }

  deinit { unlink(fifo) }

  subscript(path: String) -> Behaviour {
    get { cameras.withLock { $0[path]?.behaviour ?? .absent } }
    set { cameras.withLock { $0[path]?.behaviour = newValue } }
  }

  var openCount: Int { counts.withLock { $0.opened - $0.closed } }
  var openings: Int { counts.withLock { $0.opened } }

  func open(_ request: SourceRequest) throws(SourceFailure) -> any FrameSource {
    let path = request.selection.name
    if self[path] == .hangs { hang() }
    guard self[path] != .absent, let camera = cameras.withLock({ $0[path] }) else {
      throw SourceFailure(reason: "\(path): absent")
    }
    counts.withLock { $0.opened += 1 }
    return FakeSource(path, camera, self)
  }

  fileprivate func closed() { counts.withLock { $0.closed += 1 } }

  fileprivate func hang() {
    let descriptor = Foundation.open(fifo, O_RDONLY)
    close(descriptor)
  }

  /// Lets those go on that hang now.
  func release() {
    for _ in 0..<50 {
      let descriptor = Foundation.open(fifo, O_WRONLY | O_NONBLOCK)
      if descriptor >= 0 { close(descriptor) }
      usleep(2_000)
    }
  }
}

private final class FakeSource: FrameSource {
  private(set) var description: VideoSourceDescription
  private let camera: FakeCameras.Camera
  private let cameras: FakeCameras
  private var pace: PacedWait

  init(_ path: String, _ camera: FakeCameras.Camera, _ cameras: FakeCameras) {
    self.camera = camera
    self.cameras = cameras
    description = VideoSourceDescription(
      name: path, text: path, width: camera.width, height: camera.height, frameRate: 30)
    pace = PacedWait(FramePace(start: MonotonicClock.now(), frameRate: 30))
  }

  deinit { cameras.closed() }

  func next(into target: FrameSlot?, until stop: EventDescriptor) throws(SourceFailure) -> FrameOutcome {
    switch cameras[description.name] {
    case .hangs: cameras.hang()
    case .fails, .absent: throw SourceFailure(reason: "\(description.name): failed")
    case .silent:
      _ = stop.wait(timeout: .milliseconds(100))
      return .nothing
    case .resizes where description.width == camera.width:
      (description.width, description.height) = (camera.width / 2, camera.height / 2)
      return .resized
    case .delivers, .resizes: break
    }
    if let target, target.image.width != description.width { return .resized }
    guard let instant = pace.next(until: stop) else { return .nothing }
    target?.image.fill(
      FrameArea(x: 0, y: 0, width: description.width, height: description.height), with: YUVColour(y: camera.luma))
    return .frame(instant)
  }
}
