import MediaCore
import RealtimeRuntime

/// Collects positions of a running archive and writes them every few seconds.
struct GPXWriter: ~Copyable {
  private var file = GPXFile()
  private var lines = ""
  private var nextWrite: MonotonicInstant?
  /// Lines were written that may not be on the disk yet.
  private var isDirty = false
  /// The file was made, and its folder has not been synced since.
  private(set) var isNewFile = false

  /// What a power cut may cost of the track; each write waits for the disk.
  private static let interval = TimeSpan.seconds(5)

  /// Writes points down, and to the file when it is time; ``pendingSync`` says whether that waits for the disk.
  mutating func write(
    _ points: [GPXPoint], _ notes: RunningManifest, in folder: borrowing DirectoryHandle
  ) throws(ArchiveError) {
    for point in points {
      lines += GPXTrack.line(
        point.fix, offsetMilliseconds: (point.capturedAt - notes.start).milliseconds,
        wallTime: notes.wallTime(at: point.capturedAt))
    }
    guard !lines.isEmpty else { return }
    let now = MonotonicClock.now()
    if let nextWrite, now < nextWrite { return }
    nextWrite = now + Self.interval
    try writeLines(in: folder)
  }

  /// What is left to be done after ``write(_:_:in:)``, if anything.
  var pendingSync: DiskSync? { isDirty ? file.pendingSync : nil }

  /// The file is on the disk.
  mutating func noteSync() { isDirty = false }

  /// The folder is on the disk.
  mutating func noteFolderSync() { isNewFile = false }

  /// Whether anything has been written.
  var hasFile: Bool { file.pendingSync != nil }

  /// Writes what waits, and waits for the disk; the file's entry in its folder is the caller's to sync.
  mutating func finish(in folder: borrowing DirectoryHandle) throws(ArchiveError) {
    try writeLines(in: folder)
    if let pendingSync { try DiskSync.check(pendingSync.perform()) }
    isDirty = false
  }

  private mutating func writeLines(in folder: borrowing DirectoryHandle) throws(ArchiveError) {
    guard !lines.isEmpty else { return }
    let text = lines
    lines = ""
    if try file.append(text, in: folder) { isNewFile = true }
    isDirty = true
  }
}
