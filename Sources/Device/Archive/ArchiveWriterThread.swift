import MediaCore
import RealtimeRuntime
import Signalling
import SystemSupport
import WebM

/// The thread of one archive: takes frames in passes, writes what is due, and ends it.
///
/// Safety: confined to its thread from `startThread()` on.
final class ArchiveWriterThread: @unchecked Sendable {
  private var pendingFolder: ArchiveFolder?
  private var runningManifest: RunningManifest
  private let path: String
  private let configuration: ArchiveConfiguration
  private let mailbox: ArchiveMailbox
  private let onEvent: @Sendable (ArchiveEvent) -> Void
  private var streams: [ArchiveStream] = []
  private var track: GPXWriter
  private let evidence: EvidenceJournal?
  private var hasFallenBehind = false
  private var hasExceededRate = false
  private var nextCheck: MonotonicInstant
  /// How many of the folders above still lack the archive on the disk.
  private var unsyncedParents = 0
  /// The folder's entries have changed since it was synced.
  private var isFolderDirty = true
  /// How long the disk took the last time.
  private var syncSpan = TimeSpan.zero

  /// Space, the wall clock, and whether the folder is still there.
  private static let checkInterval = TimeSpan.seconds(1)
  /// Frames arrive a little after their time, so a cluster's wake-up comes a little after it is due.
  private static let slack = TimeSpan.milliseconds(40)
  private static let longestRest = TimeSpan.seconds(5)

  init(
    folder: consuming ArchiveFolder, path: String, runningManifest: RunningManifest,
    configuration: ArchiveConfiguration,
    evidence: EvidenceJournal?, mailbox: ArchiveMailbox, onEvent: @escaping @Sendable (ArchiveEvent) -> Void
  ) {
    track = GPXWriter(evidence: evidence)
    self.evidence = evidence
    pendingFolder = consume folder
    self.path = path
    self.runningManifest = runningManifest
    self.configuration = configuration
    self.mailbox = mailbox
    self.onEvent = onEvent
    nextCheck = MonotonicClock.now()
  }

  func startThread() throws(ArchiveError) {
    do {
      try MediaThread(name: "archive") { self.run() }.detach()
    } catch {
      throw .system(error)
    }
  }

  private func run() {
    onEvent(.started(runningManifest.manifest))
    let failure = recordAndConclude()
    evidence?.noteEnd()
    mailbox.publish(runningManifest.manifest)
    onEvent(failure.map { .failed(runningManifest.manifest, $0) } ?? .stopped(runningManifest.manifest))
  }

  /// Works until the end; the folder is free for others when this returns.
  private func recordAndConclude() -> ArchiveError? {
    guard let folder = pendingFolder.take() else { return nil }
    unsyncedParents = folder.unsyncedParents
    do {
      let reason = try record(in: folder)
      try finishStreams(in: folder)
      try track.finish(in: folder.directory)
      conclude(.available, reason, streams.filter(\.hasFile).flatMap { $0.entries(since: runningManifest.start) })
      try publishManifest(in: folder, needsEvidence: true)
      return nil
    } catch {
      let failure = error.at(path)
      salvage(in: folder, after: failure)
      return failure
    }
  }

  /// Takes frames and writes clusters until there is a reason to stop, and returns that.
  ///
  /// Each pass takes what has come by then and waits for the disk once, for all files at the same time. What becomes due
  /// while it waits is written before, judging by the last wait: so a power cut costs a cluster and one
  /// sync, and on a disk that takes longer than a cluster lasts two syncs.
  private func record(in folder: borrowing ArchiveFolder) throws(ArchiveError) -> String {
    syncSpan = folder.directory.pendingSync.lastSpan
    while true {
      let commands = mailbox.takeCommands()
      addStreams(commands.requests, in: folder)
      for stream in streams {
        try naming(stream) { () throws(ArchiveError) in try stream.drain(in: folder, syncSpan: syncSpan) }
      }
      noteStart()
      try track.write(commands.positions, runningManifest, in: folder.directory)
      // What waits for the disk is to be known while it is waited for.
      publishStatistics()
      try putOnDisk(in: folder)
      publishStatistics()
      if let reason = commands.stopReason { return reason }
      if let reason = try check(folder) { return reason }
      rest()
    }
  }

