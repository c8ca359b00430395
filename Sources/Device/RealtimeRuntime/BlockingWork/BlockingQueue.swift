import Dispatch
import SystemSupport
import MediaCore

/// Runs what may block on one resource, such as a disk, away from the shared pool, which has few threads.
///
/// One piece of work at a time: a disk does not get faster by crowding. What blocks forever holds up this resource
/// alone, and no caller waits for longer than the queue's timeout; once one piece has taken longer than that, all
/// callers are refused at once.
public final class BlockingQueue: Sendable {
  private struct State {
    /// Pieces that wait or are under way.
    var count = 0
    var begin: ContinuousClock.Instant?
  }

  /// What is waited for, as errors and status name it.
  public let resource: String
  private let limit: Int
  private let timeout: Duration?
  private let queue: DispatchQueue
  private let state = Mutex(State())

  /// - Parameters:
  ///   - timeout: of a caller; nil for work without a limit.
  ///   - limit: the maximum number of waiting pieces of work.
  public init(_ resource: String, timeout: Duration?, limit: Int = 64) {
    self.resource = resource
    self.timeout = timeout
    self.limit = limit
    queue = DispatchQueue(label: "livesessions.blocking", qos: .utility)
  }

  /// For how long the current piece has blocked, beyond the queue's timeout.
  public var stall: Duration? {
    guard let timeout, let begin = state.withLock({ $0.begin }) else { return nil }
    let span = ContinuousClock.now - begin
    return span > timeout ? span : nil
  }

  /// - Throws: what the work throws; ``BlockingQueueError`` where it does not come to that, or does not end in time. Then it may
  ///   still be done.
  public func run<Success: Sendable>(_ work: @escaping @Sendable () throws -> Success) async throws -> Success {
    if let stall { throw BlockingQueueError.stalled(resource, stall) }
    try enter()
    return try await withCheckedThrowingContinuation { continuation in
      let answer = Answer(continuation)
      queue.async { [self] in
        state.withLock { $0.begin = .now }
        let result = Result(catching: work)
        state.withLock { ($0.begin, $0.count) = (nil, $0.count - 1) }
        answer.give(result)
      }
      answer.await(atMost: timeout, BlockingQueueError.stalled(resource, timeout ?? .zero))
    }
  }

  private func enter() throws(BlockingQueueError) {
    let isFull = state.withLock { state in
      guard state.count < limit else { return true }
      state.count += 1
      return false
    }
    if isFull { throw .crowded(resource) }
  }
}

/// Why work was not done, or is not known to have been.
public enum BlockingQueueError: Error, Hashable, CustomStringConvertible {
  /// Too much waits already.
  case crowded(String)
  /// Timed out after this time.
  case stalled(String, Duration)

  public var description: String {
    switch self {
    case .crowded(let resource): "too much waits for \(resource); try again later"
    case .stalled(let resource, let span):
      "\(resource) has not answered for \(span.components.seconds) s: see dmesg, and the disk's cable and health"
    }
  }
}

/// Resumes a continuation once, by the work or by the clock.
private final class Answer<Success: Sendable>: Sendable {
  private let continuation: Mutex<CheckedContinuation<Success, any Error>?>

  init(_ continuation: CheckedContinuation<Success, any Error>) { self.continuation = Mutex(continuation) }

  func give(_ result: Result<Success, any Error>) {
    continuation.withLock { $0.take() }?.resume(with: result)
  }

  func await(atMost limit: Duration?, _ error: BlockingQueueError) {
    guard let limit else { return }
    let milliseconds =
      Int(clamping: limit.components.seconds.saturatingMultiplied(by: 1_000))
      + Int(limit.components.attoseconds / 1_000_000_000_000_000)
    DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + .milliseconds(milliseconds)) {
      self.give(.failure(error))
    }
  }
}
