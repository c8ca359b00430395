import Foundation
import SystemSupport

/// Reads the hub's status socket.
struct StatusClient {
  private static let maximumBytes = 1 << 20

  let path: String
  /// Seconds without an answer after which it is given up.
  var limit = 15

  func read() throws(Failure) -> Data {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw failure() }
    defer { close(descriptor) }
    var limit = timeval(tv_sec: limit, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    try connect(descriptor)
    return try readAll(descriptor)
  }

  private func connect(_ descriptor: Int32) throws(Failure) {
    guard var address = UnixAddress(path: path) else { throw Failure("\(path): too long for a socket") }
    let status = address.withPointer { Foundation.connect(descriptor, $0, $1) }
    guard status == 0 else { throw failure() }
  }

  private func readAll(_ descriptor: Int32) throws(Failure) -> Data {
    var data = Data()
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while data.count < Self.maximumBytes {
      let count = recv(descriptor, &buffer, buffer.count, 0)
      guard count >= 0 else { throw failure() }
      if count == 0 { return data }
      data.append(contentsOf: buffer.prefix(count))
    }
    throw Failure("\(path): the answer is longer than a status")
  }

  private func failure() -> Failure {
    let cause = errno
    let hint =
      switch cause {
      case ENOENT, ECONNREFUSED: "; is the hub running, and is this its status_socket?"
      case EACCES: "; ask as root, or as a member of the group livesessions-hub"
      case EAGAIN: "; the hub does not answer"
      default: ""
      }
    return Failure("\(path): \(String(cString: strerror(cause)))\(hint)")
  }
}
