internal import CLinux
internal import Dispatch
internal import Glibc

/// A program that the configuration names, its input, and its output.
public struct ProgramRun: Sendable {
  /// What has been printed when it ended, cut.
  public struct Result: Sendable, Equatable {
    public var outcome: ChildProcess.Outcome
    public var lines: [String]

    public init(outcome: ChildProcess.Outcome, lines: [String]) {
      self.outcome = outcome
      self.lines = lines
    }
  }

  private static let maxLines = 20
  private static let maxBytes = 8_192
  private static let queue = DispatchQueue(label: "livesessions.programs", attributes: .concurrent)

  private let process: ChildProcess
  private let input: [UInt8]

  /// - Parameters:
  ///   - command: the absolute path and the arguments.
  ///   - environment: everything that the program's environment has.
  ///   - input: what it reads from standard input.
  public init(command: [String], environment: [String], timeout: Duration, input: [UInt8] = []) {
    process = ChildProcess(command: command, environment: environment, timeout: timeout)
    self.input = input
  }

  /// Runs the program to its end, which is two seconds after the time-out at the latest.
  ///
  /// - Throws: ``ChildProcess/StartFailure``.
  public func run() async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
      Self.queue.async { continuation.resume(with: Swift.Result { try self.runBlocking() }) }
    }
  }

  private func runBlocking() throws -> Result {
    let input = try openInput()
    defer { if let input { close(input) } }
    let (outcome, output) = try process.output(.init(input: input), maximumBytes: Self.maxBytes)
    return Result(outcome: outcome, lines: output.lines(atMost: Self.maxLines))
  }
}

extension ProgramRun {
  /// A file in memory, so that no thread has to write while the program reads; nil where there is nothing to read.
  private func openInput() throws(ChildProcess.StartFailure) -> Int32? {
    guard !input.isEmpty else { return nil }
    let file = ls_memory_file("input")
    guard file >= 0 else { throw ChildProcess.StartFailure(path: process.command[0], code: errno) }
    guard pwrite(file, input, input.count, 0) == input.count else {
      let code = errno
      close(file)
      throw ChildProcess.StartFailure(path: process.command[0], code: code)
    }
    return file
  }
}
