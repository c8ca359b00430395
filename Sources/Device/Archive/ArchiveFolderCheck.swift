import Glibc
import RealtimeRuntime

extension ArchiveStore {
  /// Whether a recording could be written now.
  ///
  /// - Parameters:
  ///   - minimumFree: bytes that have to be there.
  ///   - isThorough: writes a small file and removes it, which also finds disks that fail; otherwise only rights, mount
  ///     and free space are checked.
  /// - Returns: why not.
  public func findProblem(minimumFree: UInt64, isThorough: Bool) -> ArchiveError? {
    do throws(ArchiveError) {
      try DirectoryHandle.makeFolders(path: root)
      let folder = try DirectoryHandle(path: root)
      guard faccessat(folder.descriptor, ".", W_OK | X_OK, AT_EACCESS) == 0 else { throw .last("access") }
      if let available = DiskSpace.available(folder), available < minimumFree {
        throw .notEnoughSpace(available: available, required: minimumFree)
      }
      if isThorough { try folder.probe() }
    } catch {
      return error.at(root)
    }
    return MountTable.unmounted(above: root).map { .notMounted($0) }
  }
}

extension DirectoryHandle {
  private static let probeName = ".probe"

  /// Writes a small file, waits until it is on the disk, and removes it.
  fileprivate func probe() throws(ArchiveError) {
    if contains(Self.probeName) { try removeFile(Self.probeName) }
    let bytes = [UInt8](repeating: 0x20, count: 4_096)
    do {
      var file = try ArchiveFile(creating: Self.probeName, in: self)
      try file.append(bytes.span.bytes)
    } catch {
      try? removeFile(Self.probeName)
      throw error
    }
    try removeFile(Self.probeName)
  }
}

/// What `/etc/fstab` says should be mounted, and what is.
enum MountTable {
  private static let longest = 65_536

  /// What is mounted, from proc(5): a line for each file system.
  static var mounted: String { read("/proc/self/mountinfo") }

  /// The place above a folder at which a disk should be mounted, if none is.
  ///
  /// - Parameter table: the file's text; read from the system by default.
  static func unmounted(above folder: String, table: String? = nil) -> String? {
    let text = table ?? read()
    let places = text.split(separator: "\n").compactMap { mountPoint($0) }
    let place = places.filter { $0 != "/" && (folder + "/").hasPrefix($0 + "/") }.max { $0.utf8.count < $1.utf8.count }
    return place.flatMap { isMountPoint($0) ? nil : $0 }
  }

  /// The second field of a line; blanks in it are written as octal numbers (fstab(5)).
  private static func mountPoint(_ line: Substring) -> String? {
    let fields = line.split { $0 == " " || $0 == "\t" }
    guard fields.count >= 3, let first = fields[0].first, first != "#", fields[1].hasPrefix("/") else { return nil }
    let parts = fields[1].split(separator: "\\040", omittingEmptySubsequences: false)
    let path = parts.joined(separator: " ")
    return path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
  }

  /// Whether something else is there than on the disk of the folder above.
  private static func isMountPoint(_ path: String) -> Bool {
    var (own, above) = (stat(), stat())
    guard stat(path, &own) == 0, stat(path + "/..", &above) == 0 else { return false }
    return own.st_dev != above.st_dev || own.st_ino == above.st_ino
  }

  private static func read(_ path: String = "/etc/fstab") -> String {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return "" }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: longest)
    let count = pread(descriptor, &bytes, bytes.count, 0)
    return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
  }
}
