public import Foundation
import Glibc
import SystemSupport

/// A process of `redis-server` on a free port of loopback and a Unix socket, in its own temporary directory.
///
/// A shell stands between the test and the server and kills it however the test ends. Everything blocks: it is
/// for tests. ``stop()`` removes the directory.
public final class RedisTestServer: Sendable {
  public struct Failure: Error, CustomStringConvertible {
    public let description: String
  }

  public enum Role: Sendable {
    case server
    /// A sentinel, whose configuration file begins with these lines.
    case sentinel(configuration: String)
  }

  public let port: Int
  public let socketPath: String
  public let directory: URL
  private let role: Role
  private let arguments: [String]
  private let password: String?
  private let process = Mutex<ServerProcess?>(nil)

  /// Whether the programs are installed.
  public static var isInstalled: Bool { access(executable, X_OK) == 0 }
  private static let executable = "/usr/bin/redis-server"

  /// Starts a server and waits until it answers.
  ///
  /// - Parameters:
  ///   - port: a free one by default.
  ///   - arguments: further options, as on the command line.
  ///   - password: becomes `requirepass`.
  public init(
    port: Int? = nil, role: Role = .server, arguments: [String] = [], password: String? = nil
  ) throws {
    self.port = port ?? Self.freePort()
    self.role = role
    self.arguments = arguments
    self.password = password
    // Short: a Unix socket's path has at most 107 octets.
    directory = URL(filePath: "/tmp/redis-test-\(UUID().uuidString.prefix(13))", directoryHint: .isDirectory)
    socketPath = directory.appending(path: "redis.sock").path
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    try start()
  }

  deinit { stop() }

  // MARK: The process

  /// Starts the server again, after ``kill()``.
  public func start() throws {
    let configuration = directory.appending(path: "redis.conf").path
    if case .sentinel(let lines) = role, access(configuration, F_OK) != 0 {
      try lines.write(toFile: configuration, atomically: true, encoding: .utf8)
    }
    let process = try ServerProcess(options, log: directory.appending(path: "log").path)
    self.process.withLock { $0 = process }
    try waitUntilReady()
  }

  /// `kill -9`, and waits for the end.
  public func kill() {
    let process = process.withLock { $0.take() }
    process?.end()
  }

  /// SIGSTOP: the kernel still takes connections and octets, but no answer comes.
  public func suspend() { signal(SIGSTOP) }

  public func resume() { signal(SIGCONT) }

  /// Ends the server and removes its directory; may be called again.
  public func stop() {
    kill()
    try? FileManager.default.removeItem(at: directory)
  }

  public var log: String {
    (try? String(contentsOf: directory.appending(path: "log"), encoding: .utf8)) ?? "no log"
  }

  private func signal(_ number: CInt) { process.withLock { $0?.signal(number) } }

  private var options: [String] {
    let own = [
      "--port", "\(port)", "--bind", "127.0.0.1", "--dir", directory.path, "--unixsocket", socketPath,
      "--daemonize", "no",
    ]
    switch role {
    case .sentinel: return [directory.appending(path: "redis.conf").path, "--sentinel"] + own + arguments
    case .server:
      let secret = password.map { ["--requirepass", $0] } ?? []
      return own + ["--save", "", "--enable-debug-command", "yes"] + secret + arguments
    }
  }

  private func waitUntilReady() throws {
    let deadline = ContinuousClock.now + .seconds(10)
    while ContinuousClock.now < deadline {
      if let answer = try? execute("PING"), answer.hasPrefix("+PONG") { return }
      usleep(5_000)
    }
    throw Failure(description: "redis-server did not come up:\n\(log)")
  }

  // MARK: Commands of the test

  /// Sends an inline command through the Unix socket and returns the octets of its reply that come at once.
  @discardableResult
  public func execute(_ command: String) throws -> String {
    let connection = try InlineConnection(socketPath)
    if let password { _ = try connection.execute("AUTH \(password)") }
    return try connection.execute(command)
  }

  /// Makes the user that docs/guides/hub-nodes.md describes, whose password is `a-long-password`.
  public func addDocumentedUser() throws {
    let page = URL(filePath: #filePath).appending(path: "../../../../../docs/guides/hub-nodes.md").standardized
    let lines = try String(contentsOf: page, encoding: .utf8).split(separator: "\n")
    guard let user = lines.first(where: { $0.hasPrefix("user livesessions on") }) else {
      throw Failure(description: "\(page.path) has no ACL")
    }
    let reply = try execute("ACL SETUSER \(user.dropFirst("user ".count))")
    guard reply.hasPrefix("+OK") else { throw Failure(description: reply) }
  }

  /// Sends an inline command and does not wait for its reply, as for `DEBUG SLEEP`; not for servers with a password.
  public func post(_ command: String) throws { try InlineConnection(socketPath).post(command) }

  /// A loopback port without a listener, below those that the kernel gives to outgoing connections; never the
  /// same twice in one process.
  public static func freePort() -> Int {
    nextPort.withLock { next in
      repeat { next = next < 31_000 ? next + 1 : 11_000 } while !isFree(next)
      return next
    }
  }

  private static let nextPort = Mutex(Int.random(in: 11_000..<31_000))

  private static func isFree(_ port: Int) -> Bool {
    let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
    return withUnsafePointer(to: address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
  }
}
