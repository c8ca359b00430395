public import MediaCore
public import RealtimeRuntime

/// Records one archive: any number of streams, one file each, until it is stopped or the disk fails.
///
/// Encoders and the network thread push frames straight into a stream's ``FrameInbox``; a thread of the archive's own
/// muxes and writes them. Producers never wait for the disk: when it stalls longer than the inbox lasts, frames are
/// dropped and counted, and a key frame is asked for.
///
/// An archive whose recorder is merely let go of goes on: call ``stop(reason:)``.
public final class ArchiveRecorder: Sendable {
  public let id: ArchiveID
  private let configuration: ArchiveConfiguration
  private let shared: ArchiveMailbox

  /// Makes the archive's folder and manifest and starts its thread.
  ///
  /// - Parameters:
  ///   - start: what offsets in the manifest count from.
  ///   - createdAt: milliseconds since 1970; `nil` reads the wall clock.
  ///   - onEvent: called on the archive's thread; must not block.
  public init(
    _ id: ArchiveID, in store: ArchiveStore, details: ArchiveDetails,
    configuration: ArchiveConfiguration = ArchiveConfiguration(), start: MonotonicInstant = MonotonicClock.now(),
    createdAt: Int64? = nil, onEvent: @escaping @Sendable (ArchiveEvent) -> Void
  ) throws(ArchiveError) {
    let createdAt = createdAt ?? WallClock.milliseconds()
    let day = CalendarDay(milliseconds: createdAt)
    let manifest = ArchiveManifest(
      id: id, details: details, createdAt: createdAt, clockSynchronized: WallClock.isSynchronized)
    self.id = id
    self.configuration = configuration
    shared = try ArchiveMailbox()
    let folder = try store.create(id, on: day)
    do {
      try Self.checkSpace(folder, configuration)
      try folder.write(manifest)
      try ArchiveWork(
        folder: folder, manifest: manifest, start: start, configuration: configuration, mailbox: shared,
        onEvent: onEvent
      ).startThread()
    } catch {
      store.discard(id, on: day)
      throw error
    }
  }

  private static func checkSpace(
    _ folder: borrowing ArchiveFolder, _ configuration: ArchiveConfiguration
  ) throws(ArchiveError) {
    let required = configuration.minimumFreeBytes
    guard let available = DiskSpace.available(folder.directory), available < required else { return }
    throw .notEnoughSpace(available: available, required: required)
  }

  /// Adds a stream and returns where its frames go: sound from one thread, pictures from one thread.
  ///
  /// The file is made when the first frame comes, of whatever kind, and a track when its first frame comes. Pictures
  /// start with the first key frame.
  ///
  /// - Parameters:
  ///   - streamID: becomes the file's name, so it has to be like an ``ArchiveID``.
  ///   - requestKeyFrame: called on the archive's thread, at most once a second; must not block.
  public func addStream(
    streamID: String, connectionData: String = "", hasAudio: Bool, hasVideo: Bool,
    requestKeyFrame: @escaping @Sendable () -> Void
  ) throws(ArchiveError) -> FrameInbox {
    guard streamID.isSafeIdentifier else { throw .invalidName(streamID) }
    let inbox: FrameInbox
    do {
      inbox = try FrameInbox(
        audioBytes: hasAudio ? configuration.audioRingBytes : 0,
        videoBytes: hasVideo ? configuration.videoRingBytes : 0)
    } catch {
      throw .system(error)
    }
    try shared.add(
      ArchiveStreamRequest(
        streamID: streamID, connectionData: connectionData, hasVideo: hasVideo, inbox: inbox,
        requestKeyFrame: requestKeyFrame))
    return inbox
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