  /// Waits for the disk to take what was written: files, the folders that list them, and the next manifest, all at the same
  /// time. The next manifest takes the other's place afterwards; recovery prefers it as soon as it is whole.
  ///
  /// What does not hurry waits for the next cluster, which would have to wait for the disk twice otherwise.
  private func putOnDisk(in folder: borrowing ArchiveFolder) throws(ArchiveError) {
    guard hasWork else { return }
    try evidence?.write(in: folder.directory)
    guard let manifest = try runningManifest.prepare(streams, hasTrack: track.hasFile, in: folder) else {
      return try sync(foldersToSync(folder))
    }
    try sync([manifest.pendingSync] + foldersToSync(folder))
    try folder.replaceManifest()
    try folder.reserveNextManifest(after: manifest)
    isFolderDirty = true
  }

  /// Whether anything has to be put on the disk now.
  private var hasWork: Bool {
    if track.pendingSync != nil || streams.contains(where: \.isDirty) { return true }
    return streams.contains(where: \.hasFile) && streams.allSatisfy(\.isIdle)
  }

  /// The archive's folder and those above it, as far as they have new entries.
  private func foldersToSync(_ folder: borrowing ArchiveFolder) -> [DiskSync] {
    isFolderDirty =
      isFolderDirty || track.isNewFile || evidence?.isNewFile == true || streams.contains(where: \.isNewFile)
    return (isFolderDirty ? [folder.directory.pendingSync] : [])
      + folder.directory.pendingSyncs(ofParents: unsyncedParents)
  }

  /// Waits for the files that were written to, and for others.
  private func sync(_ others: [DiskSync] = []) throws(ArchiveError) {
    var syncs = others + [track.pendingSync, evidence?.pendingSync].compactMap(\.self)
    let first = syncs.count
    var ends: [Int] = []
    for stream in streams {
      stream.addPendingSyncs(to: &syncs)
      ends.append(syncs.count)
    }
    guard !syncs.isEmpty else { return }
    let begin = MonotonicClock.now()
    let wait = configuration.waits.begin(now: begin)
    let errors = DiskSync.perform(syncs)
    configuration.waits.end(wait)
    syncSpan = MonotonicClock.now() - begin
    try noteSync(zip([first] + ends, ends).map { errors[$0..<$1].first { $0 != 0 } ?? 0 })
    for error in errors[..<first] { try DiskSync.check(error) }
    track.noteSync()
    evidence?.noteSync()
    if !others.isEmpty { noteFolderSync() }
  }

  /// Reports to all streams the outcome of their files.
  private func noteSync(_ errors: [Int32]) throws(ArchiveError) {
    var failure: ArchiveError?
    for (stream, error) in zip(streams, errors) {
      do {
        try naming(stream) { () throws(ArchiveError) in try stream.noteSync(error) }
      } catch {
        failure = failure ?? error
      }
    }
    if let failure { throw failure }
  }

  private func noteFolderSync() {
    unsyncedParents = 0
    isFolderDirty = false
    track.noteFolderSync()
    evidence?.noteFolderSync()
    for stream in streams { stream.noteFolderSync() }
  }

  /// Finishes all streams' files, step by step at the same time.
  private func finishStreams(in folder: borrowing ArchiveFolder) throws(ArchiveError) {
    for stream in streams { try naming(stream) { () throws(ArchiveError) in try stream.takeLastFrames(in: folder) } }
    while streams.contains(where: \.isDirty) {
      try evidence?.write(in: folder.directory)
      try sync()
      for stream in streams { try naming(stream) { () throws(ArchiveError) in try stream.storeRest(in: folder) } }
    }
  }

  /// Adds to an error which file it is about.
  private func naming(
    _ stream: ArchiveStream, _ body: () throws(ArchiveError) -> Void
  ) throws(ArchiveError) {
    do { try body() } catch { throw error.at(stream.path(in: path)) }
  }

