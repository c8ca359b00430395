import Glibc
import MediaCore
import RealtimeRuntime
import Signalling
import WebM

/// One stream of an archive: takes frames out of its inbox and puts clusters into its files.
///
/// Confined to the archive's thread.
final class ArchiveStream {
  private let request: ArchiveStreamRequest
  private var intake: FrameIntake
  private var writer: WebMWriter
  private let files: SegmentFiles
  private var arrivals = ArrivalClock()
  private var longestWrite = TimeSpan.zero
  /// The last pass left frames behind.
  private var hasBacklog = false
  private var passStart = MonotonicClock.now()
  /// Up to when frames are on the disk.
  private var flushedUntil: MonotonicInstant?
  /// No more frames are taken.
  private var isOver = false

  /// Clusters of one pass: more than half a minute, after a disk has stalled.
  static let clustersPerPass = 48
  private static let longestPause = TimeSpan.seconds(1)
  /// As long as more frames wait in the inbox, clusters are cut by the frames' times alone: what was held for too long while the disk
  /// was waited for would have a cluster for each frame.
  private static let regardlessOfHold = MonotonicInstant(nanoseconds: .min)

  init(_ request: ArchiveStreamRequest, writer: WebMWriter, evidence: EvidenceJournal? = nil) {
    self.request = request
    intake = FrameIntake(request)
    files = SegmentFiles(streamID: request.description.streamID, evidence: evidence)
    self.writer = writer
  }

  var streamID: String { request.description.streamID }

  /// Whether the stream begins before the recording was asked for.
  var hasPreRoll: Bool { request.preRoll != nil }

  /// Whether a file has been made.
  var hasFile: Bool { !files.segments.isEmpty }

  /// Grows when a file has been made, and when one is complete on the disk.
  var progress: Int { files.progress }

  /// When the first frame was captured, once it is on its way to the disk.
  var firstTimestamp: MonotonicInstant? { files.segments.first?.start ?? writer.firstTimestamp }

  /// Frames that the disk was too slow for.
  var overflow: Int { intake.overflow }

  /// Frames beyond the bit rate that the stream may have.
  var refused: Int { intake.refused }

  var statistics: ArchiveStatistics {
    var statistics = ArchiveStatistics()
    statistics.streams = 1
    statistics.audioFrames = writer.statistics.audioFrames
    statistics.videoFrames = writer.statistics.videoFrames
    statistics.droppedFrames = intake.dropped + writer.statistics.refused
    statistics.byteCount = files.byteCount(writer)
    statistics.longestWriteMilliseconds = longestWrite.milliseconds
    let isPending = isDirty || !isOver && (hasBacklog || !isIdle)
    statistics.unflushedSince = isPending ? flushedUntil ?? firstTimestamp : nil
    return statistics
  }

  /// The path of the file that is being written, or was last.
  func path(in folder: String) -> String { folder + "/" + files.lastName }

  /// Gives later files, and this one when it ends, their date.
  func setTimelineDate(_ date: Int64?) { writer.timelineDate = date }

  /// Whether the file that is being written was removed.
  var isFileRemoved: Bool { files.isFileRemoved }

  /// Whether no frame waits for its cluster.
  var isIdle: Bool { writer.timeUntilOutput(now: passStart) == nil }

  /// How long the stream can be left alone; nil when it asked for a wake-up with the next frame. Files are completed together
  /// with the next clusters, or at once when there are none.
  func rest(now: MonotonicInstant) -> TimeSpan? {
    if hasBacklog || files.isCompleting && isIdle { return .zero }
    if let time = writer.timeUntilOutput(now: now) { return time }
    // The capacity of the inbox for what comes meanwhile.
    if let time = intake.timeUntilWanted(now: now) { return min(time, Self.longestPause) }
    return intake.wantWake() ? nil : .zero
  }
}

// MARK: A pass

