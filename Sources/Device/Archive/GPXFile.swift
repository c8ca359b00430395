import RealtimeRuntime

/// The track of a running archive on the disk: well-formed after each write.
struct GPXFile: ~Copyable {
  private var file: ArchiveFile?
  /// Where the next point goes: over the tail.
  private var end: UInt64 = 0

  /// What is left to be done after ``append(_:in:)``.
  private(set) var pendingSync: DiskSync?

  /// Appends lines, without waiting for the disk. The file is made with the first.
  ///
  /// - Returns: what was appended, without the tail, and where; at 0 the file is new, so that its folder has to be synced as
  ///   well.
  mutating func append(
    _ lines: String, in folder: borrowing DirectoryHandle
  ) throws(ArchiveError) -> (bytes: [UInt8], offset: UInt64) {
    let isNew = file == nil
    if isNew { file = try ArchiveFile(creating: GPXTrack.fileName, in: folder) }
    let bytes = Array(((isNew ? GPXTrack.head : "") + lines).utf8)
    let tailed = bytes + Array(GPXTrack.tail.utf8)
    try file?.writeBuffered(tailed.span.bytes, at: end)
    pendingSync = file?.pendingSync
    defer { end += UInt64(bytes.count) }
    return (bytes, end)
  }
}
