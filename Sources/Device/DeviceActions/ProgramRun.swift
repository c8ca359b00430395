import CLinux
import ChildProcess
import Dispatch
import Glibc

/// A program of an action, and what it prints.
struct ProgramRun: Sendable {
  /// What has been printed when it ended, cut.
  struct Result: Sendable, Equatable {
    var outcome: ChildProcess.Outcome
    var lines: [String]
  }

  private static let mostLines = 20
  private static let mostBytes = 8_192
  private static let queue = DispatchQueue(label: "livesessions.actions", attributes: .concurrent)

  private let process: ChildProcess

  /// - Parameters:
  ///   - command: the absolute path and the arguments.
  ///   - environment: everything that the program's environment has.
  init(command: [String], environment: [String], timeout: Duration) {
    process = ChildProcess(command: command, environment: environment, timeout: timeout)
  }

  /// Runs the program to its end, which is two seconds after the time-out at the latest.
  ///
  /// - Throws: ``ChildProcess/StartFailure``.
  func run() async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
      Self.queue.async { continuation.resume(with: Swift.Result { try self.runBlocking() }) }
    }
  }

  private func runBlocking() throws -> Result {
    var ends: [Int32] = [-1, -1]
    guard ls_pipe(&ends) == 0 else { throw ChildProcess.StartFailure(path: process.command[0], code: errno) }
    defer { for end in ends { close(end) } }
    var collected = CollectedOutput(maximumBytes: Self.mostBytes)
    let outcome = try process.run(.init(output: ends[1], error: ends[1])) { collected.read(ends[0]) }
    return Result(outcome: outcome, lines: collected.lines(atMost: Self.mostLines))
  }
}

/// The first of what a program prints; the rest is read and dropped, so that the program does not wait.
private struct CollectedOutput {
  let maximumBytes: Int
  private var bytes: [UInt8] = []
  private var isCut = false

  init(maximumBytes: Int) { self.maximumBytes = maximumBytes }

  /// Reads what waits, at most a megabyte.
  mutating func read(_ descriptor: Int32) {
    var buffer = [UInt8](repeating: 0, count: 4_096)
    for _ in 0..<256 {
      let count = Glibc.read(descriptor, &buffer, buffer.count)
      guard count > 0 else { return }
      let room = maximumBytes - bytes.count
      bytes += buffer.prefix(min(count, room))
      if count > room { isCut = true }
    }
  }

  func lines(atMost count: Int) -> [String] {
    let lines = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline).map(String.init)
    return Array(lines.prefix(count)) + (isCut || lines.count > count ? ["(more was printed)"] : [])
  }
}