extension ArchiveStream {
  /// Takes what is in the inbox by now, at most some clusters of it, and writes what is due without waiting for the disk:
  /// see ``addPendingSyncs(to:)``.
  ///
  /// - Parameter syncSpan: how long the disk will have to be waited for. What becomes due meanwhile is written now: it would
  ///   wait for two syncs otherwise.
  func drain(in folder: borrowing ArchiveFolder, syncSpan: TimeSpan = .zero) throws(ArchiveError) {
    passStart = MonotonicClock.now()
    arrivals.beginPass(now: passStart)
    var clustersLeft = Self.clustersPerPass
    let mark = intake.mark
    if intake.isPreRollDue { try takePreRoll(in: folder) }
    try storeOutput(in: folder, &clustersLeft, now: Self.regardlessOfHold)
    while clustersLeft > 0, !files.isBlocked, let kind = intake.firstKind(before: mark) {
      take(kind)
      try storeOutput(in: folder, &clustersLeft, now: Self.regardlessOfHold)
    }
    try storeOutput(in: folder, &clustersLeft, now: MonotonicClock.now() + syncSpan)
    hasBacklog = clustersLeft == 0 || files.isBlocked
    if intake.needsKeyFrame(isWanted: writer.wantsKeyFrame, now: MonotonicClock.now()) { request.requestKeyFrame() }
  }

  /// What the disk has to be waited for after ``drain(in:syncSpan:)`` and ``storeRest(in:)``.
  func addPendingSyncs(to syncs: inout [DiskSync]) { files.addPendingSyncs(to: &syncs) }

  /// Bytes were written that may not be on the disk yet.
  var isDirty: Bool { files.isDirty }

  /// A file was made, and its folder has not been synced since.
  var isNewFile: Bool { files.isNewFile }

  /// All that was pending is on the disk, or some of it is not.
  ///
  /// - Parameter error: the first error's number, or 0.
  func noteSync(_ error: Int32) throws(ArchiveError) {
    longestWrite = max(longestWrite, MonotonicClock.now() - passStart)
    files.noteSync(error)
    try DiskSync.check(error)
    flushedUntil = files.end
  }

  /// The folder is on the disk.
  func noteFolderSync() { files.noteFolderSync() }

  /// Begins with what came before the recording.
  private func takePreRoll(in folder: borrowing ArchiveFolder) throws(ArchiveError) {
    guard let kept = intake.takePreRoll() else { return }
    for frame in kept.frames {
      let now = MonotonicClock.now()
      guard intake.admitsKept(frame.header, byteCount: frame.payload.count, now: now) else { continue }
      kept.withPayload(of: frame) { payload in _ = writer.push(frame.header, payload: payload, now: now) }
      try storeAll(in: folder)
    }
  }

  private func take(_ kind: MediaKind) {
    let now = MonotonicClock.now()
    intake.take(kind, now: now) { header, payload in
      _ = writer.push(header, payload: payload, now: arrivals.arrival(of: header.timestamp, now: now))
    }
  }
}

// MARK: The end

extension ArchiveStream {
  /// Takes all the frames that are left, the last ones. ``storeRest(in:)`` follows, once the files are on the disk, until
  /// there is nothing to be synced.
  func takeLastFrames(in folder: borrowing ArchiveFolder) throws(ArchiveError) {
    try takePreRoll(in: folder)
    let mark = intake.mark
    while let kind = intake.firstKind(before: mark) {
      take(kind)
      try storeAll(in: folder)
    }
    writer.finish()
    isOver = true
    try storeRest(in: folder)
  }

  /// Writes what can be written before the disk has to be waited for; in the end that finishes the files.
  func storeRest(in folder: borrowing ArchiveFolder) throws(ArchiveError) {
    passStart = MonotonicClock.now()
    var clustersLeft = Int.max
    try storeOutput(in: folder, &clustersLeft)
    files.update(writer)
  }

  /// Stores the rest and finishes the files.
  private func finish(in folder: borrowing ArchiveFolder) throws(ArchiveError) {
    try takeLastFrames(in: folder)
    while files.isDirty {
      try sync()
      try storeRest(in: folder)
    }
  }

  /// Keeps what can be kept after something about the archive has failed: an intact stream is finished, a broken one
  /// loses its torn cluster. A file that cannot even be repaired stays for recovery.
  func salvage(since start: MonotonicInstant, in folder: borrowing ArchiveFolder) -> [ArchivedFile] {
    if !files.isBroken { try? finish(in: folder) }
    files.close()
    guard hasFile else { return [] }
    guard files.isBroken else { return entries(since: start) }
    var entries: [ArchivedFile] = []
    for entry in entriesInProgress(since: start) {
      if let entry = Self.repaired(entry, in: folder) { entries.append(entry) }
    }
    return entries
  }

