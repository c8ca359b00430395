public import MediaCore
public import MediaPlaneAPI

/// The camera, as ``Snapshots`` uses it.
public protocol SnapshotCamera: Sendable {
  /// What forbids a picture now, whether the camera works or not.
  var cameraRefusal: SnapshotError? { get async }
  /// Why no picture comes, or none of the camera.
  var cameraProblem: SnapshotError? { get async }
  /// Has the camera open until ``closeCamera()``; returns whether it was before.
  func openCamera() async throws(SnapshotError) -> Bool
  func closeCamera() async
}

/// Takes single pictures: opens the camera where it is closed, for no longer than it takes, and gives one picture to all who ask
/// within two seconds.
public actor Snapshots: SnapshotTaking {
  /// The next picture of the camera that is open, as JPEG; nil if none comes within the time.
  public typealias NextPicture = @Sendable (TimeSpan) async -> [UInt8]?

  private struct Taken {
    let picture: [UInt8]
    let time: MonotonicInstant
  }

  private let camera: any SnapshotCamera
  private let clock: MediaClock
  private let nextPicture: NextPicture
  private var current: Task<Result<[UInt8], SnapshotError>, Never>?
  private var last: Taken?

  /// No picture is made sooner after the one before.
  static let interval = TimeSpan.seconds(2)
  /// A camera that was closed finds its exposure meanwhile.
  static let settling = TimeSpan.seconds(1)
  /// Some cameras take long to open.
  static let patience = TimeSpan.seconds(10)
  /// What has become of the camera is looked at so often.
  private static let glance = TimeSpan.seconds(1)
  /// Before somebody who was turned away at once asks again.
  private static let pause = TimeSpan.milliseconds(100)

  public init(camera: any SnapshotCamera, clock: MediaClock = .system, nextPicture: @escaping NextPicture) {
    self.camera = camera
    self.clock = clock
    self.nextPicture = nextPicture
  }

  public func take() async throws(SnapshotError) -> [UInt8] {
    if let refusal = await camera.cameraRefusal { throw refusal }
    if let last, clock.now() - last.time < Self.interval { return last.picture }
    let task = current ?? begin()
    return try await task.value.get()
  }

  private func begin() -> Task<Result<[UInt8], SnapshotError>, Never> {
    let task = Task { await finish(takePicture()) }
    current = task
    return task
  }

  private func finish(_ result: Result<[UInt8], SnapshotError>) -> Result<[UInt8], SnapshotError> {
    current = nil
    guard case .success(let picture) = result else { return result }
    let taken = Taken(picture: picture, time: clock.now())
    last = taken
    Task {
      try? await clock.sleep(Self.interval)
      if last?.time == taken.time { last = nil }
    }
    return result
  }

  private func takePicture() async -> Result<[UInt8], SnapshotError> {
    do throws(SnapshotError) {
      let wasOpen = try await camera.openCamera()
      let result = await picture(settles: !wasOpen)
      await camera.closeCamera()
      return result
    } catch {
      return .failure(error)
    }
  }

  private func picture(settles: Bool) async -> Result<[UInt8], SnapshotError> {
    do throws(SnapshotError) {
      let first = try await wait()
      guard settles else { return .success(first) }
      try? await clock.sleep(Self.settling)
      return .success(try await wait())
    } catch {
      return .failure(error)
    }
  }

  /// The next picture that is the camera's own.
  private func wait() async throws(SnapshotError) -> [UInt8] {
    let end = clock.now() + Self.patience
    while clock.now() < end {
      let picture = await nextPicture(Self.glance)
      if let problem = await camera.cameraProblem { throw problem }
      if let picture { return picture }
      try? await clock.sleep(Self.pause)
    }
    throw .noPicture(seconds: Int(clamping: Self.patience.nanoseconds / 1_000_000_000))
  }
}
