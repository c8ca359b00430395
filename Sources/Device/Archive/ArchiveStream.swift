import MediaCore
import RealtimeRuntime
import WebM

/// One stream of an archive: takes frames out of its inbox and puts clusters into its files.
///
/// Confined to the archive's thread.
final class ArchiveStream {
  private let request: ArchiveStreamRequest
  private let inbox: FrameInbox
  private var preRoll: PreRoll?
  private var duplicates = DuplicateFilter()
  private var writer: WebMWriter
  private var file: ArchiveFile?
  private var gate = VideoGate()
  private var allowance: StreamAllowance?
  private var undecodable = 0
  private var longestWrite = TimeSpan.zero
  /// The files that are complete, and the one that is being written.
  private var segments: [ArchiveSegment] = []
  /// What the complete files' sizes add up to.
  private var completeByteCount: UInt64 = 0
  private var isBetweenFiles = true
  /// A write failed, so that the writer and the file no longer agree.
  private var isBroken = false
  /// Bytes were written that may not be on the disk yet.
  private(set) var isDirty = false
  /// What comes next must not be written before the file is on the disk.
  private var isBlocked = false
  /// A file was made, and its folder has not been synced since.
  private(set) var isNewFile = false
  /// The last turn left frames behind.
  private var hasBacklog = false
  private var turnStart = MonotonicClock.now()

  /// Clusters of one turn: more than half a minute, after a disk has stalled.
  static let clustersPerTurn = 48

  init(_ request: ArchiveStreamRequest, writer: WebMWriter) {
    self.request = request
    inbox = request.inbox
    preRoll = request.preRoll
    allowance = request.maximumBitrate.map { StreamAllowance($0) }
    self.writer = writer
  }

  /// Whether the stream begins before the recording was asked for.
  var hasPreRoll: Bool { request.preRoll != nil }

  /// How many files have been made.
  var fileCount: Int { segments.count }

  /// When the first frame was captured, once it is on its way to the disk.
  var firstTimestamp: MonotonicInstant? { segments.first?.start ?? writer.firstTimestamp }

  /// Frames that the disk was too slow for.
  var overflow: Int { inbox.audio.dropped + inbox.video.dropped }

  /// Frames beyond the bit rate that the stream may have.
  var refused: Int { allowance?.refused ?? 0 }

  var streamID: String { request.streamID }

  var statistics: ArchiveStatistics {
    var statistics = ArchiveStatistics()
    statistics.streams = 1
    statistics.audioFrames = writer.statistics.audioFrames
    statistics.videoFrames = writer.statistics.videoFrames
    statistics.droppedFrames = overflow + undecodable + refused + writer.statistics.refused
    statistics.byteCount = completeByteCount + (isBetweenFiles ? 0 : writer.fileByteCount)
    statistics.longestWriteMilliseconds = longestWrite.milliseconds
    return statistics
  }

  /// The path of the file that is being written, or was last.
  func path(in folder: String) -> String { folder + "/" + (segments.last?.name ?? request.streamID + ".webm") }

  /// Lets later files, and this one when it ends, tell their date.
  func setTimelineDate(_ date: Int64?) { writer.timelineDate = date }

  /// Takes what is in the inbox by now, at most some clusters of it, and writes what is due without waiting for the disk:
  /// see ``pendingSync``.
  func drain(in folder: borrowing ArchiveFolder) throws(ArchiveError) {
    try drain(in: folder, mostClusters: Self.clustersPerTurn)
    guard request.hasVideo, allowance?.takesKeyFrame(now: MonotonicClock.now()) != false else { return }
    if gate.needsRequest(isWanted: writer.wantsKeyFrame, now: MonotonicClock.now()) { request.requestKeyFrame() }
  }

  private func drain(in folder: borrowing ArchiveFolder, mostClusters: Int) throws(ArchiveError) {
    turnStart = MonotonicClock.now()
    var room = mostClusters
    let mark = inbox.mark
    if preRoll != nil, !inbox.isEmpty { try takePreRoll(in: folder) }
    try storeOutput(in: folder, &room)
    while room > 0, !isBlocked, let kind = inbox.firstKind(before: mark) {
      take(kind, now: MonotonicClock.now())
      try storeOutput(in: folder, &room)
    }
    hasBacklog = room == 0 || isBlocked
  }

