import Glibc
import SystemSupport

/// A blocking connection over a Unix socket, for a test's own commands.
final class InlineConnection {
  private let descriptor: CInt

  init(_ path: String) throws {
    descriptor = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
    var limit = timeval(tv_sec: 10, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    guard var address = UnixAddress(path: path) else {
      throw RedisTestServer.Failure(description: "no path of a socket: \(path)")
    }
    let result = address.withPointer { connect(descriptor, $0, $1) }
    guard result == 0 else { throw RedisTestServer.Failure(description: "connect: errno \(errno)") }
  }

  deinit { close(descriptor) }

  func execute(_ command: String) throws -> String {
    try post(command)
    return try receive(command)
  }

  /// Sends a command whose reply is not read.
  func post(_ command: String) throws {
    let line = Array((command + "\r\n").utf8)
    guard send(descriptor, line, line.count, CInt(MSG_NOSIGNAL)) == line.count else {
      throw RedisTestServer.Failure(description: "send: errno \(errno)")
    }
  }

  private func receive(_ command: String) throws -> String {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let count = recv(descriptor, &buffer, buffer.count, 0)
    guard count > 0 else { throw RedisTestServer.Failure(description: "no reply to \(command)") }
    return String(decoding: buffer[..<count], as: UTF8.self)
  }
}
