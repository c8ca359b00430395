import ControlAPI
import Foundation
import Glibc
import Logging
import SystemSupport
import Testing

@Suite("Control socket")
struct ControlSocketTests {
  @Test("the folder is made, and the file is for owner and group only")
  func mode() async throws {
    try await withServer { _, path in
      var status = stat()
      #expect(lstat(path, &status) == 0)
      #expect(status.st_mode & 0o777 == 0o660)
      #expect(status.st_mode & S_IFMT == S_IFSOCK)
    }
  }

  @Test("the file is gone when the server stops")
  func removal() async throws {
    try await withTemporaryFolder { folder in
      let path = "\(folder)/control"
      let server = ControlServer(
        socket: try ControlSocket.bind(path: path), control: FakeDevice(), info: ServiceInfo(version: "1"),
        logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
      #expect(FileManager.default.fileExists(atPath: path))
      let task = Task { try await server.run() }
      task.cancel()
      try await task.value
      #expect(!FileManager.default.fileExists(atPath: path))
    }
  }

  @Test("a file that a dead daemon left is replaced")
  func stale() async throws {
    try await withTemporaryFolder { folder in
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      let path = "\(folder)/control"
      try bindAndAbandon(path)
      _ = try ControlSocket.bind(path: path)
      _ = try RawClient(path: path)
    }
  }

  @Test("a socket on which somebody listens is left alone")
  func inUse() async throws {
    try await withServer { _, path in
      #expect(throws: ControlSocketError.inUse(path: path)) { try ControlSocket.bind(path: path) }
      // Even without the lock, for a daemon that does not know it.
      unlink("\(path).lock")
      #expect(throws: ControlSocketError.inUse(path: path)) { try ControlSocket.bind(path: path) }
      let client = try RawClient(path: path)
      #expect(try client.call("org.livesessions.Device.Status")?["parameters"] != nil)
    }
  }

  @Test("what is not a socket is left alone")
  func notASocket() async throws {
    try await withTemporaryFolder { folder in
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      let path = "\(folder)/control"
      try Data("precious".utf8).write(to: URL(filePath: path))
      #expect(throws: ControlSocketError.notASocket(path: path)) { try ControlSocket.bind(path: path) }
      #expect(try String(contentsOfFile: path, encoding: .utf8) == "precious")
      let long = "\(folder)/\(String(repeating: "x", count: 108))"
      #expect(throws: ControlSocketError.pathTooLong(long)) { try ControlSocket.bind(path: long) }
    }
  }

  @Test("a listening socket that systemd passed is adopted, others are not")
  func inheritance() async throws {
    try await withTemporaryFolder { folder in
      let ours = try ControlSocket.bind(path: "\(folder)/control")
      let descriptor = openDescriptor(of: ours.path)
      func adopt(pid: Int32, count: String, from first: Int32) -> ControlSocket? {
        let variables = ["LISTEN_PID": String(pid), "LISTEN_FDS": count]
        return ControlSocket.inherited(environment: { variables[$0] }, firstDescriptor: first)
      }
      let found = try #require(descriptor)
      #expect(fcntl(found, F_SETFL, 0) == 0)
      #expect(adopt(pid: getpid(), count: "1", from: found)?.path == ours.path)
      #expect(fcntl(found, F_GETFL) & O_NONBLOCK != 0)
      #expect(adopt(pid: getpid() + 1, count: "1", from: found) == nil)
      #expect(adopt(pid: getpid(), count: "0", from: found) == nil)
      #expect(adopt(pid: getpid(), count: "x", from: found) == nil)
      func door(_ door: ControlSocket.Door, names: String) -> ControlSocket? {
        let variables = ["LISTEN_PID": String(getpid()), "LISTEN_FDS": "1", "LISTEN_FDNAMES": names]
        return ControlSocket.inherited(door, environment: { variables[$0] }, firstDescriptor: found)
      }
      #expect(door(.control, names: "livesessionsd.socket")?.path == ours.path)
      #expect(door(.control, names: "monitor") == nil)
      #expect(door(.monitor, names: "monitor")?.path == ours.path)
      #expect(door(.monitor, names: "control") == nil)
      let other = open("/dev/null", O_RDONLY)
      defer { close(other) }
      #expect(adopt(pid: getpid(), count: "1", from: other) == nil)
      let adopted = try #require(adopt(pid: getpid(), count: "1", from: found))
      try await withServer(on: adopted) { _, path in
        let client = try RawClient(path: path)
        #expect(try client.call("org.livesessions.Device.Status")?["parameters"] != nil)
      }
      // The file is systemd's.
      #expect(FileManager.default.fileExists(atPath: adopted.path))
    }
  }

  private func bindAndAbandon(_ path: String) throws {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    var address = try #require(UnixAddress(path: path))
    let result = address.withPointer { Glibc.bind(descriptor, $0, $1) }
    #expect(result == 0)
    close(descriptor)
  }

  /// The descriptor in this process that is bound to `path`.
  private func openDescriptor(of path: String) -> CInt? {
    (3..<256).first { descriptor in
      var address = sockaddr_un()
      var size = socklen_t(MemoryLayout<sockaddr_un>.size)
      let result = withUnsafeMutablePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) }
      }
      let bound = withUnsafeBytes(of: address.sun_path) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      return result == 0 && bound == path
    }
  }
}
