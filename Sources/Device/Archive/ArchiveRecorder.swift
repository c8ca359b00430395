public import MediaCore
public import RealtimeRuntime
public import Signalling

/// Records one archive: any number of streams, one file each, until it is stopped or the disk fails.
///
/// Encoders and the network thread push frames straight into a stream's ``FrameInbox``; a thread of the archive's own
/// muxes and writes them. Producers never wait for the disk: when it stalls longer than the inbox lasts, frames are
/// dropped and counted, and a key frame is requested.
///
/// Releasing the recorder does not stop its archive: call ``stop(reason:)``.
public final class ArchiveRecorder: Sendable {
  public let id: ArchiveID
  private let configuration: ArchiveConfiguration
  private let shared: ArchiveMailbox

  /// Makes the archive's folder and manifest and starts its thread, which makes them durable.
  ///
  /// - Parameters:
  ///   - start: what offsets in the manifest count from.
  ///   - createdAt: milliseconds since 1970; `nil` reads the wall clock.
  ///   - onEvent: called on the archive's thread; must not block.
  public convenience init(
    _ id: ArchiveID, in store: ArchiveStore, details: ArchiveDetails,
    configuration: ArchiveConfiguration = ArchiveConfiguration(), start: MonotonicInstant = MonotonicClock.now(),
    createdAt: Int64? = nil, onEvent: @escaping @Sendable (ArchiveEvent) -> Void
  ) throws(ArchiveError) {
    try self.init(
      id, in: store, details: details, configuration: configuration, start: start, createdAt: createdAt,
      clock: WallClockReader(), calls: DiskCalls(), onEvent: onEvent)
  }

  /// - Parameters:
  ///   - clock: the wall clock.
  ///   - calls: how bytes are put on the disk.
  init(
    _ id: ArchiveID, in store: ArchiveStore, details: ArchiveDetails, configuration: ArchiveConfiguration,
    start: MonotonicInstant, createdAt: Int64?, clock: WallClockReader, calls: DiskCalls,
    onEvent: @escaping @Sendable (ArchiveEvent) -> Void
  ) throws(ArchiveError) {
    guard ArchiveManifest.isValidName(details.name) else { throw .invalidName(details.name) }
    let reading = clock.read()
    let createdAt = createdAt ?? reading.milliseconds
    let day = CalendarDay(milliseconds: createdAt)
    let manifest = ArchiveManifest(
      id: id, details: details, createdAt: createdAt, clockSynchronized: reading.isSynchronized)
    self.id = id
    self.configuration = configuration
    shared = try ArchiveMailbox()
    var folder: ArchiveFolder
    do { folder = try store.create(id, on: day) } catch { throw error.at(store.root) }
    folder.directory.calls = calls
    do {
      try Self.checkSpace(folder, configuration)
      try folder.announce(manifest)
      try ArchiveWriterThread(
        folder: folder, path: store.path(id, on: day),
        runningManifest: RunningManifest(manifest: manifest, start: start, clock: clock), configuration: configuration,
        evidence: store.evidence.map { EvidenceJournal($0, archive: id, clock: clock) }, mailbox: shared,
        onEvent: onEvent
      ).startThread()
    } catch {
      store.discard(id, on: day)
      throw error.at(store.path(id, on: day))
    }
  }

  private static func checkSpace(
    _ folder: borrowing ArchiveFolder, _ configuration: ArchiveConfiguration
  ) throws(ArchiveError) {
    let required = configuration.minimumFreeBytes
    guard let available = DiskSpace.available(folder.directory), available < required else { return }
    throw .notEnoughSpace(available: available, required: required)
  }

  /// Adds a stream and returns where its frames go: audio from one thread, video from one thread.
  ///
  /// The file is made when the first frame comes, of whatever kind, and a track when its first frame comes. Video
  /// starts with the first key frame.
  ///
  /// With a pre-roll the stream begins with what that kept, and the archive's start moves back to its first frame. Both
  /// inboxes have to be fed by the same bus; it is of no matter how long after this call the stream's is attached.
  ///
  /// - Parameter requestKeyFrame: called on the archive's thread, at most once a second; must not block.
  public func addStream(
    _ description: ArchiveStreamDescription, preRoll: PreRoll? = nil, requestKeyFrame: @escaping @Sendable () -> Void
  ) throws(ArchiveError) -> FrameInbox {
    guard description.streamID.isSafeIdentifier else { throw .invalidName(description.streamID) }
    let inbox = FrameInbox(
      audioBytes: description.hasAudio ? configuration.audioRingBytes : 0,
      videoBytes: description.hasVideo ? configuration.videoRingBytes : 0, wake: shared.wake)
    try shared.add(
      ArchiveStreamRequest(description: description, inbox: inbox, preRoll: preRoll, requestKeyFrame: requestKeyFrame))
    return inbox
  }

  /// Notes where the device is, for `track.gpx`. From any thread; waits for nothing.
  ///
  /// Points reach the disk within five seconds. When the disk stalls for two minutes, further ones are left out.
  ///
  /// - Parameter capturedAt: when the device was there, on the media timeline.
  public func addPosition(_ fix: PositionFix, capturedAt: MonotonicInstant = MonotonicClock.now()) {
    shared.add(GPXPoint(fix: fix, capturedAt: capturedAt))
  }

  /// Counters, at most a moment old.
  public var statistics: ArchiveStatistics { shared.statistics }

  /// Stores what has been pushed so far, finishes the files and returns the final manifest.
  ///
  /// Harmless when the archive has ended already, in which case its manifest says why.
  public func stop(reason: String = "user initiated") async -> ArchiveManifest {
    shared.requestStop(reason)
    return await shared.ending()
  }
}