  private func addStreams(_ requests: [ArchiveStreamRequest], in folder: borrowing ArchiveFolder) {
    for request in requests {
      var writer = WebMWriter(
        timing: configuration.timing, timelineDate: runningManifest.timelineDate,
        segmentDuration: configuration.segmentDuration)
      writer.maximumFileByteCount = folder.directory.calls.largestFile(folder.directory.descriptor)
      streams.append(ArchiveStream(request, writer: writer, evidence: evidence))
    }
  }

  /// A stream that begins with a pre-roll moves the archive's start back.
  private func noteStart() {
    for stream in streams where stream.hasPreRoll {
      if let first = stream.firstTimestamp { runningManifest.moveStart(backTo: first) }
    }
  }

  /// Checks what changes slowly; returns a reason to stop.
  private func check(_ folder: borrowing ArchiveFolder) throws(ArchiveError) -> String? {
    let now = MonotonicClock.now()
    guard now >= nextCheck else { return nil }
    nextCheck = now + Self.checkInterval
    guard !folder.directory.isRemoved, !streams.contains(where: \.isFileRemoved) else { throw .removed(path) }
    if runningManifest.correctClock(now: now) {
      for stream in streams { stream.setTimelineDate(runningManifest.timelineDate) }
    }
    if let maximum = configuration.maximumByteCount, byteCount > maximum { return ArchiveLimit.share.rawValue }
    guard let available = DiskSpace.available(folder.directory) else { return nil }
    return available < configuration.minimumFreeBytes ? ArchiveLimit.space.rawValue : nil
  }

  private var byteCount: UInt64 {
    streams.reduce(0) { $0.addingReportingOverflow($1.statistics.byteCount).partialValue }
  }

  /// Waits until a cluster may be due, a ring is filling up, a frame comes after a pause, or there is a command.
  private func rest() {
    let now = MonotonicClock.now()
    var rest = Self.longestRest
    // What is due when the disk will be done is written now, as in a pass.
    for stream in streams {
      if let time = stream.rest(now: now + syncSpan) { rest = min(rest, time + Self.slack) }
    }
    _ = mailbox.wake.wait(timeout: rest)
  }

  private func publishStatistics() {
    var statistics = ArchiveStatistics()
    for stream in streams { statistics.add(stream.statistics) }
    mailbox.publish(statistics)
    noteExcess()
    let overflow = streams.reduce(0) { $0 + $1.overflow }
    guard overflow > 0, !hasFallenBehind else { return }
    hasFallenBehind = true
    onEvent(.fellBehind(runningManifest.manifest, droppedFrames: overflow))
  }

  private func noteExcess() {
    guard !hasExceededRate, let stream = streams.first(where: { $0.refused > 0 }) else { return }
    hasExceededRate = true
    onEvent(.exceededRate(runningManifest.manifest, streamID: stream.streamID))
  }

  private func conclude(_ status: ArchiveStatus, _ reason: String, _ files: [ArchivedFile]) {
    noteStart()
    publishStatistics()
    runningManifest.conclude(status, reason, files)
  }

  /// Puts the last manifest on the disk and releases the folder as soon as others see it there: a reader that finds the
  /// archive available may change it at once. The manifest is on the disk before it is seen.
  ///
  /// - Parameter needsEvidence: whether the archive has failed without its evidence's conclusion.
  private func publishManifest(in folder: borrowing ArchiveFolder, needsEvidence: Bool) throws(ArchiveError) {
    let manifest = try folder.prepare(runningManifest.manifest)
    do {
      try evidence?.conclude(in: folder.directory, manifest: ArchiveFolder.temporaryName)
    } catch {
      if needsEvidence { throw error }
    }
    isFolderDirty = true
    try sync([manifest.pendingSync] + foldersToSync(folder))
    try folder.publishManifest()
    try folder.directory.sync()
  }

  /// Keeps what is on the disk and what still fits. If even the manifest cannot be written, the one on the disk keeps
  /// saying `started`, and recovery tries again at the next start.
  private func salvage(in folder: borrowing ArchiveFolder, after failure: ArchiveError) {
    noteStart()
    var files: [ArchivedFile] = []
    for stream in streams { files += stream.salvage(since: runningManifest.start, in: folder) }
    try? track.finish(in: folder.directory)
    conclude(.failed, failure.reason, files)
    try? publishManifest(in: folder, needsEvidence: false)
  }
}
