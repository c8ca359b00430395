import MediaCore
import WebM

/// The files of a stream: the one that is being written, and those before it, the last of which may still be completed.
///
/// A new file waits for none of the steps that complete the one before: they go to the disk together with its clusters.
///
/// Confined to the archive's thread.
final class SegmentFiles {
  private let streamID: String
  /// Notes what is written, if the archive has evidence.
  private let evidence: EvidenceJournal?
  private var file: ArchiveFile?
  private var completions: [SegmentCompletion] = []
  private(set) var segments: [ArchiveSegment] = []
  /// How many files have been made, and how many have been completed on the disk, together.
  private(set) var progress = 0
  /// What the sizes of the files add up to that are no longer appended to.
  private var closedByteCount: UInt64 = 0
  /// Bytes of the file that is being written may not be on the disk yet.
  private var isFileDirty = false
  /// The header was overwritten: what comes next must not be written before that is on the disk.
  private var isHeaderPending = false
  /// A write failed, so that the writer and the files no longer agree.
  private(set) var isBroken = false
  /// A file was made, and its folder has not been synced since.
  private(set) var isNewFile = false

  /// The maximum number of unfinished files at a time; segments that are that short wait for the disk.
  private static let maxCompletions = 4

  init(streamID: String, evidence: EvidenceJournal? = nil) {
    self.streamID = streamID
    self.evidence = evidence
  }

  /// Bytes may not be on the disk yet.
  var isDirty: Bool { isFileDirty || completions.contains(where: \.isDirty) }

  /// Files have to be completed.
  var isCompleting: Bool { !completions.isEmpty }

  /// Nothing must be written before the disk has been waited for.
  var isBlocked: Bool { isHeaderPending || completions.count > Self.maxCompletions }

  /// Whether the file that is being written was removed.
  var isFileRemoved: Bool { file?.isRemoved ?? false }

  /// The name of the file that is being written, or was last.
  var lastName: String { segments.last?.name ?? SegmentName(streamID: streamID, number: 1).fileName }

  /// When what was written ends, on the media timeline.
  var end: MonotonicInstant? {
    segments.last.flatMap { last in last.start.map { $0 + .milliseconds(last.durationMilliseconds) } }
  }

  func byteCount(_ writer: WebMWriter) -> UInt64 { closedByteCount + (file == nil ? 0 : writer.fileByteCount) }

  /// What the disk has to be waited for.
  func addPendingSyncs(to syncs: inout [DiskSync]) {
    if isFileDirty, let sync = file?.pendingSync { syncs.append(sync) }
    for completion in completions where completion.isDirty { syncs.append(completion.pendingSync) }
  }

  /// All that was pending is on the disk, or some of it is not.
  func noteSync(_ error: Int32) {
    isFileDirty = false
    isHeaderPending = false
    isBroken = isBroken || error != 0
    for completion in completions { completion.noteSync() }
    for completion in completions where completion.isDone {
      segments[completion.segment].isComplete = true
      if let evidence { completion.note(in: evidence, as: segments[completion.segment].name) }
      progress += 1
    }
    completions.removeAll(where: \.isDone)
  }

  /// The folder is on the disk.
  func noteFolderSync() { isNewFile = false }

  /// A write failed.
  func noteFailure() { isBroken = true }

  /// Releases all files, as they are.
  func close() {
    if file != nil { closedByteCount += segments.last?.byteCount ?? 0 }
    file = nil
    completions = []
  }
}

// MARK: What the writer says

extension SegmentFiles {
  /// Continues with the earlier files, as far as the disk has come.
  func continueCompletions() throws(ArchiveError) {
    for completion in completions { try completion.writeNext() }
  }

  /// Appends to the file that is being written, or to a new one. Clusters may reach the disk in any order: each shows
  /// by itself whether it is whole.
  func append(_ writer: WebMWriter, in folder: borrowing ArchiveFolder) throws(ArchiveError) {
    if file == nil { try makeFile(in: folder) }
    isFileDirty = true
    let offset = file?.byteCount ?? 0
    try writer.withOutput { (bytes) throws(ArchiveError) in
      try file?.appendBuffered(bytes)
      noteAppended(writer, at: offset, bytes)
    }
    update(writer)
  }

  /// Forgets what the file took of a cluster that did not fit.
  func dropTornEnd() throws(ArchiveError) { try file?.dropTornEnd() }

  /// What stands before the clusters changes until the file is complete.
  private func noteAppended(_ writer: WebMWriter, at offset: UInt64, _ bytes: RawSpan) {
    guard let evidence, offset >= WebMLayout.firstClusterOffset, let segment = segments.last,
      let start = writer.firstTimestamp
    else { return }
    let begin = segment.durationMilliseconds
    evidence.noteAppended(
      segment.name, start: start, at: offset, bytes, times: begin..<max(begin, writer.durationMilliseconds))
  }

  private func makeFile(in folder: borrowing ArchiveFolder) throws(ArchiveError) {
    let name = SegmentName(streamID: streamID, number: segments.count + 1).fileName
    file = try ArchiveFile(creating: name, in: folder.directory)
    segments.append(ArchiveSegment(name: name))
    progress += 1
    isNewFile = true
  }

  /// Overwrites bytes: the header, for a track that has come late, or what completes the file. Of a file still being
  /// appended to only the header is overwritten, so what lies behind it completes the file.
  func overwrite(_ writer: WebMWriter, at offset: UInt64) throws(ArchiveError) {
    if offset > 0 { endFile(writer) }
    guard file == nil, let completion = completions.last else { return try overwriteHeader(writer) }
    writer.withOutput { completion.overwrite($0, at: offset) }
    try completion.writeNext()
  }

  /// What was there before has to be on the disk first.
  private func overwriteHeader(_ writer: WebMWriter) throws(ArchiveError) {
    if isFileDirty { try file?.sync() }
    (isFileDirty, isHeaderPending) = (true, true)
    try writer.withOutput { (bytes) throws(ArchiveError) in try file?.writeBuffered(bytes, at: 0) }
  }

  /// Nothing more is appended to the file. Harmless to repeat.
  func endFile(_ writer: WebMWriter) {
    update(writer)
    guard let ended = file.take() else { return }
    closedByteCount += writer.fileByteCount
    completions.append(SegmentCompletion(ended, segment: segments.count - 1, isDirty: isFileDirty))
    (isFileDirty, isHeaderPending) = (false, false)
  }

  /// Takes over what the writer says of its current file.
  func update(_ writer: WebMWriter) {
    if file != nil { segments[segments.count - 1].update(writer) }
  }
}
