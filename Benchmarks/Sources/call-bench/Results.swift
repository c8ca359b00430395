import Glibc
import Synchronization

/// What the threads have found, by name.
final class Results: Sendable {
  private let found = Mutex<[String: Double]>([:])

  /// Runs a thread's job; ends the program when it fails.
  func run(_ job: () throws -> [String: Double]) {
    do {
      let more = try job()
      found.withLock { $0.merge(more) { $1 } }
    } catch {
      Swift.print("call-bench: \(error)")
      exit(1)
    }
  }

  /// Prints `name=value` pairs on one line.
  func print(total: Double) {
    let all = found.withLock { $0.merging(["total": total]) { $1 } }
    Swift.print(all.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: " "))
  }
}
