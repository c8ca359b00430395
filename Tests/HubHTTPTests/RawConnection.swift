import Dispatch
import Foundation
import Glibc

/// A TCP connection on which a test says what no HTTP client would.
final class RawConnection: Sendable {
  private let descriptor: Int32

  /// - Parameter source: one of the loopback addresses, 127.0.0.1 unless told.
  init(port: Int, from source: String = "127.0.0.1") throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var local = Self.address(source, port: 0)
    var remote = Self.address("127.0.0.1", port: UInt16(port))
    let size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafePointer(to: &local) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, size) == 0 }
    }
    let isConnected = withUnsafePointer(to: &remote) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, size) == 0 }
    }
    guard descriptor >= 0, isBound, isConnected else { throw FixtureError.noPort }
  }

  deinit { close(descriptor) }

  private static func address(_ text: String, port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    inet_pton(AF_INET, text, &address.sin_addr)
    return address
  }

  func send(_ text: String) { send(Array(text.utf8)) }

  func send(_ bytes: [UInt8]) {
    _ = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
  }

  /// What comes until the hub closes, or until `time` has passed without anything.
  func receive(within time: Duration = .seconds(5), until end: String? = nil) async -> Received {
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async { continuation.resume(returning: self.receiveBlocking(time, until: end)) }
    }
  }

  private func receiveBlocking(_ time: Duration, until end: String?) -> Received {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      let milliseconds = Int32(time / .milliseconds(1))
      guard poll(&polled, 1, milliseconds) > 0 else { return Received(bytes: bytes, isClosed: false) }
      let count = recv(descriptor, &buffer, buffer.count, 0)
      guard count > 0 else { return Received(bytes: bytes, isClosed: true) }
      bytes += buffer[..<count]
      if let end, String(decoding: bytes, as: UTF8.self).contains(end) {
        return Received(bytes: bytes, isClosed: false)
      }
    }
  }
}

/// What the hub has sent on a raw connection.
struct Received {
  var bytes: [UInt8]
  var isClosed: Bool

  var text: String { String(decoding: bytes, as: UTF8.self) }

  /// The statuses of all responses, informational ones included.
  var statuses: [Int] {
    text.components(separatedBy: "HTTP/1.").dropFirst().compactMap { Int($0.dropFirst(2).prefix(3)) }
  }

  /// Whether the last response is a problem document.
  var isProblem: Bool { text.contains("application/problem+json") && text.hasSuffix("}") }
}
