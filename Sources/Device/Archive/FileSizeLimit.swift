import Glibc

/// How large files may become, as far as the system reports it beforehand. Other limits, such as a file server's, show
/// as EFBIG when they are reached.
enum FileSizeLimit {
  /// The smaller one of the process's and the file system's, in octets; `nil` without either.
  static func known(in folder: CInt) -> UInt64? {
    [ofProcess, ofFileSystem(folder)].compactMap(\.self).min()
  }

  /// See setrlimit(2).
  private static var ofProcess: UInt64? {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0, limit.rlim_cur != rlim_t.max else {
      return nil
    }
    return UInt64(limit.rlim_cur)
  }

  private static func ofFileSystem(_ folder: CInt) -> UInt64? {
    var status = stat()
    guard fstat(folder, &status) == 0 else { return nil }
    return ofFileSystem(device: UInt64(status.st_dev), mounts: MountTable.mounted)
  }

  /// - Parameters:
  ///   - device: as stat(2) numbers it.
  ///   - mounts: the text of `/proc/self/mountinfo` (proc(5)).
  static func ofFileSystem(device: UInt64, mounts: String) -> UInt64? {
    let major = device >> 8 & 0xFFF | device >> 32 & ~0xFFF
    let minor = device & 0xFF | device >> 12 & ~0xFF
    let line = mounts.split(separator: "\n").first { line in
      line.split(separator: " ").dropFirst(2).first == "\(major):\(minor)"
    }
    let type = line?.split(separator: " ").drop { $0 != "-" }.dropFirst().first
    return type.flatMap { types[$0] }
  }

  /// FAT keeps sizes in 32 bits.
  private static let types: [Substring: UInt64] = ["vfat": UInt64(UInt32.max), "msdos": UInt64(UInt32.max)]
}
