/// Blocking work of the daemon, each kind with a queue of its own: a disk that hangs must silence neither the metrics
/// that report it, nor the loudspeaker.
public enum BlockingWork: CaseIterable, Sendable {
  /// Inspects a few files of archives.
  case archives
  /// Reads pieces of recordings for those who fetch them.
  case recordings
  /// Reads whole archives, for minutes perhaps.
  case wholeArchives
  /// Small files of the state directory.
  case state
  /// Files of sounds, wherever they lie.
  case sounds
  /// Runs a program, for seconds.
  case programs
  /// Readings of the kernel.
  case machine

  private static let queues = Dictionary(uniqueKeysWithValues: allCases.map { ($0, $0.makeQueue()) })

  private func makeQueue() -> BlockingQueue {
    switch self {
    case .archives: BlockingQueue("the archives' disk", timeout: .seconds(20))
    case .recordings: BlockingQueue("the recordings' disk", timeout: .seconds(20))
    case .wholeArchives: BlockingQueue("the archives' disk", timeout: nil, limit: 4)
    case .state: BlockingQueue("the disk of the state directory", timeout: .seconds(20))
    case .sounds: BlockingQueue("the disk of the sounds", timeout: .seconds(20))
    case .programs: BlockingQueue("the program", timeout: .seconds(60))
    case .machine: BlockingQueue("the kernel's sensors", timeout: .seconds(2), limit: 8)
    }
  }

  private var queue: BlockingQueue { Self.queues[self] ?? makeQueue() }

  /// One piece of work of a kind at a time.
  ///
  /// - Throws: what the work throws, and ``BlockingQueueError``.
  public static func run<Success: Sendable>(
    _ kind: BlockingWork, _ work: @escaping @Sendable () throws -> Success
  ) async throws -> Success {
    try await kind.queue.run(work)
  }

  /// The first that does not answer, and for how long it has not; nil while all do.
  public static var stalled: (resource: String, span: Duration)? {
    allCases.lazy.map(\.queue).compactMap { queue in queue.stall.map { (queue.resource, $0) } }.first
  }
}
