internal import CLinux
internal import Glibc

/// A program that the daemon runs: without a shell, in a process group of its own, with nothing of the daemon's environment,
/// and ended after its time.
public struct ChildProcess: Sendable {
  /// How it ended.
  public enum Outcome: Sendable, Equatable {
    case exited(status: Int32)
    case signalled(Int32)
    case timedOut
  }

  /// The program could not be started.
  public struct StartFailure: Error, CustomStringConvertible {
    public let path: String
    /// errno.
    public let code: Int32
    public var description: String { "\(path) cannot be started: \(String(cString: strerror(code)))" }

    public init(path: String, code: Int32) {
      self.path = path
      self.code = code
    }
  }

  /// Descriptors that the program has as standard input, output and error; nil is /dev/null. They stay the caller's.
  public struct StandardFiles: Sendable {
    public var input: Int32?
    public var output: Int32?
    public var error: Int32?

    public init(input: Int32? = nil, output: Int32? = nil, error: Int32? = nil) {
      self.input = input
      self.output = output
      self.error = error
    }
  }

  /// Between SIGTERM and SIGKILL.
  private static let grace: Int64 = 2_000

  /// The absolute path and the arguments.
  public let command: [String]
  /// Everything that the program's environment has.
  public let environment: [String]
  public let timeout: Duration

  public init(command: [String], environment: [String], timeout: Duration) {
    self.command = command
    self.environment = environment
    self.timeout = timeout
  }

  /// Runs the program to its end, which is two seconds after the time-out at the latest. Blocks the thread.
  ///
  /// - Parameter whileRunning: called a hundred times a second, and once when it has ended; must not block.
  public func run(_ files: StandardFiles, whileRunning: () -> Void = {}) throws(StartFailure) -> Outcome {
    wait(for: try spawn(files), whileRunning)
  }

  private func spawn(_ files: StandardFiles) throws(StartFailure) -> pid_t {
    let arguments = command.map { strdup($0) } + [nil]
    let variables = environment.map { strdup($0) } + [nil]
    defer { for text in arguments + variables { free(text) } }
    var process: pid_t = 0
    let descriptors = ls_standard_files(input: files.input ?? -1, output: files.output ?? -1, error: files.error ?? -1)
    let failure = ls_spawn(command[0], arguments, variables, descriptors, &process)
    guard failure == 0 else { throw StartFailure(path: command[0], code: failure) }
    return process
  }

  private func wait(for process: pid_t, _ whileRunning: () -> Void) -> Outcome {
    let limit = Self.now() + timeout.components.seconds * 1_000
    var hasEnded = Self.poll(process, until: limit, whileRunning)
    let isLate = !hasEnded
    if isLate {
      kill(-process, SIGTERM)
      hasEnded = Self.poll(process, until: limit + Self.grace, whileRunning)
    }
    // Whatever it has started ends with it; not yet waited for, it keeps the group's number from others.
    kill(-process, SIGKILL)
    var status: Int32 = 0
    while waitpid(process, &status, 0) == -1, errno == EINTR {}
    whileRunning()
    return isLate ? .timedOut : Self.outcome(status)
  }

  /// Returns whether the process has ended by `limit`; it is still to be waited for.
  private static func poll(_ process: pid_t, until limit: Int64, _ whileRunning: () -> Void) -> Bool {
    while true {
      var information = siginfo_t()
      whileRunning()
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
}