  private static func repaired(
    _ entry: ArchivedFile, in folder: borrowing ArchiveFolder
  ) -> ArchivedFile? {
    guard entry.size == 0 else { return entry }
    do {
      switch try WebMFileRepair.repair(entry, in: folder) {
      case .recording(let entry): return entry
      case .removed: return nil
      case .foreign: return entry
      }
    } catch {
      return entry
    }
  }
}

// MARK: Files

extension ArchiveStream {
  /// Stores what is due, waiting for the disk where the order of writes demands it.
  private func storeAll(in folder: borrowing ArchiveFolder) throws(ArchiveError) {
    var clustersLeft = Int.max
    try storeOutput(in: folder, &clustersLeft)
    while files.isBlocked {
      try sync()
      try storeOutput(in: folder, &clustersLeft)
    }
  }

  private func sync() throws(ArchiveError) {
    var syncs: [DiskSync] = []
    files.addPendingSyncs(to: &syncs)
    try noteSync(DiskSync.perform(syncs).first { $0 != 0 } ?? 0)
  }

  /// Stores what is due up to a number of clusters, and no further than to where the disk has to be waited for.
  ///
  /// - Parameter now: what will be due by then is due now.
  private func storeOutput(
    in folder: borrowing ArchiveFolder, _ clustersLeft: inout Int, now: MonotonicInstant = MonotonicClock.now()
  ) throws(ArchiveError) {
    do {
      try files.continueCompletions()
      while clustersLeft > 0, !files.isBlocked, try storeNext(in: folder, &clustersLeft, now: now) {}
    } catch {
      files.noteFailure()
      throw error
    }
  }

  /// Returns false when there is nothing to be stored.
  private func storeNext(
    in folder: borrowing ArchiveFolder, _ clustersLeft: inout Int, now: MonotonicInstant
  ) throws(ArchiveError) -> Bool {
    switch writer.nextOutput(now: now) {
    case .nothing: return false
    case .append:
      try append(in: folder)
      clustersLeft -= 1
    case .write(let offset): try files.overwrite(writer, at: offset)
    case .nextFile:
      files.endFile(writer)
      if !mayBeginFile { (writer.segmentDuration, writer.maximumFileByteCount) = (nil, nil) }
    }
    return true
  }

  private var mayBeginFile: Bool { files.segments.count < ArchiveConfiguration.segmentLimit - 1 }

  /// A cluster that a file does not take, because it has become as large as files may be there, begins the next one.
  private func append(in folder: borrowing ArchiveFolder) throws(ArchiveError) {
    do {
      try files.append(writer, in: folder)
    } catch {
      guard error.errno == EFBIG, mayBeginFile, writer.moveClusterToNextFile() else { throw error }
      try files.dropTornEnd()
    }
  }
}

// MARK: What the manifest says

extension ArchiveStream {
  /// What the manifest says of the stream's files; of the stream, as long as it has none.
  ///
  /// - Parameter start: the archive's.
  func entries(since start: MonotonicInstant) -> [ArchivedFile] {
    guard hasFile else { return [entry(ArchiveSegment(name: files.lastName), since: start)] }
    return files.segments.map { entry($0, since: start) }
  }

  /// The same while the stream is being recorded: a file that is not complete has no size yet.
  func entriesInProgress(since start: MonotonicInstant) -> [ArchivedFile] {
    var entries = entries(since: start)
    for index in entries.indices where !hasFile || !files.segments[index].isComplete { entries[index].size = 0 }
    return entries
  }

  private func entry(_ segment: ArchiveSegment, since start: MonotonicInstant) -> ArchivedFile {
    let description = request.description
    let offset = max(0, ((segment.start ?? start) - start).milliseconds)
    return ArchivedFile(
      streamId: description.streamID, connectionData: description.connectionData, filename: segment.name,
      size: segment.byteCount, startTimeOffset: offset, stopTimeOffset: offset + segment.durationMilliseconds,
      videoType: segment.hasVideo ? "camera" : nil, camera: description.camera)
  }
}
