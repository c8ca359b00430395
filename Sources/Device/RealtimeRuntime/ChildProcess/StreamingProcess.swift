internal import CLinux
internal import Glibc
public import MediaCore

/// A program that writes a stream to its standard output for as long as it is wanted.
///
/// It has a process group of its own, nothing on standard input, none of this process' descriptors, and of its environment
/// ``passedVariables`` alone: no credentials. It ends with the value (SIGTERM to the group, SIGKILL after a second), and
/// with the thread that started it. Use from that thread.
public final class StreamingProcess {
  /// How a read ended.
  public enum ReadOutcome: Hashable, Sendable {
    /// So many bytes were read.
    case bytes(Int)
    case nothing
    /// The program has closed its standard output, mostly by ending.
    case end
  }

  /// What it is given of this process' environment, where it is there.
  public static let passedVariables = ["PATH", "HOME", "LANG", "TZ", "XDG_RUNTIME_DIR"]

  /// As much as the kernel lets ordinary users have.
  private static let pipeSize: Int32 = 1 << 20
  private static let grace = TimeSpan.seconds(1)

  private let process: RunningProcess
  private let output: PipeEnd
  private let errors: PipeEnd

  /// Starts the program.
  ///
  /// - Parameter command: the absolute path and the arguments.
  public init(command: [String]) throws(ChildProcess.StartFailure) {
    let child = ChildProcess(
      command: command, environment: Self.environment, timeout: nil, grace: Self.grace, endsWithThread: true)
    let (output, outputInput) = try PipeEnd.makePipe(for: command[0])
    let (errors, errorsInput) = try PipeEnd.makePipe(for: command[0])
    ls_pipe_enlarge(output.descriptor, Self.pipeSize)
    process = try child.start(.init(output: outputInput.descriptor, error: errorsInput.descriptor))
    (self.output, self.errors) = (output, errors)
  }

  private static var environment: [String] {
    passedVariables.compactMap { name in getenv(name).map { "\(name)=\(String(cString: $0))" } }
  }

  /// Waits until there is something to read.
  ///
  /// - Parameter interruption: a descriptor that ends the wait as well; -1 for none.
  /// - Returns: whether that is readable.
  public func wait(timeout: TimeSpan, interruption: CInt = -1) -> Bool {
    var entries = (
      pollfd(fd: output.descriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: interruption, events: Int16(POLLIN), revents: 0)
    )
    withUnsafeMutableBytes(of: &entries) { entries in
      _ = poll(
        entries.assumingMemoryBound(to: pollfd.self).baseAddress, 2, CInt(clamping: max(0, timeout.milliseconds)))
    }
    return entries.1.revents != 0
  }

  /// Reads what is there and fits; does not wait.
  public func read(into buffer: UnsafeMutableRawBufferPointer) -> ReadOutcome { output.read(into: buffer) }

  /// The same of standard error.
  public func readErrors(into buffer: UnsafeMutableRawBufferPointer) -> ReadOutcome { errors.read(into: buffer) }

  /// Bytes of standard output that have come and were not read.
  public var waitingByteCount: Int { Int(ls_readable_bytes(output.descriptor)) }

  /// Waits so long for it to end by itself, and returns how it has ended; nil while it runs.
  public func outcome(within limit: TimeSpan) -> ChildProcess.Outcome? { process.outcome(within: limit) }
}

/// One end of a pipe.
private final class PipeEnd {
  let descriptor: CInt

  init(_ descriptor: CInt) { self.descriptor = descriptor }

  deinit { close(descriptor) }

  /// The end to read from, which does not block, and the end for a program, which does.
  static func makePipe(
    for path: String
  ) throws(ChildProcess.StartFailure) -> (output: PipeEnd, input: PipeEnd) {
    var ends: [CInt] = [-1, -1]
    guard ls_pipe(&ends) == 0 else { throw ChildProcess.StartFailure(path: path, code: errno) }
    return (PipeEnd(ends[0]), PipeEnd(ends[1]))
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) -> StreamingProcess.ReadOutcome {
    while true {
      let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
      if count > 0 { return .bytes(count) }
      if count == 0 { return .end }
      if errno != EINTR { return errno == EAGAIN ? .nothing : .end }
    }
  }
}
