import FoundationEssentials
import Glibc
import Signalling

/// The open folder of one archive, and its manifest.
struct ArchiveFolder: ~Copyable {
  let id: ArchiveID
  var directory: DirectoryHandle
  /// How many of the folders above may lose their new entries in a power cut.
  var unsyncedParents = 0

  /// Space for what is added to a manifest until it is written the next time.
  private static let growth = 4 * 1024

  init(id: ArchiveID, directory: consuming DirectoryHandle) {
    self.id = id
    self.directory = directory
  }

  deinit { directory.unlock() }

  /// Reads the manifest, or what may become it.
  func manifest(named name: String = manifestName) throws(ArchiveError) -> ArchiveManifest {
    var file = try ArchiveFile(name, in: directory)
    var bytes = [UInt8](
      repeating: 0, count: Int(clamping: min(file.byteCount, UInt64(ArchiveManifest.maximumByteCount) + 1)))
    let count = try file.read(at: 0, count: bytes.count, into: &bytes)
    let manifest = try ArchiveManifest(json: Data(bytes[0..<count]))
    guard manifest.id == id else { throw .manifestUnreadable("it belongs to archive \(manifest.id)") }
    return manifest
  }

  /// Replaces the manifest as a whole: after a power cut there is the old one or the new one.
  func write(_ manifest: ArchiveManifest) throws(ArchiveError) {
    let file = try prepare(manifest)
    try file.sync()
    try replaceManifest()
    try directory.sync()
  }

  /// Writes the next manifest beside the present one. It has to be on the disk before ``replaceManifest()``.
  func prepare(_ manifest: ArchiveManifest) throws(ArchiveError) -> ArchiveFile {
    let bytes = [UInt8](try manifest.json())
    var file = try temporaryFile()
    try file.writeBuffered(bytes.span.bytes, at: 0)
    try file.truncateBuffered(to: UInt64(bytes.count))
    return file
  }

  /// Lets the next manifest take the present one's place; for good once the folder has been synced.
  func replaceManifest() throws(ArchiveError) {
    try directory.rename(Self.temporaryName, to: Self.manifestName)
  }

  /// The same for the last manifest, after which the folder is free for others. No reader sees the manifest while the
  /// folder is still in use: working on the archive takes its day's folder for a moment.
  func publishManifest() throws(ArchiveError) {
    let day = try DirectoryHandle(parentOf: directory)
    // Holding the day's folder forever can delay others, but fails no recording.
    try? day.lockWhenFree()
    defer { day.unlock() }
    try replaceManifest()
    directory.unlock()
  }

  /// Leaves a first manifest for others to see, without waiting for the disk: one that a power cut tears is of an archive
  /// with hardly any media, and recovery does without it.
  func announce(_ manifest: ArchiveManifest) throws(ArchiveError) {
    let file = try prepare(manifest)
    try replaceManifest()
    try reserveNextManifest(after: file)
  }

  /// Reserves disk space for the next manifest, so that it can be written on a disk that is full by then. File systems
  /// promise the space when they take the bytes, so this never waits for the disk.
  func reserveNextManifest(after file: borrowing ArchiveFile) throws(ArchiveError) {
    let zeros = [UInt8](repeating: 0, count: Int(clamping: file.byteCount) + Self.growth)
    try temporaryFile().writeBuffered(zeros.span.bytes, at: 0)
  }

  /// The file that becomes the next manifest, with whatever is in it.
  private func temporaryFile() throws(ArchiveError) -> ArchiveFile {
    do {
      return try ArchiveFile(Self.temporaryName, in: directory, isWritable: true)
    } catch {
      // Something else in its place, such as a link, gives way.
      if error.errno != ENOENT { try directory.removeFile(Self.temporaryName) }
      return try ArchiveFile(creating: Self.temporaryName, in: directory)
    }
  }
}
