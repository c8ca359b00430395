import MediaCore
import Signalling

/// What a running archive's manifest says, and when it has to be rewritten.
struct RunningManifest {
  private(set) var manifest: ArchiveManifest
  /// What offsets count from.
  private(set) var start: MonotonicInstant
  private let clock: WallClockReader
  private let sleptBefore: Int64
  /// Milliseconds that the machine has slept since the start: offsets do without them, dates do not.
  private var slept: Int64 = 0
  private var isStale = true
  /// How many streams there were when the manifest was last written, and how far they had come.
  private var noted = 0

  init(manifest: ArchiveManifest, start: MonotonicInstant, clock: WallClockReader) {
    self.manifest = manifest
    self.start = start
    self.clock = clock
    sleptBefore = clock.slept()
  }

  /// When the media timeline's zero was, in nanoseconds since 2001-01-01 UTC; `nil` while the clock cannot be trusted.
  var timelineDate: Int64? {
    guard manifest.clockSynchronized else { return nil }
    return (manifest.createdAt + slept - WallClock.millisecondsUntil2001) &* 1_000_000 &- start.nanoseconds
  }

  /// Seconds since 1970 by the wall clock at an instant after which the machine has not slept; `nil` while the clock cannot be
  /// trusted.
  func wallTime(at instant: MonotonicInstant) -> Int64? {
    guard manifest.clockSynchronized else { return nil }
    return (manifest.createdAt + slept + (instant - start).milliseconds) / 1_000
  }

  /// The archive begins earlier than thought.
  mutating func moveStart(backTo instant: MonotonicInstant) {
    guard instant < start else { return }
    let instant = max(instant, start - Self.farthestStart)
    // Offsets are whole milliseconds, so is the shift: nothing else moves by a rounding.
    let shift = (start - instant + TimeSpan(nanoseconds: 999_999)).milliseconds
    start = start - .milliseconds(shift)
    manifest.createdAt -= shift
    isStale = true
  }

  /// The longest pre-roll, and a GOP before it.
  private static let farthestStart = PreRoll.longestSpan + .seconds(60)

  /// Rewrites the time of the start when the wall clock has become trustworthy; how it got there does not matter, since
  /// the media timeline never jumped. Notes when the machine has slept.
  ///
  /// - Returns: whether ``timelineDate`` has changed.
  mutating func correctClock(now: MonotonicInstant) -> Bool {
    let hasSlept = noteSleep()
    guard !manifest.clockSynchronized else { return hasSlept }
    let reading = clock.read()
    guard reading.isSynchronized else { return hasSlept }
    manifest.clockSynchronized = true
    manifest.createdAt = reading.milliseconds - (now - start).milliseconds - slept
    isStale = true
    return true
  }

  /// Two clocks are read one after the other, so that a little says nothing.
  private mutating func noteSleep() -> Bool {
    let now = clock.slept() - sleptBefore
    guard now - slept >= 1_000 else { return false }
    slept = now
    return true
  }

  /// Lets the manifest name the files, so that recovery knows whose they are. Complete files are listed with their size, which
  /// spares them recovery. As long as there is nothing to be named, the manifest waits.
  ///
  /// - Returns: the manifest that has to be put on the disk and take the other's place; nil when the last one is still
  ///   right.
  mutating func prepare(
    _ streams: [ArchiveStream], hasTrack: Bool, in folder: borrowing ArchiveFolder
  ) throws(ArchiveError) -> ArchiveFile? {
    guard hasTrack || streams.contains(where: \.hasFile) else { return nil }
    let progress = streams.reduce(0) { $0 + 1 + $1.progress }
    guard isStale || noted != progress else { return nil }
    var started = manifest
    started.files = streams.flatMap { $0.entriesInProgress(since: start) }
    let file = try folder.prepare(started)
    isStale = false
    noted = progress
    return file
  }

  mutating func conclude(_ status: ArchiveStatus, _ reason: String, _ files: [ArchivedFile]) {
    manifest.status = status
    manifest.reason = reason
    manifest.files = files
    manifest.updateTotals()
  }
}
