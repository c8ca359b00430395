internal import Locking
internal import MediaCore
internal import PixelConversion

/// Single pictures of the camera as JPEG, for those who ask while it runs. Encoded once for all who wait, on the thread
/// that encodes video.
public final class StillPictures: Sendable {
  /// More do not wait at the same time.
  private static let mostWaiting = 8

  private struct State {
    var waiting: [Int: CheckedContinuation<[UInt8]?, Never>] = [:]
    var lastID = 0
  }

  private let isWanted = Atomic<Bool>(false)
  private let state = Mutex(State())

  public init() {}

  /// The next picture; nil if none comes within `limit`: the camera is closed, muted or gone.
  public func next(within limit: Duration = .seconds(2)) async -> [UInt8]? {
    await withCheckedContinuation { continuation in
      guard let id = add(continuation) else { return continuation.resume(returning: nil) }
      Task {
        try? await Task.sleep(for: limit)
        self.giveUp(id)
      }
    }
  }

  private func add(_ continuation: CheckedContinuation<[UInt8]?, Never>) -> Int? {
    let id: Int? = state.withLock { state in
      guard state.waiting.count < Self.mostWaiting else { return nil }
      state.lastID += 1
      state.waiting[state.lastID] = continuation
      return state.lastID
    }
    isWanted.store(true, ordering: .releasing)
    return id
  }

  private func giveUp(_ id: Int) { state.withLock { $0.waiting.removeValue(forKey: id) }?.resume(returning: nil) }

  /// From the video thread, with each picture of the camera.
  func offer(_ picture: borrowing I420Buffer) {
    guard isWanted.load(ordering: .relaxed), isWanted.exchange(false, ordering: .acquiring) else { return }
    let waiting = state.withLock { state in
      defer { state.waiting = [:] }
      return Array(state.waiting.values)
    }
    guard !waiting.isEmpty else { return }
    let bytes = JPEGEncoder.encode(picture)
    for continuation in waiting { continuation.resume(returning: bytes) }
  }
}
