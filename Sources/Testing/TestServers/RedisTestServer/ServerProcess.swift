import Glibc
import SystemSupport

/// `redis-server` under a shell that kills it when this process closes its standard input, if only by dying.
///
/// Foundation's `Process` waits by run loops, which threads of the shared pool do not have.
struct ServerProcess: Sendable {
  private static let script = """
    log=$1; shift
    /usr/bin/redis-server "$@" >>"$log" 2>&1 </dev/null &
    echo $!
    read -r line
    kill -KILL $!
    wait
    """

  private let shell: pid_t
  private let server: pid_t
  /// The shell's standard input.
  private let input: CInt

  init(_ arguments: [String], log: String) throws {
    let (shell, input, output) = try Self.spawning.withLock { _ in try Self.start(arguments, log) }
    defer { close(output) }
    self.shell = shell
    self.input = input
    var line = [UInt8](repeating: 0, count: 32)
    let count = read(output, &line, line.count)
    guard let server = pid_t(String(decoding: line.prefix(max(0, count)), as: UTF8.self).prefix { $0.isNumber }) else {
      close(input)
      throw RedisTestServer.Failure(description: "the shell did not report the server's process")
    }
    self.server = server
  }

  func signal(_ number: CInt) { kill(server, number) }

  /// Kills the server and waits for its end; to be called once.
  func end() {
    close(input)
    while waitpid(shell, nil, 0) == -1, errno == EINTR {}
  }

  private static func start(_ arguments: [String], _ log: String) throws -> (shell: pid_t, input: CInt, output: CInt) {
    let (childInput, input) = try makePipe()
    let (output, childOutput) = try makePipe()
    defer { for descriptor in [childInput, childOutput] { close(descriptor) } }
    return (try spawn(["/bin/sh", "-c", script, "sh", log] + arguments, childInput, childOutput), input, output)
  }

  /// Held while there are ends of pipes that another child could inherit.
  private static let spawning = Mutex(())

  private static func makePipe() throws -> (reading: CInt, writing: CInt) {
    var ends: [CInt] = [0, 0]
    guard pipe(&ends) == 0 else { throw RedisTestServer.Failure(description: "pipe: errno \(errno)") }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }

  private static func spawn(_ arguments: [String], _ input: CInt, _ output: CInt) throws -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, input, 0)
    posix_spawn_file_actions_adddup2(&actions, output, 1)
    // Threads of the shared pool block signals, among them SIGCHLD, for which the shell waits.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var noSignals = sigset_t()
    sigemptyset(&noSignals)
    posix_spawnattr_setsigmask(&attributes, &noSignals)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    var pointers = arguments.map { strdup($0) } + [nil]
    defer { pointers.forEach { free($0) } }
    var child = pid_t()
    let code = posix_spawn(&child, arguments[0], &actions, &attributes, &pointers, environ)
    guard code == 0 else { throw RedisTestServer.Failure(description: "posix_spawn: errno \(code)") }
    return child
  }
}
