internal import SystemSupport
internal import MediaCore
internal import PixelConversion

/// Snapshots of the camera as JPEG while it runs. The video thread copies a frame into existing memory; the waiting
/// callers allocate that memory, and one of them encodes for all.
public final class SnapshotEncoder: Sendable {
  /// More do not wait at the same time.
  private static let maximumWaiting = 8

  /// What a waiting caller has to do next.
  private enum Turn: Sendable {
    case finished([UInt8]?)
    /// Encode this for oneself and the others.
    case encode(StillBuffer, others: [Int: Waiter])
    /// There is no buffer of this size.
    case makeBuffer(width: Int, height: Int)
  }

  private typealias Waiter = CheckedContinuation<Turn, Never>

  private struct State {
    var waiting: [Int: Waiter] = [:]
    var lastID = 0
    /// Those whose time was over before they waited.
    var expired: Set<Int> = []
    /// Where the next wanted frame goes.
    var buffer: StillBuffer?
  }

  private let isWanted = Atomic<Bool>(false)
  private let state = Mutex(State())

  public init() {}

  /// The next frame; nil if none comes within `limit`: the camera is closed, muted or gone.
  public func next(within limit: Duration = .seconds(2)) async -> [UInt8]? {
    let end = ContinuousClock.now + limit
    while true {
      switch await turn(until: end) {
      case .finished(let bytes): return bytes
      case .encode(let buffer, let others):
        let bytes = JPEGEncoder.encode(buffer.image)
        for waiter in others.values { waiter.resume(returning: .finished(bytes)) }
        return bytes
      case .makeBuffer(let width, let height):
        let buffer = StillBuffer(width: width, height: height)
        state.withLock { $0.buffer = buffer }
        // Others wait too, whatever happens to this one.
        isWanted.store(true, ordering: .releasing)
      }
    }
  }

  private func turn(until end: ContinuousClock.Instant) async -> Turn {
    let id = state.withLock { state in
      state.lastID += 1
      return state.lastID
    }
    defer { state.withLock { _ = $0.expired.remove(id) } }
    return await withTaskGroup(of: Void.self) { group in
      group.addTask {
        try? await Task.sleep(until: end, clock: .continuous)
        self.giveUp(id)
      }
      defer { group.cancelAll() }
      return await withCheckedContinuation { add($0, id) }
    }
  }

  private func add(_ waiter: Waiter, _ id: Int) {
    let isAdded = state.withLock { state in
      guard state.waiting.count < Self.maximumWaiting, !state.expired.contains(id) else { return false }
      state.waiting[id] = waiter
      return true
    }
    guard isAdded else { return waiter.resume(returning: .finished(nil)) }
    isWanted.store(true, ordering: .releasing)
  }

  private func giveUp(_ id: Int) {
    let waiter = state.withLock { state in
      state.expired.insert(id)
      return state.waiting.removeValue(forKey: id)
    }
    waiter?.resume(returning: .finished(nil))
  }

  /// From the video thread, with each frame of the camera. Copies one that is wanted, and does no more.
  func offer(_ image: borrowing I420Buffer) {
    guard isWanted.load(ordering: .relaxed), isWanted.exchange(false, ordering: .acquiring) else { return }
    let (first, turn): (Waiter?, Turn) = state.withLock { state in
      guard let (id, first) = state.waiting.first else { return (nil, .finished(nil)) }
      state.waiting[id] = nil
      guard let buffer = state.buffer, buffer.fits(image) else {
        return (first, .makeBuffer(width: image.width, height: image.height))
      }
      defer { (state.waiting, state.buffer) = ([:], nil) }
      return (first, .encode(buffer, others: state.waiting))
    }
    if case .encode(let buffer, _) = turn { buffer.take(image) }
    first?.resume(returning: turn)
  }
}

/// One frame, on its way from the video thread to the caller that encodes it.
///
/// Safety: belongs to the waiting callers until the video thread takes it out of the state, and after that to the one
/// that receives it.
private final class StillBuffer: @unchecked Sendable {
  private(set) var image: I420Buffer

  init(width: Int, height: Int) { image = I420Buffer(width: width, height: height) }

  func fits(_ other: borrowing I420Buffer) -> Bool { image.width == other.width && image.height == other.height }

  func take(_ other: borrowing I420Buffer) {
    let area = FrameArea(x: 0, y: 0, width: other.width, height: other.height)
    FrameScaler.scale(other, to: area, of: &image)
  }
}
