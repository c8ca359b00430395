import RealtimeRuntime
import Signalling
import WebM

/// Makes a file that was not finished a whole one.
enum WebMFileRepair {
  /// The result for a file.
  enum Outcome {
    /// Its entry as it is now.
    case recording(ArchivedFile)
    /// It held no media.
    case removed
    /// It is not ours, and was left alone.
    case foreign
  }

  /// Cuts a torn tail off and writes the index. Removes a file of ours that holds no media, and leaves those of others alone.
  /// Harmless to repeat, and to interrupt.
  ///
  /// - Parameter evenIfComplete: also a file that the manifest calls complete.
  static func repair(
    _ entry: ArchivedFile, in folder: borrowing ArchiveFolder, evenIfComplete: Bool = false
  ) throws(ArchiveError) -> Outcome {
    var file: ArchiveFile
    do {
      file = try ArchiveFile(entry.filename, in: folder.directory, isWritable: true)
    } catch {
      guard error.isForeign else { throw error }
      return .foreign
    }
    // A file gets its size in the manifest when it is complete on the disk.
    guard evenIfComplete || entry.size == 0 || entry.size != file.byteCount else { return .recording(entry) }
    let scan = try WebMScanner.scan(&file, depth: .quick)
    switch try MediaFileKind(file, scan) {
    case .recording: return .recording(try complete(&file, scan, entry))
    case .empty: break
    // One that was being recorded, of which the disk has got parts behind its beginning, and no whole cluster.
    case .foreign: guard entry.size == 0, scan.beginning == .blank else { return .foreign }
    }
    try folder.directory.removeFile(entry.filename)
    return .removed
  }

  private static func complete(
    _ file: inout ArchiveFile, _ scan: WebMScan, _ entry: ArchivedFile
  ) throws(ArchiveError) -> ArchivedFile {
    if scan.validByteCount < file.byteCount { try file.truncate(to: scan.validByteCount) }
    for patch in scan.repairs() { try file.write(patch.bytes.span.bytes, at: patch.offset) }
    return updated(entry, scan)
  }

  private static func updated(_ entry: ArchivedFile, _ scan: WebMScan) -> ArchivedFile {
    var entry = entry
    entry.size = scan.validByteCount
    entry.stopTimeOffset = entry.startTimeOffset &+ scan.durationMilliseconds
    entry.videoType = scan.header?.video == nil ? nil : entry.videoType ?? "camera"
    return entry
  }
}
