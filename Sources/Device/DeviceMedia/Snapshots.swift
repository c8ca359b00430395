public import MediaCore
public import MediaPlaneAPI

/// Takes snapshots of one camera: opens it where it is closed, for no longer than it takes, and shares one snapshot
/// among all who ask within two seconds.
public actor Snapshots {
  /// The next frame of the open camera, as JPEG; nil if none comes within the time.
  public typealias NextFrame = @Sendable (TimeSpan) async -> [UInt8]?

  private struct Taken {
    let image: [UInt8]
    let time: MonotonicInstant
  }

  private let cameras: DeviceMedia
  private let camera: String?
  private let clock: MediaClock
  private let nextFrame: NextFrame
  private var current: Task<Result<[UInt8], SnapshotError>, Never>?
  private var last: Taken?
  /// Waits until ``last`` is too old.
  private var forgetting: Task<Void, Never>?

  /// The minimum time between two snapshots.
  static let interval = TimeSpan.seconds(2)
  /// A camera that was closed finds its exposure meanwhile.
  static let settling = TimeSpan.seconds(1)
  /// Some cameras take long to open.
  static let timeout = TimeSpan.seconds(10)
  /// How often the camera's state is polled.
  private static let pollInterval = TimeSpan.seconds(1)
  /// The delay before a caller refused at once retries.
  private static let pause = TimeSpan.milliseconds(100)

  /// - Parameter camera: the name of a further one.
  public init(
    _ cameras: DeviceMedia, of camera: String? = nil, clock: MediaClock = .system,
    nextFrame: @escaping NextFrame
  ) {
    self.cameras = cameras
    self.camera = camera
    self.clock = clock
    self.nextFrame = nextFrame
  }

  /// As ``SnapshotTaking/take(of:)`` says.
  public func take() async throws(SnapshotError) -> [UInt8] {
    if let refusal = await cameras.refusal { throw refusal }
    if let last, clock.now() - last.time < Self.interval { return last.image }
    let task = current ?? begin()
    return try await task.value.get()
  }

  private func begin() -> Task<Result<[UInt8], SnapshotError>, Never> {
    let task = Task { await finish(takeFrame()) }
    current = task
    return task
  }

  private func finish(_ result: Result<[UInt8], SnapshotError>) -> Result<[UInt8], SnapshotError> {
    current = nil
    guard case .success(let image) = result else { return result }
    let taken = Taken(image: image, time: clock.now())
    last = taken
    forgetting?.cancel()
    forgetting = Task { [weak self, clock] in
      try? await clock.sleep(Self.interval)
      await self?.forget(taken.time)
    }
    return result
  }

  private func forget(_ time: MonotonicInstant) {
    if last?.time == time { last = nil }
  }

  private func takeFrame() async -> Result<[UInt8], SnapshotError> {
    do throws(SnapshotError) {
      let wasOpen = try await cameras.open(camera)
      let result = await capture(settles: !wasOpen)
      await cameras.close(camera)
      return result
    } catch {
      return .failure(error)
    }
  }

  private func capture(settles: Bool) async -> Result<[UInt8], SnapshotError> {
    do throws(SnapshotError) {
      let first = try await wait()
      guard settles else { return .success(first) }
      try? await clock.sleep(Self.settling)
      return .success(try await wait())
    } catch {
      return .failure(error)
    }
  }

  /// The next frame that is the camera's own.
  private func wait() async throws(SnapshotError) -> [UInt8] {
    let end = clock.now() + Self.timeout
    while clock.now() < end {
      let image = await nextFrame(Self.pollInterval)
      if let problem = await cameras.problem(of: camera) { throw problem }
      if let image { return image }
      try? await clock.sleep(Self.pause)
    }
    throw .noImage(seconds: Int(clamping: Self.timeout.nanoseconds / 1_000_000_000))
  }
}

/// Takes snapshots of all cameras of a device.
public struct CameraSnapshots: SnapshotTaking {
  private let cameras: [String?: Snapshots]

  /// - Parameter cameras: by their names, the main one by nil.
  public init(_ cameras: [String?: Snapshots]) { self.cameras = cameras }

  public func take(of camera: String?) async throws(SnapshotError) -> [UInt8] {
    if let snapshots = cameras[camera] { return try await snapshots.take() }
    throw camera.map { .unknownCamera($0, known: cameras.keys.compactMap(\.self).sorted()) } ?? .noCamera
  }
}
