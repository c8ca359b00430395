import MediaCore
import RealtimeRuntime

/// Collects positions of a running archive and writes them every few seconds.
struct GPXWriter: ~Copyable {
  private var file = GPXFile()
  private let evidence: EvidenceJournal?
  private var lines = ""
  /// How long each line is, and when its point was captured, in milliseconds from the archive's start.
  private var points: [(byteCount: Int, offset: Int64)] = []
  /// The archive's, as it was known with the last points.
  private var start = MonotonicInstant(nanoseconds: 0)
  private var nextWrite: MonotonicInstant?
  /// Lines were written that may not be on the disk yet.
  private var isDirty = false
  /// The file was made, and its folder has not been synced since.
  private(set) var isNewFile = false

  /// What a power cut may cost of the track; each write waits for the disk.
  private static let interval = TimeSpan.seconds(5)

  /// - Parameter evidence: gets to know what is written, if the archive has evidence.
  init(evidence: EvidenceJournal? = nil) { self.evidence = evidence }

  /// Writes points down, and to the file when it is time; ``pendingSync`` says whether that waits for the disk.
  mutating func write(
    _ points: [GPXPoint], _ notes: RunningManifest, in folder: borrowing DirectoryHandle
  ) throws(ArchiveError) {
    start = notes.start
    for point in points {
      let offset = (point.capturedAt - notes.start).milliseconds
      let line = GPXTrack.line(point.fix, offsetMilliseconds: offset, wallTime: notes.wallTime(at: point.capturedAt))
      lines += line
      self.points.append((line.utf8.count, offset))
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

  /// Point by point, so that evidence dates a changed one to its second; the document's head belongs to the first.
  private func noteAppended(_ bytes: RawSpan, at offset: UInt64) {
    guard let evidence else { return }
    var begin = 0
    for (index, point) in points.enumerated() {
      let rest = points[(index + 1)...].reduce(0) { $0 + $1.byteCount }
      let end = bytes.byteCount - rest
      evidence.noteAppended(
        GPXTrack.fileName, start: start, at: offset + UInt64(begin), bytes.extracting(begin..<end),
        times: max(0, point.offset)..<max(0, point.offset) + 1_000)
      begin = end
    }
  }

  private mutating func writeLines(in folder: borrowing DirectoryHandle) throws(ArchiveError) {
    guard !lines.isEmpty else { return }
    let text = lines
    lines = ""
    let appended = try file.append(text, in: folder)
    if appended.offset == 0 { isNewFile = true }
    noteAppended(appended.bytes.span.bytes, at: appended.offset)
    points.removeAll(keepingCapacity: true)
    isDirty = true
  }
}
