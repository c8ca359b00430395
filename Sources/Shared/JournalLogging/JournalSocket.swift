internal import Glibc

/// The socket at which journald takes records with fields of their own (systemd, "Native Journal Protocol").
final class JournalSocket: Sendable {
  static let path = "/run/systemd/journal/socket"

  private let descriptor: Int32
  private let address: sockaddr_un

  /// Nil unless journald reads `stream`, as `JOURNAL_STREAM` (`device:inode`) says; a program that writes elsewhere logs there.
  init?(_ path: String, reading stream: Int32, named name: String?) {
    var status = stat()
    guard let name, fstat(stream, &status) == 0, name == "\(status.st_dev):\(status.st_ino)",
      let address = Self.address(path)
    else { return nil }
    let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return nil }
    (self.descriptor, self.address) = (descriptor, address)
  }

  deinit { close(descriptor) }

  /// Whether journald has taken the record. Does not wait for it.
  ///
  /// - Parameter fields: names of capitals, digits and `_`; values without line feeds.
  func send(_ fields: [(name: String, value: String)]) -> Bool {
    let record = Array(fields.map { "\($0.name)=\($0.value)\n" }.joined().utf8)
    return record.withUnsafeBytes { octets in
      withUnsafePointer(to: address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          let flags = Int32(MSG_NOSIGNAL | MSG_DONTWAIT)
          return sendto(
            descriptor, octets.baseAddress, octets.count, flags, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            == octets.count
        }
      }
    }
  }

  private static func address(_ path: String) -> sockaddr_un? {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let isShort = withUnsafeMutableBytes(of: &address.sun_path) { buffer in
      guard path.utf8.count < buffer.count else { return false }
      buffer.copyBytes(from: path.utf8)
      return true
    }
    return isShort ? address : nil
  }
}
