import RealtimeRuntime
import WebM

/// Makes a file that was not finished a whole one.
enum WebMFileRepair {
  /// Cuts a torn tail off and writes the index; returns the file's entry as it is now.
  ///
  /// Returns `nil`, and removes the file, if it holds no media. A file that is not ours is left alone. Harmless to
  /// repeat, and to interrupt.
  static func repair(
    _ entry: ArchiveManifest.File, in folder: borrowing ArchiveFolder
  ) throws(ArchiveError) -> ArchiveManifest.File? {
    var file = try ArchiveFile(entry.filename, in: folder.directory, isWritable: true)
    // A file gets its size in the manifest when it is complete on the disk.
    guard entry.size == 0 || entry.size != file.byteCount else { return entry }
    let scan = try WebMScanner.scan(&file, depth: .quick)
    guard !scan.isEmpty else {
      guard try isDisposable(file, scan) else { return entry }
      try folder.directory.removeFile(entry.filename)
      return nil
    }
    if scan.validByteCount < file.byteCount { try file.truncate(to: scan.validByteCount) }
    for patch in scan.repairs() { try file.write(patch.bytes.span.bytes, at: patch.offset) }
    return updated(entry, scan)
  }

  /// Whether nothing is lost with a file: it is ours, or blank, and holds no media.
  static func isDisposable(_ name: String, in folder: borrowing ArchiveFolder) throws(ArchiveError) -> Bool {
    var file = try ArchiveFile(name, in: folder.directory)
    let scan = try WebMScanner.scan(&file, depth: .quick)
    return try isDisposable(file, scan)
  }

  static func isDisposable(_ file: borrowing ArchiveFile, _ scan: WebMScan) throws(ArchiveError) -> Bool {
    guard scan.isEmpty else { return false }
    if scan.header != nil || file.byteCount <= WebMLayout.firstClusterOffset { return true }
    return try file.isBlank
  }

  private static func updated(_ entry: ArchiveManifest.File, _ scan: WebMScan) -> ArchiveManifest.File {
    var entry = entry
    entry.size = scan.validByteCount
    entry.stopTimeOffset = entry.startTimeOffset &+ scan.durationMilliseconds
    entry.videoType = scan.header?.video == nil ? nil : entry.videoType ?? "camera"
    return entry
  }
}
