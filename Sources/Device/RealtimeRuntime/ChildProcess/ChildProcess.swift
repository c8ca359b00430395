internal import CLinux
internal import Glibc
public import MediaCore

/// A program that is run without a shell.
public struct ChildProcess: Sendable {
  /// How it ended.
  public enum Outcome: Sendable, Equatable {
    case exited(status: Int32)
    case signalled(Int32)
    case timedOut

    /// What went wrong, as text for people; nil for a program that ended with status 0.
    public var failure: String? {
      switch self {
      case .exited(status: 0): nil
      case .exited(let status): "the program ended with status \(status)"
      case .signalled(let signal): "the program was ended by signal \(signal)"
      case .timedOut: "the program took too long and was ended"
      }
    }
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

  /// Copies of inputs lie out of the way of the numbers that the program gives them.
  private static let lowestCopy: Int32 = 512

  /// The absolute path and the arguments.
  public let command: [String]
  public let environment: [String]?
  public let timeout: Duration?
  let grace: TimeSpan
  private let endsWithThread: Bool

  /// - Parameters:
  ///   - environment: all that the program has: it runs in a process group of its own, in `/`. Without, it runs in the
  ///     environment, group and folder of this process.
  ///   - timeout: after which it is ended; never without.
  ///   - grace: between SIGTERM and SIGKILL.
  ///   - endsWithThread: whether the kernel kills it when the thread that starts it ends, as that of a daemon which was
  ///     killed.
  public init(
    command: [String], environment: [String]?, timeout: Duration?, grace: TimeSpan = .seconds(2),
    endsWithThread: Bool = false
  ) {
    self.command = command
    self.environment = environment
    self.timeout = timeout
    self.grace = grace
    self.endsWithThread = endsWithThread
  }

  /// Runs the program to its end, which is ``grace`` after the time-out at the latest. Blocks the thread.
  ///
  /// - Parameter whileRunning: called a hundred times a second, and once when it has ended; must not block.
  public func run(_ files: StandardFiles, whileRunning: () -> Void = {}) throws(StartFailure) -> Outcome {
    try start(files).wait(whileRunning: whileRunning)
  }

  /// - Parameter inputs: descriptors that become 3, 4, 5 … in the program; they stay the caller's.
  public func start(_ files: StandardFiles, inputs: [Int32] = []) throws(StartFailure) -> RunningProcess {
    let arguments = command.map { strdup($0) } + [nil]
    let variables = environment.map { $0.map { strdup($0) } + [nil] }
    let copies = inputs.map { fcntl($0, F_DUPFD_CLOEXEC, Self.lowestCopy) }
    defer {
      for text in arguments + (variables ?? []) { free(text) }
      for copy in copies { close(copy) }
    }
    let standard = ls_standard_files(input: files.input ?? -1, output: files.output ?? -1, error: files.error ?? -1)
    var program = ls_program()
    (program.files, program.input_count) = (standard, Int32(clamping: copies.count))
    program.ends_with_thread = endsWithThread ? 1 : 0
    var process: pid_t = 0
    let failure = command[0].withCString { path in
      program.path = path
      return Self.spawn(&program, arguments, variables, copies, &process)
    }
    guard failure == 0 else { throw StartFailure(path: command[0], code: failure) }
    return RunningProcess(process, hasGroup: environment != nil, timeout: timeout, grace: grace)
  }

  private static func spawn(
    _ program: inout ls_program, _ arguments: [UnsafeMutablePointer<CChar>?],
    _ variables: [UnsafeMutablePointer<CChar>?]?, _ inputs: [Int32], _ process: inout pid_t
  ) -> Int32 {
    arguments.withUnsafeBufferPointer { arguments in
      inputs.withUnsafeBufferPointer { inputs in
        (program.arguments, program.inputs) = (arguments.baseAddress, inputs.baseAddress)
        guard let variables else { return ls_spawn(&program, &process) }
        return variables.withUnsafeBufferPointer { variables in
          program.variables = variables.baseAddress
          return ls_spawn(&program, &process)
        }
      }
    }
  }
}
