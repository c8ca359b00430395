import Glibc

/// The daemon's program, run for an errand of this one.
enum DaemonProgram {
  struct Failure: Error {
    var text: String
  }

  private static let name = "livesessionsd"

  /// Its output, after its end.
  static func output(_ arguments: [String]) throws(Failure) -> [UInt8] {
    var ends: [CInt] = [-1, -1]
    let type = CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue)
    guard socketpair(AF_UNIX, type, 0, &ends) == 0 else {
      throw Failure(text: "socketpair: \(String(cString: strerror(errno)))")
    }
    defer { close(ends[0]) }
    let pid: pid_t
    do {
      defer { close(ends[1]) }
      pid = try spawn(try path(), arguments, output: ends[1])
    }
    let bytes = readAll(ends[0])
    var status: CInt = 0
    while waitpid(pid, &status, 0) < 0, errno == EINTR {}
    guard status == 0 else { throw Failure(text: "\(name) has failed, status \(status)") }
    return bytes
  }

  /// Beside this program.
  private static func path() throws(Failure) -> String {
    let own = withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { buffer in
      let count = max(0, readlink("/proc/self/exe", buffer.baseAddress!, buffer.count))
      return String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
    let path = own.lastIndex(of: "/").map { own[...$0] + name } ?? ""
    guard access(path, X_OK) == 0 else { throw Failure(text: "there is no \(name) beside this program: \(own)") }
    return path
  }

  private static func spawn(_ path: String, _ arguments: [String], output: CInt) throws(Failure) -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
    let words = ([path] + arguments).map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var pid: pid_t = 0
    let code = posix_spawn(&pid, path, &actions, nil, words, environ)
    guard code == 0 else { throw Failure(text: "\(path): \(String(cString: strerror(code)))") }
    return pid
  }

  private static func readAll(_ descriptor: CInt) -> [UInt8] {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = read(descriptor, &chunk, chunk.count)
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { return bytes }
      bytes += chunk.prefix(count)
    }
  }
}
