internal import CLinux
public import Glibc

/// Small files that one program writes and reads: keys, and state for a restart. Uses only system calls.
public enum PrivateFile {
  /// What a file holds, and who may open it.
  public struct Contents: Hashable, Sendable {
    public var octets: [UInt8]
    /// Whether its mode lets group or others read or write it.
    public var isOpenToOthers: Bool
  }

  /// Reads a file; one that is longer than `limit` octets is cut there.
  ///
  /// - Returns: nil if there is no such file.
  public static func read(_ path: String, limit: Int) throws(SystemCallError) -> Contents? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      if errno == ENOENT { return nil }
      throw .last("open")
    }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw .last("fstat") }
    return Contents(octets: try read(descriptor, limit: limit), isOpenToOthers: status.st_mode & 0o077 != 0)
  }

  /// Reads an open file, cut in the same way.
  public static func read(_ descriptor: CInt, limit: Int) throws(SystemCallError) -> [UInt8] {
    var octets = [UInt8](repeating: 0, count: limit)
    var count = 0
    while count < limit {
      let got = octets.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress! + count, limit - count) }
      if got < 0 && errno == EINTR { continue }
      guard got >= 0 else { throw .last("read") }
      guard got > 0 else { break }
      count += got
    }
    return Array(octets.prefix(count))
  }

  /// Writes a new file beside the old one, makes it durable, and renames it into place: it appears whole or not at all,
  /// also after a power cut.
  public static func replace(_ path: String, with octets: [UInt8], mode: mode_t = 0o600) throws(SystemCallError) {
    try replace(path, with: octets, mode: mode, owner: nil)
  }

  /// The same with a file that exists, of which mode and owner stay; a symbolic link stays one.
  public static func rewrite(_ path: String, with octets: [UInt8]) throws(SystemCallError) {
    guard let resolved = realpath(path, nil) else { throw .last("realpath") }
    defer { free(resolved) }
    var status = stat()
    guard stat(resolved, &status) == 0 else { throw .last("stat") }
    try replace(
      String(cString: resolved), with: octets, mode: status.st_mode & 0o7777, owner: (status.st_uid, status.st_gid))
  }

  private static func replace(
    _ path: String, with octets: [UInt8], mode: mode_t, owner: (user: uid_t, group: gid_t)?
  ) throws(SystemCallError) {
    let temporary = "\(path).\(getpid()).new"
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw .last("open") }
    do throws(SystemCallError) {
      defer { close(descriptor) }
      if let owner, fchown(descriptor, owner.user, owner.group) != 0 { throw .last("fchown") }
      guard fchmod(descriptor, mode) == 0 else { throw .last("fchmod") }
      try write(octets, to: descriptor)
      let error = FlushQueue.flush(.whole(descriptor))
      guard error == 0 else { throw SystemCallError(call: "fsync", errno: error) }
      guard rename(temporary, path) == 0 else { throw .last("rename") }
    } catch {
      unlink(temporary)
      throw error
    }
    syncFolder(of: path)
  }

  /// Writes all octets to an open file.
  public static func write(_ octets: [UInt8], to descriptor: CInt) throws(SystemCallError) {
    var written = 0
    while written < octets.count {
      let count = octets.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress! + written, $0.count - written) }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { throw .last("write") }
      written += count
    }
  }

  /// The rename itself has to reach the disk; a file system that cannot do that has done its best.
  private static func syncFolder(of path: String) {
    let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    _ = FlushQueue.flush(.whole(descriptor))
    close(descriptor)
  }
}
