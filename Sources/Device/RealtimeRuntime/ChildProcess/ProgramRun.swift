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

    /// What went wrong, as text for people; nil for a program that ended with status 0.
    public var failure: String? {
      switch outcome {
      case .exited(status: 0): nil
      case .exited(let status): "the program ended with status \(status)"
      case .signalled(let signal): "the program was ended by signal \(signal)"
      case .timedOut: "the program took too long and was ended"
      }
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
    var ends: [Int32] = [-1, -1]
    guard ls_pipe(&ends) == 0 else { throw ChildProcess.StartFailure(path: process.command[0], code: errno) }
    defer { for end in ends { close(end) } }
    let input = try openInput()
    defer { if let input { close(input) } }
    var collected = CollectedOutput(maximumBytes: Self.maxBytes)
    let outcome = try process.run(.init(input: input, output: ends[1], error: ends[1])) { collected.read(ends[0]) }
    return Result(outcome: outcome, lines: collected.lines(atMost: Self.maxLines))
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
