internal import NIOCore
internal import SystemSupport

/// The body of a request while it arrives, for one reader.
///
/// While it holds ``capacity`` parts the connection is not read.
final class RequestBodyStream: AsyncSequence, Sendable {
  typealias Element = ByteBuffer

  private struct State {
    var parts: [ByteBuffer] = []
    /// Nothing follows the parts.
    var end: Result<Void, any Error>?
    var reader: CheckedContinuation<Void, Never>?
  }

  static let capacity = 4
  private let state = Mutex(State())
  private let onRoom: @Sendable () -> Void

  /// - Parameter onRoom: called on any thread when it is full no longer.
  init(onRoom: @escaping @Sendable () -> Void) { self.onRoom = onRoom }

  var isFull: Bool { state.withLock { $0.parts.count >= Self.capacity } }

  func push(_ part: ByteBuffer) {
    let reader = state.withLock { state in
      if state.end == nil { state.parts.append(part) }
      return state.reader.take()
    }
    reader?.resume()
  }

  /// Only the first call counts.
  func end(_ result: Result<Void, any Error>) {
    let reader = state.withLock { state in
      if state.end == nil { state.end = result }
      return state.reader.take()
    }
    reader?.resume()
  }

  func makeAsyncIterator() -> AsyncIterator { AsyncIterator(stream: self) }

  struct AsyncIterator: AsyncIteratorProtocol {
    fileprivate let stream: RequestBodyStream

    func next() async throws -> ByteBuffer? { try await stream.next() }
  }

  private func next() async throws -> ByteBuffer? {
    await waitForMore()
    let (part, hasRoom, end) = state.withLock { state in
      guard !state.parts.isEmpty else { return (ByteBuffer?.none, false, state.end) }
      let part = state.parts.removeFirst()
      return (part, state.parts.count == Self.capacity - 1, state.end)
    }
    if hasRoom { onRoom() }
    if let part { return part }
    try end?.get()
    return nil
  }

  private func waitForMore() async {
    await withCheckedContinuation { continuation in
      let isThere = state.withLock { state in
        let isThere = !state.parts.isEmpty || state.end != nil
        if !isThere { state.reader = continuation }
        return isThere
      }
      if isThere { continuation.resume() }
    }
  }
}
