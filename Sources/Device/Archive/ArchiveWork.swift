import MediaCore
import RealtimeRuntime
import WebM

/// The thread of one archive: takes frames in turns, writes what is due, and ends it.
///
/// Safety: confined to its thread from `startThread()` on.
final class ArchiveWork: @unchecked Sendable {
  private var pendingFolder: ArchiveFolder?
  private var manifest: ArchiveManifest
  private let start: MonotonicInstant
  private let configuration: ArchiveConfiguration
  private let mailbox: ArchiveMailbox
  private let onEvent: @Sendable (ArchiveEvent) -> Void
  private var streams: [ArchiveStream] = []
  /// How many streams, and how many with files, the manifest on the disk knows of.
  private var noted = (streams: 0, files: 0)
  private var nextSpaceCheck: MonotonicInstant

  /// Short against the time for which a frame may stay in memory, and few wake-ups against one a frame.
  private static let round = TimeSpan.milliseconds(50)
  private static let spaceCheckInterval = TimeSpan.seconds(1)

  init(
    folder: consuming ArchiveFolder, manifest: ArchiveManifest, start: MonotonicInstant,
    configuration: ArchiveConfiguration, mailbox: ArchiveMailbox, onEvent: @escaping @Sendable (ArchiveEvent) -> Void
  ) {
    pendingFolder = consume folder
    self.manifest = manifest
    self.start = start
    self.configuration = configuration
    self.mailbox = mailbox
    self.onEvent = onEvent
    nextSpaceCheck = MonotonicClock.now()
  }

  func startThread() throws(ArchiveError) {
    do {
      try MediaThread(name: "archive") { self.run() }.detach()
    } catch {
      throw .system(error)
    }
  }

  private func run() {
    onEvent(.started(manifest))
    let failure = recordAndConclude()
    mailbox.publish(manifest)
    onEvent(failure.map { .failed(manifest, $0) } ?? .stopped(manifest))
  }

  /// Works until the end; the folder is free for others when this returns.
  private func recordAndConclude() -> ArchiveError? {
    guard let folder = pendingFolder.take() else { return nil }
    do {
      let reason = try record(in: folder)
      for stream in streams { try stream.finish(in: folder) }
      try conclude(.available, reason, in: folder)
      return nil
    } catch {
      salvage(in: folder, after: error)
      return error
    }
  }

  /// Takes frames and writes clusters until there is a reason to stop, and returns that.
  private func record(in folder: borrowing ArchiveFolder) throws(ArchiveError) -> String {
    while true {
      _ = mailbox.wake.wait(timeout: Self.round)
      let commands = mailbox.takeCommands()
      addStreams(commands.requests)
      try noteStreams(in: folder)
      for stream in streams { try stream.drain(in: folder) }
      publishStatistics()
      if let reason = commands.stopReason { return reason }
      if isSpaceShort(folder) { return "not enough disk space" }
    }
  }

  private func addStreams(_ requests: [ArchiveStreamRequest]) {
    for request in requests {
      let creationDate = manifest.clockSynchronized ? WallClock.nanosecondsSince2001() : nil
      streams.append(
        ArchiveStream(request, writer: WebMWriter(creationDate: creationDate, timing: configuration.timing)))
    }
  }

  /// Lets the manifest name streams before their files are made, and again when their offsets are known, so that
  /// recovery knows whose files they are.
  private func noteStreams(in folder: borrowing ArchiveFolder) throws(ArchiveError) {
    var files = 0
    for stream in streams where stream.hasFile { files += 1 }
    guard noted != (streams.count, files) else { return }
    noted = (streams.count, files)
    var started = manifest
    started.files = streams.map { stream in
      var entry = stream.updatedEntry(since: start)
      entry.size = 0
      return entry
    }
    try folder.write(started)
    try folder.reserveManifestSpace()
  }

  private func isSpaceShort(_ folder: borrowing ArchiveFolder) -> Bool {
    let now = MonotonicClock.now()
    guard now >= nextSpaceCheck else { return false }
    nextSpaceCheck = now + Self.spaceCheckInterval
    guard let available = DiskSpace.available(folder.directory) else { return false }
    return available < configuration.minimumFreeBytes
  }

  private func publishStatistics() {
    var statistics = ArchiveStatistics()
    for stream in streams { statistics.add(stream.statistics) }
    mailbox.publish(statistics)
  }

  private func conclude(
    _ status: ArchiveManifest.Status, _ reason: String, in folder: borrowing ArchiveFolder
  ) throws(ArchiveError) {
    manifest.status = status
    manifest.reason = reason
    manifest.files = streams.filter(\.hasFile).map { $0.updatedEntry(since: start) }
    manifest.updateTotals()
    publishStatistics()
    try folder.write(manifest)
  }

  /// Keeps what is on the disk: torn clusters go, files are finished in the space that they reserved. If even that
  /// fails, the manifest on the disk goes on saying `started`, and recovery tries again at the next start.
  private func salvage(in folder: borrowing ArchiveFolder, after failure: ArchiveError) {
    manifest.status = .failed
    manifest.reason = failure.reason
    manifest.files = streams.filter(\.hasFile).compactMap { stream in
      stream.closeFile()
      return try? ArchiveRepair.repair(stream.updatedEntry(since: start), in: folder)
    }
    manifest.updateTotals()
    try? folder.write(manifest)
  }
}
