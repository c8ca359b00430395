import Foundation
import Synchronization

/// What one phase took.
struct PhaseFigures: Codable {
  var phase: String
  var count: Int
  var seconds: Double
  /// CPU seconds of this process, which is all nodes, and of Redis.
  var nodeCPU: Double
  var redisCPU: Double
  /// Milliseconds.
  var median: Double
  var p99: Double

  var nodeCost: Double { nodeCPU / Double(count) }
  var redisCost: Double { redisCPU / Double(count) }
}

/// Runs operations, some at the same time, and measures what they take.
struct Meter {
  let redis: RedisServer?
  let atOnce: Int

  /// - Parameters:
  ///   - rate: operations a second to begin, whatever they take; nil: as many as can be.
  ///   - operation: the number of the operation; returns a time that counts instead of its own, if any.
  func measure(
    _ phase: String, count: Int, rate: Double? = nil,
    _ operation: @escaping @Sendable (Int) async throws -> Duration?
  ) async throws -> PhaseFigures {
    let (begin, cpu, redisCPU) = (ContinuousClock.now, processorTime(of: getpid()), redis?.cpu ?? 0)
    let progress = Progress(count)
    try await withThrowingTaskGroup { group in
      for _ in 0..<min(atOnce, count) {
        group.addTask {
          while let number = progress.next() {
            if let rate { try await Task.sleep(until: begin + .seconds(Double(number) / rate), clock: .continuous) }
            let start = ContinuousClock.now
            let told = try await operation(number)
            let duration = (told ?? start.duration(to: .now)) / .milliseconds(1)
            progress.note(duration)
          }
        }
      }
      try await group.waitForAll()
    }
    let sorted = progress.durations
    return PhaseFigures(
      phase: phase, count: count, seconds: begin.duration(to: .now) / .seconds(1),
      nodeCPU: processorTime(of: getpid()) - cpu, redisCPU: (redis?.cpu ?? 0) - redisCPU,
      median: sorted[sorted.count / 2], p99: sorted[min(sorted.count - 1, sorted.count * 99 / 100)])
  }
}

/// Which operation is next, and how long those took that are done.
private final class Progress: Sendable {
  private let count: Int
  private let begun = Mutex(0)
  private let done = Mutex<[Double]>([])

  init(_ count: Int) { self.count = count }

  func next() -> Int? {
    begun.withLock { number in
      guard number < count else { return nil }
      defer { number += 1 }
      return number
    }
  }

  func note(_ milliseconds: Double) { done.withLock { $0.append(milliseconds) } }

  /// Sorted.
  var durations: [Double] { done.withLock { $0.sorted() } }
}