  /// What is left to be done after ``drain(in:)`` and ``storeRest(in:)``, if anything.
  var pendingSync: DiskSync? { isDirty ? file?.pendingSync : nil }

  /// The file is on the disk, or it is not.
  func noteSync(_ error: Int32) throws(ArchiveError) {
    longestWrite = max(longestWrite, MonotonicClock.now() - turnStart)
    isDirty = false
    isBlocked = false
    isBroken = isBroken || error != 0
    try DiskSync.check(error)
  }

  /// The folder is on the disk.
  func noteFolderSync() { isNewFile = false }

  /// Takes all the frames that are left, the last ones. ``storeRest(in:)`` follows, once the file is on the disk, until
  /// there is nothing to be synced.
  func takeLastFrames(in folder: borrowing ArchiveFolder) throws(ArchiveError) {
    try takePreRoll(in: folder)
    let mark = inbox.mark
    while let kind = inbox.firstKind(before: mark) {
      take(kind, now: MonotonicClock.now())
      try storeAll(in: folder)
    }
    writer.finish()
    try storeRest(in: folder)
  }

  /// Writes what can be written before the disk has to be waited for; in the end that finishes the file.
  func storeRest(in folder: borrowing ArchiveFolder) throws(ArchiveError) {
    turnStart = MonotonicClock.now()
    var room = Int.max
    try storeOutput(in: folder, &room)
    noteFile()
  }

  /// Stores the rest and finishes the file.
  private func finish(in folder: borrowing ArchiveFolder) throws(ArchiveError) {
    try takeLastFrames(in: folder)
    while isDirty {
      try sync()
      try storeRest(in: folder)
    }
  }

  /// How long the stream can be left alone; nil when it asked for a wake-up with the next frame.
  func rest(now: MonotonicInstant) -> TimeSpan? {
    if hasBacklog { return .zero }
    if let time = writer.timeUntilOutput(now: now) { return time }
    return inbox.wantWake() ? nil : .zero
  }

  /// Whether somebody removed the file that is being written.
  var isFileRemoved: Bool { file?.isRemoved ?? false }

  // MARK: Frames

  /// Begins with what came before the recording. The inbox holds a frame by now or never will, so every frame is in what
  /// was kept, in the inbox, or in both; of a kind that has not come yet the filter finds those that are in both.
  private func takePreRoll(in folder: borrowing ArchiveFolder) throws(ArchiveError) {
    guard let kept = preRoll.take()?.keptFrames(before: inbox.firstHeader?.timestamp) else { return }
    for frame in kept.frames where isWanted(frame.header) {
      kept.withPayload(of: frame) { payload in push(frame.header, payload, now: MonotonicClock.now()) }
      duplicates.note(frame.header)
      try storeAll(in: folder)
    }
  }

  /// Whether a frame that was kept precedes those in the inbox.
  private func isWanted(_ header: EncodedFrameHeader) -> Bool {
    guard header.kind == .audio ? request.hasAudio : request.hasVideo else { return false }
    return inbox.ring(for: header.kind).firstHeader.map { header.timestamp < $0.timestamp } ?? true
  }

  private func take(_ kind: MediaKind, now: MonotonicInstant) {
    inbox.ring(for: kind).popFirst { header, payload in
      if !duplicates.contains(header) { push(header, payload, now: now) }
    }
  }

  private func push(_ header: EncodedFrameHeader, _ payload: RawSpan, now: MonotonicInstant) {
    guard header.kind == .audio || gate.admits(header) else {
      undecodable += 1
      return
    }
    guard allowance?.admits(header, byteCount: payload.byteCount, now: now) != false else {
      if header.kind == .video { gate.close() }
      return
    }
    writer.push(header, payload: payload, now: now)
  }

  // MARK: Files

  /// Stores what is due, waiting for the disk where the order of writes demands it.
  private func storeAll(in folder: borrowing ArchiveFolder) throws(ArchiveError) {
    var room = Int.max
    try storeOutput(in: folder, &room)
    while isBlocked {
      try sync()
      try storeOutput(in: folder, &room)
    }
  }

