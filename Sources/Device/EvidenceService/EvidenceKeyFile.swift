import Glibc
public import OpenSSLCrypto
import TransportCrypto

/// Why the key of the device's evidence cannot be had.
public struct EvidenceKeyError: Error, Equatable, Sendable, CustomStringConvertible {
  public let description: String
}

/// The file of the device's evidence key: PKCS #8 in PEM, mode 0600.
public enum EvidenceKeyFile {
  private static let maximumSize = 16_384

  /// Reads the key, or makes one. A new file appears whole or not at all, also after a power cut.
  ///
  /// - Parameters:
  ///   - credential: a file that systemd provides; it comes first, if it is there, and is never made.
  ///   - path: where the device keeps a key of its own making.
  public static func load(credential: String?, orMakeAt path: String) throws(EvidenceKeyError) -> Ed25519Key {
    if let credential, let pem = try read(credential) { return try key(pem, of: credential) }
    if let pem = try read(path, isOurs: true) { return try key(pem, of: path) }
    do {
      let key = try Ed25519Key()
      try write(try key.makePEM(), to: path)
      return key
    } catch let error as EvidenceKeyError {
      throw error
    } catch {
      throw EvidenceKeyError(description: "\(error)")
    }
  }

  private static func key(_ pem: [UInt8], of path: String) throws(EvidenceKeyError) -> Ed25519Key {
    do {
      return try Ed25519Key(pem: pem)
    } catch {
      throw EvidenceKeyError(
        description: "\(path) holds no Ed25519 key (\(error)): make one with openssl genpkey -algorithm ed25519, or "
          + "remove the file, and the device makes its own")
    }
  }

  /// Returns nil if there is no such file.
  private static func read(_ path: String, isOurs: Bool = false) throws(EvidenceKeyError) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      if errno == ENOENT { return nil }
      throw failure("open", path)
    }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw failure("fstat", path) }
    guard !isOurs || status.st_mode & 0o077 == 0 else {
      throw EvidenceKeyError(
        description: "\(path) may be read by others, who could sign in its name: chmod 600 \(path)")
    }
    var contents = [UInt8](repeating: 0, count: maximumSize)
    let got = contents.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
    guard got >= 0 else { throw failure("read", path) }
    return Array(contents.prefix(got))
  }

  private static func write(_ contents: [UInt8], to path: String) throws(EvidenceKeyError) {
    do {
      try PrivateFile.replace(path, with: contents)
    } catch {
      throw failure(error.call, path, error.errno)
    }
  }

  private static func failure(_ call: String, _ path: String, _ code: Int32 = errno) -> EvidenceKeyError {
    EvidenceKeyError(description: "\(path): \(call): \(String(cString: strerror(code)))")
  }
}

/// Small files that the device alone reads.
enum PrivateFile {
  struct Failure: Error {
    var call: String
    var errno: Int32
  }

  /// Writes a new file of mode 0600 beside the old one, makes it durable, and renames it into place.
  static func replace(_ path: String, with contents: [UInt8]) throws(Failure) {
    let temporary = "\(path).\(getpid()).new"
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw last("open") }
    do throws(Failure) {
      defer { close(descriptor) }
      guard fchmod(descriptor, 0o600) == 0 else { throw last("fchmod") }
      let count = contents.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      guard count == contents.count else { throw last("write") }
      guard fsync(descriptor) == 0 else { throw last("fsync") }
      guard rename(temporary, path) == 0 else { throw last("rename") }
    } catch {
      unlink(temporary)
      throw error
    }
    syncFolder(of: path)
  }

  /// Returns nil if the file is not there, cannot be read, or is longer than `limit`.
  static func read(_ path: String, limit: Int) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var contents = [UInt8](repeating: 0, count: limit + 1)
    let got = contents.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
    return (0...limit).contains(got) ? Array(contents.prefix(got)) : nil
  }

  /// The rename itself has to reach the disk; a file system that cannot do that has done its best.
  private static func syncFolder(of path: String) {
    let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    fsync(descriptor)
    close(descriptor)
  }

  private static func last(_ call: String) -> Failure { Failure(call: call, errno: Glibc.errno) }
}
