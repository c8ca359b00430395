import CLinux
import Dispatch
import Glibc

/// A program of an action: without a shell, in a process group of its own, with nothing of the daemon's environment, and
/// ended after its time.
struct ProgramRun: Sendable {
  /// How it ended.
  enum Outcome: Sendable, Equatable {
    case exited(status: Int32)
    case signalled(Int32)
    case timedOut
  }

  /// The program could not be started.
  struct StartFailure: Error, CustomStringConvertible {
    let path: String
    let code: Int32
    var description: String { "\(path) cannot be started: \(String(cString: strerror(code)))" }
  }

  /// What has been printed when it ended, cut.
  struct Result: Sendable, Equatable {
    var outcome: Outcome
    var lines: [String]
  }

  private static let mostLines = 20
  private static let mostBytes = 8_192
  /// Between SIGTERM and SIGKILL.
  private static let grace: Int64 = 2_000
  private static let queue = DispatchQueue(label: "livesessions.actions", attributes: .concurrent)

  /// The absolute path and the arguments.
  let command: [String]
  /// Everything that the program's environment has.
  let environment: [String]
  let timeout: Duration

  /// Runs the program to its end, which is two seconds after the time-out at the latest.
  func run() async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
      Self.queue.async { continuation.resume(with: Swift.Result { try self.runBlocking() }) }
    }
  }

  private func runBlocking() throws -> Result {
    var ends: [Int32] = [-1, -1]
    guard ls_pipe(&ends) == 0 else { throw StartFailure(path: command[0], code: errno) }
    defer { close(ends[0]) }
    let process: pid_t
    do {
      defer { close(ends[1]) }
      process = try spawn(output: ends[1])
    }
    return wait(process, output: ends[0])
  }

  private func spawn(output: Int32) throws(StartFailure) -> pid_t {
    let arguments = command.map { strdup($0) } + [nil]
    let variables = environment.map { strdup($0) } + [nil]
    defer { for text in arguments + variables { free(text) } }
    var process: pid_t = 0
    let failure = ls_spawn(command[0], arguments, variables, output, &process)
    guard failure == 0 else { throw StartFailure(path: command[0], code: failure) }
    return process
  }

  private func wait(_ process: pid_t, output: Int32) -> Result {
    var collected = CollectedOutput(maximumBytes: Self.mostBytes)
    let limit = Self.now() + milliseconds(timeout)
    var hasEnded = Self.poll(process, until: limit) { collected.read(output) }
    let isLate = !hasEnded
    if isLate {
      kill(-process, SIGTERM)
      hasEnded = Self.poll(process, until: limit + Self.grace) { collected.read(output) }
    }
    // Whatever it has started ends with it; not yet waited for, it keeps the group's number from others.
    kill(-process, SIGKILL)
    var status: Int32 = 0
    while waitpid(process, &status, 0) == -1, errno == EINTR {}
    collected.read(output)
    return Result(
      outcome: isLate ? .timedOut : Self.outcome(status), lines: collected.lines(atMost: Self.mostLines))
  }

  /// Returns whether the process has ended by `limit`; it is still to be waited for.
  private static func poll(_ process: pid_t, until limit: Int64, _ read: () -> Void) -> Bool {
    while true {
      var information = siginfo_t()
      read()
      let result = waitid(P_PID, id_t(bitPattern: process), &information, WEXITED | WNOHANG | WNOWAIT)
      if result == -1 && errno != EINTR { return true }
      if result == 0, information.si_signo != 0 { return true }
      guard now() < limit else { return false }
      usleep(10_000)
    }
  }

  private static func outcome(_ status: Int32) -> Outcome {
    let signal = status & 0x7f
    return signal == 0 ? .exited(status: status >> 8 & 0xff) : .signalled(signal)
  }

  /// CLOCK_MONOTONIC in milliseconds.
  private static func now() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
  }

  private func milliseconds(_ duration: Duration) -> Int64 { duration.components.seconds * 1_000 }
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
