import RealtimeRuntime

/// The track of a running archive on the disk: well-formed after each write.
struct TrackFile: ~Copyable {
  private var file: ArchiveFile?
  /// Where the next point goes: over the tail.
  private var end: UInt64 = 0

  /// Appends lines and waits for the disk. The file is made with the first.
  mutating func append(_ lines: String, in folder: borrowing DirectoryHandle) throws(ArchiveError) {
    let isNew = file == nil
    if isNew { file = try ArchiveFile(creating: GPXTrack.fileName, in: folder) }
    let bytes = Array(((isNew ? GPXTrack.head : "") + lines + GPXTrack.tail).utf8)
    try file?.write(bytes.span.bytes, at: end)
    end += UInt64(bytes.count - GPXTrack.tail.utf8.count)
    if isNew { try folder.sync() }
  }
}
