internal import CLinux

/// A file's access-control list (acl(5)): who may open it beside its owner.
///
/// In its binary form (linux/posix_acl_xattr.h) a version of four octets comes before entries of eight; all numbers are
/// little-endian.
///
/// ```
/// +-----+-------------+---------------+
/// | tag | permissions | user or group |
/// | 16  |     16      |      32       |
/// +-----+-------------+---------------+
/// ```
struct AccessList {
  private struct Entry {
    var tag: UInt16
    var permissions: UInt16
    var id: UInt32
  }

  private static let version: UInt32 = 2
  private static let headerSize = 4
  private static let entrySize = 8
  /// The kernel's limit of an attribute is larger; a list of more than 500 entries is not read.
  private static let largest = 4_096

  private static let (owner, user, mask): (UInt16, UInt16, UInt16) = (0x01, 0x02, 0x10)

  private let entries: [Entry]

  /// Nil for a file without one.
  init?(of file: CInt) {
    var octets = [UInt8](repeating: 0, count: Self.largest)
    let count = ls_access_list(file, &octets, octets.count)
    guard count > 0 else { return nil }
    self.init(octets.prefix(count))
  }

  /// Nil for anything but a list.
  init?(_ octets: some Collection<UInt8>) {
    let octets = Array(octets)
    guard octets.count >= Self.headerSize, Self.number(octets[0..<4]) == Self.version,
      (octets.count - Self.headerSize).isMultiple(of: Self.entrySize)
    else { return nil }
    entries = stride(from: Self.headerSize, to: octets.count, by: Self.entrySize).map { start in
      Entry(
        tag: UInt16(truncatingIfNeeded: Self.number(octets[start..<start + 2])),
        permissions: UInt16(truncatingIfNeeded: Self.number(octets[start + 2..<start + 4])),
        id: Self.number(octets[start + 4..<start + 8]))
    }
  }

  /// Whether the list permits nothing to anyone but the file's owner, root and a user.
  func isPrivate(to id: UInt32) -> Bool {
    entries.allSatisfy { entry in
      switch entry.tag {
      case Self.owner, Self.mask: true
      case Self.user: entry.permissions == 0 || entry.id == id || entry.id == 0
      default: entry.permissions == 0
      }
    }
  }

  private static func number(_ octets: ArraySlice<UInt8>) -> UInt32 {
    octets.reversed().reduce(0) { $0 << 8 | UInt32($1) }
  }
}
