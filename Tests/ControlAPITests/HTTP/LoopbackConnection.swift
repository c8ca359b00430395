import Foundation
import Testing

/// A blocking connection to a server under test, which waits for five seconds at most.
final class LoopbackConnection {
  private let descriptor: CInt

  init(port: Int) throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var limit = timeval(tv_sec: 5, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(UInt16(port).bigEndian)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let result = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, size) }
    }
    try #require(result == 0)
  }

  deinit { close(descriptor) }

  func send(_ text: String) {
    let bytes = Array(text.utf8)
    _ = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
  }

  /// All that comes before the other side closes; nil when it does not.
  func readAll() -> String? {
    var all: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = recv(descriptor, &chunk, chunk.count, 0)
      if count == 0 || (count < 0 && errno == ECONNRESET) { return String(decoding: all, as: UTF8.self) }
      guard count > 0 else { return nil }
      all += chunk.prefix(count)
    }
  }

  /// What comes up to and with a text; nil when it does not.
  func read(until end: String) -> String? {
    var all: [UInt8] = []
    var octet: UInt8 = 0
    while recv(descriptor, &octet, 1, 0) == 1 {
      all.append(octet)
      if all.ends(with: end.utf8) { return String(decoding: all, as: UTF8.self) }
    }
    return nil
  }
}

extension [UInt8] {
  fileprivate func ends(with suffix: String.UTF8View) -> Bool { self.suffix(suffix.count).elementsEqual(suffix) }
}
