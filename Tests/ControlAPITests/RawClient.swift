import Foundation
import Glibc
import SystemSupport

/// A blocking Unix socket client that knows nothing of Varlink but the NUL byte.
struct RawClient: ~Copyable {
  struct Failure: Error { var code: CInt }

  private let descriptor: CInt

  init(path: String) throws {
    descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    // A server that hangs must fail the test, not hang it.
    var timeout = timeval(tv_sec: 20, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
    guard var address = UnixAddress(path: path) else { throw Failure(code: ENAMETOOLONG) }
    let result = address.withPointer { connect(descriptor, $0, $1) }
    guard result == 0 else { throw Failure(code: errno) }
  }

  deinit { close(descriptor) }

  func send(_ text: String) throws { try send(Array(text.utf8)) }

  func send(_ bytes: [UInt8]) throws {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { throw Failure(code: errno) }
      rest = rest.dropFirst(count)
    }
  }

  /// Reads up to a NUL; nil when the server has closed the connection.
  func receive() throws -> String? {
    var bytes: [UInt8] = []
    while true {
      var byte: UInt8 = 0
      let count = recv(descriptor, &byte, 1, 0)
      if count == 0 || (count < 0 && errno == ECONNRESET) { return nil }
      guard count == 1 else { throw Failure(code: errno) }
      if byte == 0 { return String(decoding: bytes, as: UTF8.self) }
      bytes.append(byte)
    }
  }

  /// Whether something arrives in time.
  func isReadable(within milliseconds: CInt) -> Bool {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&entry, 1, milliseconds) == 1
  }

  /// Sends one call and returns the reply's JSON object.
  func call(_ method: String, _ parameters: String = "{}", more: String = "") throws -> NSDictionary? {
    try send("{\"method\":\"\(method)\",\"parameters\":\(parameters)\(more)}\u{0}")
    return try receiveObject()
  }

  func receiveObject() throws -> NSDictionary? {
    try receive().map { try JSONSerialization.jsonObject(with: Data($0.utf8)) as! NSDictionary }
  }
}

extension NSDictionary {
  /// The value below a path of keys.
  func at(_ path: String...) -> Any? {
    path.reduce(self as Any?) { ($0 as? NSDictionary)?[$1] }
  }
}
