import Glibc

extension DTLSIdentity {
  /// Reads the identity from a PEM file, or makes a new one and saves it there.
  ///
  /// A new file has mode 0600 and appears whole or not at all, also after a power cut.
  public static func load(orMakeAt path: String) throws(DTLSEngineError) -> DTLSIdentity {
    if let pem = try IdentityFile.read(path) { return try DTLSIdentity(pem: pem) }
    let identity = try DTLSIdentity()
    try IdentityFile.replace(path, with: try identity.makePEM())
    return identity
  }
}

/// File access by system calls: the daemon links no Foundation.
enum IdentityFile {
  /// No identity is near as long.
  private static let maximumSize = 65_536

  /// Returns nil if there is no such file.
  static func read(_ path: String) throws(DTLSEngineError) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      if errno == ENOENT { return nil }
      throw failure("open")
    }
    defer { close(descriptor) }
    var contents = [UInt8](repeating: 0, count: maximumSize)
    var count = 0
    while count < contents.count {
      let got = contents.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress! + count, $0.count - count) }
      if got < 0 && errno == EINTR { continue }
      guard got >= 0 else { throw failure("read") }
      guard got > 0 else { break }
      count += got
    }
    return Array(contents.prefix(count))
  }

  /// Writes a new file beside the old one, makes it durable, and renames it into place.
  static func replace(_ path: String, with contents: [UInt8]) throws(DTLSEngineError) {
    let temporary = "\(path).\(getpid()).new"
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw failure("open") }
    do throws(DTLSEngineError) {
      defer { close(descriptor) }
      guard fchmod(descriptor, 0o600) == 0 else { throw failure("fchmod") }
      try write(contents, to: descriptor)
      guard fsync(descriptor) == 0 else { throw failure("fsync") }
      guard rename(temporary, path) == 0 else { throw failure("rename") }
    } catch {
      unlink(temporary)
      throw error
    }
    syncFolder(of: path)
  }

  private static func write(_ contents: [UInt8], to descriptor: CInt) throws(DTLSEngineError) {
    var written = 0
    while written < contents.count {
      let count = contents.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress! + written, $0.count - written) }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { throw failure("write") }
      written += count
    }
  }

  /// The rename itself has to reach the disk; a file system that cannot do that has done its best.
  private static func syncFolder(of path: String) {
    let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    fsync(descriptor)
    close(descriptor)
  }

  private static func failure(_ call: String) -> DTLSEngineError { .file(call: call, errno: errno) }
}