  private func sync() throws(ArchiveError) {
    if let pendingSync { try noteSync(pendingSync.perform()) }
  }

  /// Stores what is due up to a number of clusters, and no further than to where the disk has to be waited for.
  private func storeOutput(in folder: borrowing ArchiveFolder, _ room: inout Int) throws(ArchiveError) {
    do {
      while room > 0, !isBlocked, try storeNext(in: folder, &room) {}
    } catch {
      isBroken = true
      throw error
    }
  }

  /// Returns false when there is nothing to be stored.
  ///
  /// Clusters may reach the disk in any order: each tells by itself whether it is whole. What overwrites other bytes comes
  /// after what was before it, and before what follows.
  private func storeNext(in folder: borrowing ArchiveFolder, _ room: inout Int) throws(ArchiveError) -> Bool {
    switch writer.nextOutput(now: MonotonicClock.now()) {
    case .nothing: return false
    case .append:
      try append(in: folder)
      room -= 1
    case .write(let offset):
      if offset == 0 { try sync() }
      try writer.withOutput { (bytes) throws(ArchiveError) in try file?.writeBuffered(bytes, at: offset) }
      isDirty = true
      isBlocked = true
    case .nextFile: closeCompleteFile()
    }
    return true
  }

  private func append(in folder: borrowing ArchiveFolder) throws(ArchiveError) {
    if isBetweenFiles {
      let name = SegmentName(streamID: request.streamID, number: segments.count + 1).fileName
      file = try ArchiveFile(creating: name, in: folder.directory)
      segments.append(ArchiveSegment(name: name))
      isBetweenFiles = false
      isNewFile = true
    }
    try writer.withOutput { (bytes) throws(ArchiveError) in try file?.appendBuffered(bytes) }
    isDirty = true
    noteFile()
  }

  private func closeCompleteFile() {
    noteFile()
    segments[segments.count - 1].isComplete = true
    completeByteCount += writer.fileByteCount
    isBetweenFiles = true
    file = nil
    if segments.count >= ArchiveConfiguration.segmentLimit - 1 { writer.segmentDuration = nil }
  }

  /// Keeps what can be kept after something about the archive has failed: a stream that is in order is finished, of
  /// another one the torn cluster goes. A file that cannot even be repaired stays for recovery.
  func salvage(since start: MonotonicInstant, in folder: borrowing ArchiveFolder) -> [ArchiveManifest.File] {
    if !isBroken { try? finish(in: folder) }
    file = nil
    guard !segments.isEmpty else { return [] }
    var entries = entries(since: start)
    if isBroken, segments.last?.isComplete == false {
      var last = entries.removeLast()
      last.size = 0
      do {
        if let repaired = try ArchiveRepair.repair(last, in: folder) { entries.append(repaired) }
      } catch {
        entries.append(last)
      }
    }
    return entries
  }

  private func noteFile() {
    guard !isBetweenFiles else { return }
    segments[segments.count - 1].update(writer)
  }

  /// What the manifest says of the stream's files; of the stream, as long as it has none.
  ///
  /// - Parameter start: the archive's.
  func entries(since start: MonotonicInstant) -> [ArchiveManifest.File] {
    guard !segments.isEmpty else { return [entry(ArchiveSegment(name: request.streamID + ".webm"), since: start)] }
    return segments.map { entry($0, since: start) }
  }

  /// The same while the stream is being recorded: a file that is not complete has no size yet.
  func entriesInProgress(since start: MonotonicInstant) -> [ArchiveManifest.File] {
    var entries = entries(since: start)
    if segments.last?.isComplete != true { entries[entries.count - 1].size = 0 }
    return entries
  }

  private func entry(_ segment: ArchiveSegment, since start: MonotonicInstant) -> ArchiveManifest.File {
    let offset = max(0, ((segment.start ?? start) - start).milliseconds)
    return ArchiveManifest.File(
      streamId: request.streamID, connectionData: request.connectionData, filename: segment.name,
      size: segment.byteCount, startTimeOffset: offset, stopTimeOffset: offset + segment.durationMilliseconds,
      videoType: segment.hasVideo ? "camera" : nil)
  }
}
