import ControlMessages
import Glibc
import SystemSupport

/// A listening Unix socket for ``ControlServer``, inherited from systemd or made by ourselves.
public struct ControlSocket: Sendable {
  /// Takes ownership when the server runs.
  public let descriptor: CInt
  public let path: String
  /// Holds the lock beside a socket of our own for as long as the process lives; nil for an inherited one.
  let lock: CInt?

  /// Which of the daemon's sockets it is.
  public enum Door: String, Sendable {
    case control
    case monitor

    /// Members of this group may use the socket, if the system has it.
    public var groupName: String {
      switch self {
      case .control: "livesessions"
      case .monitor: "livesessions-monitor"
      }
    }
  }

  /// The listening Unix socket that systemd passed for a door: the one of that `FileDescriptorName=`, or for
  /// ``Door/control`` the first that is not named after another door.
  ///
  /// - Parameters:
  ///   - environment: a variable's value by its name.
  ///   - firstDescriptor: where the passed descriptors begin; 3, unless a test says otherwise.
  public static func inherited(
    _ door: Door = .control, environment: (String) -> String?, firstDescriptor: Int32 = 3
  ) -> ControlSocket? {
    // Variables that were meant for another process are ignored.
    guard environment("LISTEN_PID") == String(getpid()), let count = environment("LISTEN_FDS").flatMap({ Int32($0) }),
      (1...64).contains(count)
    else { return nil }
    let names = (environment("LISTEN_FDNAMES") ?? "").split(separator: ":", omittingEmptySubsequences: false)
    for index in 0..<Int(count) {
      let named = index < names.count ? Door(rawValue: String(names[index])) : nil
      let descriptor = firstDescriptor + Int32(index)
      guard (named ?? .control) == door, isListening(descriptor) else { continue }
      guard let path = boundPath(descriptor) else { continue }
      _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
      // systemd passes blocking sockets unless its unit says otherwise.
      _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
      return ControlSocket(descriptor: descriptor, path: path, lock: nil)
    }
    return nil
  }

  /// Makes the socket at `path` with mode 0660, replacing a file that a dead daemon left behind.
  public static func bind(_ door: Door = .control, path: String) throws(ControlSocketError) -> ControlSocket {
    guard var address = UnixAddress(path: path) else { throw .pathTooLong(path) }
    try makeParentDirectory(of: path)
    let lock = try takeLock(path)
    do {
      try removeStaleFile(path, address: &address)
      let descriptor = try listen(path, address: &address, group: door.groupName)
      return ControlSocket(descriptor: descriptor, path: path, lock: lock)
    } catch {
      close(lock)
      throw error
    }
  }

  /// Removes a socket file of our own; an inherited one is systemd's.
  public func removeFile() {
    guard let lock else { return }
    unlink(path)
    close(lock)
  }
}

extension ControlSocket {
  private static func makeParentDirectory(of path: String) throws(ControlSocketError) {
    guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return }
    let directory = String(path[..<slash])
    guard mkdir(directory, 0o755) == 0 || errno == EEXIST else {
      throw .systemCall("mkdir", path: directory, code: errno)
    }
  }

  /// Two daemons that start at once must not both take the file for stale.
  private static func takeLock(_ path: String) throws(ControlSocketError) -> CInt {
    let lockPath = "\(path).lock"
    let lock = open(lockPath, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard lock >= 0 else { throw .systemCall("open", path: lockPath, code: errno) }
    guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
      close(lock)
      throw .inUse(path: path)
    }
    return lock
  }

  private static func removeStaleFile(_ path: String, address: inout UnixAddress) throws(ControlSocketError) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return }
    guard status.st_mode & S_IFMT == S_IFSOCK else { throw .notASocket(path: path) }
    let probe = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard probe >= 0 else { throw .systemCall("socket", path: path, code: errno) }
    defer { close(probe) }
    let isRefused = address.withPointer { connect(probe, $0, $1) } != 0 && errno == ECONNREFUSED
    guard isRefused else { throw .inUse(path: path) }
    guard unlink(path) == 0 else { throw .systemCall("unlink", path: path, code: errno) }
  }

  private static func listen(
    _ path: String, address: inout UnixAddress, group: String
  ) throws(ControlSocketError) -> CInt {
    let flags = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
    let descriptor = socket(AF_UNIX, flags, 0)
    guard descriptor >= 0 else { throw .systemCall("socket", path: path, code: errno) }
    do {
      // The file takes the socket's mode, so it is closed to others from its first moment.
      try check(fchmod(descriptor, 0o600), "fchmod", path)
      try check(address.withPointer { Glibc.bind(descriptor, $0, $1) }, "bind", path)
      try openToGroup(group, path)
      try check(Glibc.listen(descriptor, 16), "listen", path)
      return descriptor
    } catch {
      close(descriptor)
      throw error
    }
  }

  private static func openToGroup(_ name: String, _ path: String) throws(ControlSocketError) {
    if let group = groupID(named: name) {
      // Without the right to change it the group stays our own, which is the safe outcome.
      _ = chown(path, uid_t.max, group)
    }
    try check(chmod(path, 0o660), "chmod", path)
  }

  private static func check(_ result: CInt, _ call: String, _ path: String) throws(ControlSocketError) {
    guard result == 0 else { throw .systemCall(call, path: path, code: errno) }
  }

  private static func groupID(named name: String) -> gid_t? {
    var entry = group()
    var found: UnsafeMutablePointer<group>?
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 16_384) { buffer in
      guard getgrnam_r(name, &entry, buffer.baseAddress!, buffer.count, &found) == 0, found != nil else { return nil }
      return entry.gr_gid
    }
  }

  private static func isListening(_ descriptor: CInt) -> Bool {
    var value: CInt = 0
    var size = socklen_t(MemoryLayout<CInt>.size)
    return getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &value, &size) == 0 && value != 0
  }

  private static func boundPath(_ descriptor: CInt) -> String? {
    var address = sockaddr_un()
    var size = socklen_t(MemoryLayout<sockaddr_un>.size)
    let result = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) }
    }
    guard result == 0, address.sun_family == sa_family_t(AF_UNIX) else { return nil }
    return withUnsafeBytes(of: address.sun_path) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
  }
}
