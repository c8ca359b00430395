import FoundationEssentials
import Glibc

/// The open folder of one archive, and its manifest.
struct ArchiveFolder: ~Copyable {
  let id: ArchiveID
  var directory: DirectoryHandle

  static let manifestName = "archive.json"
  static let temporaryName = "archive.json.tmp"

  init(id: ArchiveID, directory: consuming DirectoryHandle) {
    self.id = id
    self.directory = directory
  }

  deinit { directory.unlock() }

  /// Reads the manifest.
  func manifest() throws(ArchiveError) -> ArchiveManifest {
    var file = try ArchiveFile(Self.manifestName, in: directory)
    var bytes = [UInt8](repeating: 0, count: Int(min(file.byteCount, UInt64(ArchiveManifest.maximumByteCount) + 1)))
    let count = try file.read(at: 0, count: bytes.count, into: &bytes)
    let manifest = try ArchiveManifest(json: Data(bytes[0..<count]))
    guard manifest.id == id.text else { throw .manifestUnreadable("it belongs to archive \(manifest.id)") }
    return manifest
  }

  /// Replaces the manifest as a whole: after a power cut there is the old one or the new one.
  ///
  /// - Returns: its size in bytes.
  @discardableResult
  func write(_ manifest: ArchiveManifest) throws(ArchiveError) -> Int {
    let bytes = [UInt8](try manifest.json())
    var file = try temporaryFile()
    try file.write(bytes.span.bytes, at: 0)
    try file.truncate(to: UInt64(bytes.count))
    try directory.rename(Self.temporaryName, to: Self.manifestName)
    try directory.sync()
    return bytes.count
  }

  /// Takes disk space for the next manifest, so that it can be written on a disk that is full by then.
  func reserveManifestSpace(_ byteCount: Int) throws(ArchiveError) {
    let zeros = [UInt8](repeating: 0, count: byteCount)
    let file = try temporaryFile()
    try file.write(zeros.span.bytes, at: 0)
  }

  /// The file that becomes the next manifest, with whatever is in it.
  private func temporaryFile() throws(ArchiveError) -> ArchiveFile {
    do {
      return try ArchiveFile(Self.temporaryName, in: directory, isWritable: true)
    } catch {
      guard error.errno == ENOENT else { throw error }
      return try ArchiveFile(creating: Self.temporaryName, in: directory)
    }
  }

  /// The WebM files in the folder, whether the manifest knows them or not.
  func mediaFileNames() throws(ArchiveError) -> [String] {
    try directory.names().filter { $0.hasSuffix(".webm") && $0.isSafeFileName }
  }
}
