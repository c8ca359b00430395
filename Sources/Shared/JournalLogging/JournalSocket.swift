internal import Glibc
internal import SystemSupport

/// The socket at which journald takes records with fields of their own (systemd, "Native Journal Protocol").
final class JournalSocket: Sendable {
  static let path = "/run/systemd/journal/socket"

  private let descriptor: Int32
  private let address: UnixAddress

  /// Nil unless journald reads `stream`, as `JOURNAL_STREAM` (`device:inode`) says; a program that writes elsewhere logs there.
  init?(_ path: String, reading stream: Int32, named name: String?) {
    var status = stat()
    guard let name, fstat(stream, &status) == 0, name == "\(status.st_dev):\(status.st_ino)",
      let address = UnixAddress(path: path)
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
    var address = address
    return record.withUnsafeBytes { octets in
      address.withPointer { pointer, length in
        let flags = Int32(MSG_NOSIGNAL | MSG_DONTWAIT)
        return sendto(descriptor, octets.baseAddress, octets.count, flags, pointer, length) == octets.count ? 0 : -1
      }
    } == 0
  }
}
