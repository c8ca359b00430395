import Glibc

/// A program that runs beside this one, started without a shell.
///
/// It sees nothing of this process but its standard error and the inputs. When the value goes, so does the program.
final class ChildProcess {
  private let pid: pid_t
  private var result: Int32?

  /// Copies of inputs lie out of the way of the numbers that the child gives them.
  private static let lowestCopy: CInt = 512
  private static let firstInput = CInt(SideBySide.firstInput)

  /// - Parameters:
  ///   - inputs: descriptors that become 3, 4, 5 … in the program.
  ///   - output: becomes its standard output; nothing without.
  ///   - takesErrors: `output` becomes its standard error as well.
  init(
    _ path: String, _ arguments: [String], inputs: [CInt] = [], output: CInt? = nil, takesErrors: Bool = false
  ) throws(ExportError) {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    if let output {
      posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
      if takesErrors { posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO) }
    } else {
      posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
    }
    let copies = inputs.map { fcntl($0, F_DUPFD_CLOEXEC, Self.lowestCopy) }
    defer { for copy in copies { close(copy) } }
    for (index, copy) in copies.enumerated() {
      posix_spawn_file_actions_adddup2(&actions, copy, Self.firstInput + CInt(index))
    }
    pid = try Self.spawn(path, arguments, &actions)
  }

  deinit {
    guard isRunning else { return }
    kill(pid, SIGTERM)
    for _ in 0..<40 where isRunning { usleep(50_000) }
    guard isRunning else { return }
    kill(pid, SIGKILL)
    var status: Int32 = 0
    waitpid(pid, &status, 0)
  }

  private static func spawn(
    _ path: String, _ arguments: [String], _ actions: inout posix_spawn_file_actions_t
  ) throws(ExportError) -> pid_t {
    let words = ([path] + arguments).map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var pid: pid_t = 0
    let code = posix_spawn(&pid, path, &actions, nil, words, environ)
    guard code == 0 else { throw .system(path: path, errno: code) }
    return pid
  }

  var isRunning: Bool {
    guard result == nil else { return false }
    var status: Int32 = 0
    switch waitpid(pid, &status, WNOHANG) {
    case pid: result = status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F
    case -1 where errno != EINTR: result = 255
    default: break
    }
    return result == nil
  }

  /// What it ended with; 128 and the signal's number if a signal ended it, 0 while it runs.
  var status: Int32 { result ?? 0 }

  /// Runs a program that says little, and returns that.
  ///
  /// - Parameter withErrors: also what it writes to its standard error.
  static func output(
    of path: String, _ arguments: [String], withErrors: Bool = false
  ) throws(ExportError) -> String {
    var ends: [CInt] = [-1, -1]
    let type = CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue)
    guard socketpair(AF_UNIX, type, 0, &ends) == 0 else { throw .system(path: "socketpair", errno: errno) }
    defer { close(ends[0]) }
    let child: ChildProcess
    do {
      defer { close(ends[1]) }
      child = try ChildProcess(path, arguments, output: ends[1], takesErrors: withErrors)
    }
    let bytes = readAll(ends[0])
    while child.isRunning { usleep(10_000) }
    guard child.status == 0 else { throw .ffmpegFailed(status: child.status) }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Reads to the end, or to what is too much.
  private static func readAll(_ descriptor: CInt) -> [UInt8] {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while bytes.count < 4 * 1024 * 1024 {
      let count = read(descriptor, &chunk, chunk.count)
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { break }
      bytes += chunk.prefix(count)
    }
    return bytes
  }
}
