import Glibc
public import Signalling
public import SystemSupport

/// The events on the disk: a folder a day (UTC) with `events.jsonl` and images.
/// Bounded by age and by bytes: the oldest day goes first, then the oldest images of today. An event has a line when it
/// begins and another one when it ends, so that a power cut between the two loses the end alone. Works on a thread of
/// its own, which may wait for the disk.
public actor EventFolder {
  /// How much is kept.
  public struct Limits: Sendable, Hashable {
    public var maximumAge: Duration
    /// Bytes.
    public var maximumTotal: Int64

    public init(maximumAge: Duration, maximumTotal: Int64) {
      self.maximumAge = maximumAge
      self.maximumTotal = maximumTotal
    }
  }

  public static let fileName = "events.jsonl"
  /// A day's file does not grow beyond: some 10,000 events.
  static let largestFile: Int64 = 4 * 1_048_576

  /// Is made when it is first needed; the folder above it has to be there.
  public nonisolated let path: String
  private var limits: Limits
  private nonisolated let executor = DiskExecutor()
  /// Bytes since the limits were last applied.
  private var written: Int64 = 0
  /// When days were written to last, by the monotonic clock: the wall clock may have named a day wrongly.
  private var writtenAt: [String: ContinuousClock.Instant] = [:]

  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  public init(path: String, limits: Limits) {
    self.path = path
    self.limits = limits
  }

  /// Keeps events within other limits from the next time that they are applied.
  public func setLimits(_ limits: Limits) { self.limits = limits }

  /// Appends a line to the day in which the event began, and has it reach the disk.
  ///
  /// - Throws: what the kernel says, with the file's name; `EFBIG` when the day's file is full.
  public func append(_ event: DetectedEvent) throws(SystemCallError) {
    let file = "\(try makeDay(event))/\(Self.fileName)"
    let line = EventLines.line(event)
    guard EventFile.size(file) + Int64(line.count) <= Self.largestFile else {
      throw SystemCallError(call: "append to \(file)", errno: EFBIG)
    }
    // A line that a power cut has torn is ended first.
    let begin: [UInt8] = EventFile.endsTorn(file) ? [UInt8(ascii: "\n")] : []
    try EventFile.append(begin + line, to: file)
    written += Int64(line.count)
  }

  /// Writes an image in place of the one that the event had; returns its name in the day's folder.
  public func write(_ image: [UInt8], of event: DetectedEvent) throws(SystemCallError) -> String {
    let name = "\(event.id).jpg"
    try EventFile.replace("\(try makeDay(event))/\(name)", with: image)
    written += Int64(image.count)
    return name
  }

  /// The newest events that began at `since` (milliseconds since 1970) or later, and stand before a position; the newest
  /// first, at most `limit`.
  public func events(
    since: Int64, before position: EventPosition = EventPosition(start: .max), limit: Int
  ) -> [DetectedEvent] {
    var found: [DetectedEvent] = []
    for day in days().reversed()
    where day >= UTCDay.name(max(since, 0)) && !UTCDay.begins(day, atOrAfter: position.end) {
      let events = EventLines.read(EventFile.contents("\(path)/\(day)/\(Self.fileName)", limit: Self.largestFile))
      found += events.filter { $0.start >= since && EventPosition($0) < position }.newestFirst()
      if found.count >= limit { break }
    }
    return Array(found.prefix(limit))
  }

  /// The image of an event (JPEG); nil where none is kept, or one of more than `limit` bytes.
  public func image(of id: DetectedEventID, limit: Int64) -> [UInt8]? {
    let bytes = EventFile.contents("\(path)/\(UTCDay.name(stamp: id.text))/\(id).jpg", limit: limit)
    return bytes.isEmpty ? nil : bytes
  }

  /// Tries whether events can be kept: makes the folder and writes a file there, which is removed again.
  public func check() throws(SystemCallError) {
    try EventFile.makeFolder(path)
    let file = "\(path)/.check"
    try EventFile.replace(file, with: [0])
    unlink(file)
  }
}

// MARK: - Retention

extension EventFolder {
  /// Whether so much was written that the limits are to be applied before the hour is over.
  public var isPruningDue: Bool { written > limits.maximumTotal / 16 }

  /// Deletes days that are too old, if the clock can be trusted, and the oldest while all take too much; at last the
  /// oldest images of today. A day is not too old for as long as it was written to within ``Limits/maximumAge``,
  /// whatever the wall clock says since.
  ///
  /// - Parameter now: milliseconds since 1970; nil while the clock cannot be trusted.
  public func prune(now: Int64?, today: String) {
    written = 0
    var days = days().filter { $0 != today }
    if let now {
      let oldest = UTCDay.name(max(now - limits.maximumAge.components.seconds * 1_000, 0))
      // What was kept while the clock was not set has no age.
      let outdated = days.filter { UTCDay.isCredible($0) && $0 < oldest && !wasWrittenLately($0) }
      for day in outdated { remove(day) }
      days.removeAll(where: outdated.contains)
    }
    var total = (days + [today]).reduce(Int64(0)) { $0 + size(of: $1) }
    for day in days where total > limits.maximumTotal {
      total -= size(of: day)
      remove(day)
    }
    if total > limits.maximumTotal { removeImages(of: today, bytes: total - limits.maximumTotal / 8 * 7) }
  }

  private func wasWrittenLately(_ day: String) -> Bool {
    writtenAt[day].map { ContinuousClock.now - $0 < limits.maximumAge } ?? false
  }

  /// The oldest first, until that many bytes are free.
  private func removeImages(of day: String, bytes: Int64) {
    var left = bytes
    for name in FolderEntries.names(in: "\(path)/\(day)") where left > 0 && name != Self.fileName {
      let file = "\(path)/\(day)/\(name)"
      left -= EventFile.size(file)
      unlink(file)
    }
  }

  private func makeDay(_ event: DetectedEvent) throws(SystemCallError) -> String {
    let day = UTCDay.name(event.start)
    let folder = "\(path)/\(day)"
    writtenAt[day] = ContinuousClock.now
    try EventFile.makeFolder(path)
    try EventFile.makeFolder(folder)
    return folder
  }

  private func days() -> [String] { FolderEntries.names(in: path).filter(UTCDay.isName) }

  private func size(of day: String) -> Int64 {
    FolderEntries.names(in: "\(path)/\(day)").reduce(0) { $0 + EventFile.size("\(path)/\(day)/\($1)") }
  }

  private func remove(_ day: String) {
    let folder = "\(path)/\(day)"
    writtenAt[day] = nil
    for name in FolderEntries.names(in: folder) { unlink("\(folder)/\(name)") }
    rmdir(folder)
  }
}
