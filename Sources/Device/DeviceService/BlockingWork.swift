import Dispatch

/// Runs what may block on a disk away from the shared pool, which has few threads.
enum BlockingWork {
  /// How long a piece of work may take; short work never waits for long work.
  enum Length {
    /// Looks at a few files.
    case short
    /// Reads whole archives, for minutes perhaps.
    case long
    /// Runs a program, for seconds.
    case program
  }

  private static let shortQueue = DispatchQueue(label: "livesessions.disk", qos: .utility)
  private static let longQueue = DispatchQueue(label: "livesessions.disk.long", qos: .utility)

  private static let programQueue = DispatchQueue(label: "livesessions.programs", qos: .utility)

  /// One piece of work of a length at a time: the disk does not get faster by crowding.
  static func run<Result: Sendable>(
    _ length: Length = .short, _ work: @escaping @Sendable () throws -> Result
  ) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
      queue(for: length).async { continuation.resume(with: Swift.Result(catching: work)) }
    }
  }

  private static func queue(for length: Length) -> DispatchQueue {
    switch length {
    case .short: shortQueue
    case .long: longQueue
    case .program: programQueue
    }
  }
}
