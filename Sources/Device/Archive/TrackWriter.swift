import MediaCore
import RealtimeRuntime

/// Collects positions of a running archive and writes them every few seconds.
struct TrackWriter: ~Copyable {
  private var file = TrackFile()
  private var lines = ""
  private var nextWrite: MonotonicInstant?

  /// What a power cut may cost of the track; each write waits for the disk.
  private static let interval = TimeSpan.seconds(5)

  mutating func write(
    _ points: [TrackPoint], _ notes: ArchiveNotes, in folder: borrowing DirectoryHandle
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
    try finish(in: folder)
  }

  /// Writes what waits.
  mutating func finish(in folder: borrowing DirectoryHandle) throws(ArchiveError) {
    guard !lines.isEmpty else { return }
    let text = lines
    lines = ""
    try file.append(text, in: folder)
  }
}
