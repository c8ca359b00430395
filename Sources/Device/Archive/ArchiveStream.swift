import MediaCore
import RealtimeRuntime
import WebM

/// One stream of an archive: takes frames out of its inbox and puts clusters into its file.
///
/// Confined to the archive's thread.
final class ArchiveStream {
  let inbox: FrameInbox
  private(set) var entry: ArchiveManifest.File
  private var writer: WebMWriter
  private var file: ArchiveFile?
  private var gate = VideoGate()
  private var undecodable = 0
  private var longestWrite = TimeSpan.zero
  /// When the last frame of each kind was captured, indexed by `MediaKind.rawValue`.
  private var lastTaken = [MonotonicInstant](repeating: MonotonicInstant(nanoseconds: 0), count: 2)
  private let announcesVideo: Bool
  private let requestKeyFrame: @Sendable () -> Void

  init(_ request: ArchiveStreamRequest, writer: WebMWriter) {
    inbox = request.inbox
    announcesVideo = request.hasVideo
    requestKeyFrame = request.requestKeyFrame
    self.writer = writer
    entry = ArchiveManifest.File(
      streamId: request.streamID, connectionData: request.connectionData, filename: request.streamID + ".webm",
      size: 0, startTimeOffset: 0, stopTimeOffset: 0, videoType: nil)
  }

  /// Whether the file has been made.
  private(set) var hasFile = false

  var statistics: ArchiveStatistics {
    var statistics = ArchiveStatistics()
    statistics.streams = 1
    statistics.audioFrames = writer.statistics.audioFrames
    statistics.videoFrames = writer.statistics.videoFrames
    statistics.droppedFrames = inbox.audio.dropped + inbox.video.dropped + undecodable + writer.statistics.refused
    statistics.byteCount = writer.fileByteCount
    statistics.longestWriteMilliseconds = longestWrite.milliseconds
    return statistics
  }

  /// Takes what is in the inbox and stores what is due.
  func drain(in folder: borrowing ArchiveFolder) throws(ArchiveError) {
    while let kind = nextKind {
      take(kind, now: MonotonicClock.now())
      try storeOutput(in: folder)
    }
    try storeOutput(in: folder)
    if announcesVideo, gate.needsRequest(now: MonotonicClock.now()) { requestKeyFrame() }
  }

  /// Stores the rest and finishes the file.
  func finish(in folder: borrowing ArchiveFolder) throws(ArchiveError) {
    try drain(in: folder)
    writer.finish()
    try storeOutput(in: folder)
  }

  /// The kind that is behind, so that a backlog of both comes out in order.
  private var nextKind: MediaKind? {
    switch (inbox.audio.isEmpty, inbox.video.isEmpty) {
    case (true, true): nil
    case (false, true): .audio
    case (true, false): .video
    case (false, false): lastTaken[0] <= lastTaken[1] ? .audio : .video
    }
  }

  private func take(_ kind: MediaKind, now: MonotonicInstant) {
    inbox.ring(for: kind).popFirst { header, payload in
      lastTaken[Int(kind.rawValue)] = header.timestamp
      guard kind == .audio || gate.admits(header) else {
        undecodable += 1
        return
      }
      writer.push(header, payload: payload, now: now)
    }
  }

  private func storeOutput(in folder: borrowing ArchiveFolder) throws(ArchiveError) {
    while true {
      let start = MonotonicClock.now()
      switch writer.nextOutput(now: start) {
      case .nothing: return
      case .append: try append(in: folder)
      case .write(let offset):
        try writer.withOutput { (bytes) throws(ArchiveError) in try file?.write(bytes, at: offset) }
      }
      longestWrite = max(longestWrite, MonotonicClock.now() - start)
    }
  }

  private func append(in folder: borrowing ArchiveFolder) throws(ArchiveError) {
    let isNew = !hasFile
    if isNew {
      file = try ArchiveFile(creating: entry.filename, in: folder.directory)
      hasFile = true
    }
    try writer.withOutput { (bytes) throws(ArchiveError) in try file?.append(bytes) }
    if isNew { try folder.directory.sync() }
  }

  /// Lets go of the file, so that it can be repaired.
  func closeFile() { file = nil }

  /// What the manifest says of the stream now.
  ///
  /// - Parameter start: the archive's.
  func updatedEntry(since start: MonotonicInstant) -> ArchiveManifest.File {
    entry.startTimeOffset = max(0, ((writer.firstTimestamp ?? start) - start).milliseconds)
    entry.stopTimeOffset = entry.startTimeOffset + writer.durationMilliseconds
    entry.size = writer.fileByteCount
    entry.videoType = writer.hasTrack(.video) ? "camera" : nil
    return entry
  }
}

/// What a stream needs to be added to an archive.
struct ArchiveStreamRequest: Sendable {
  var streamID: String
  var connectionData: String
  var hasVideo: Bool
  var inbox: FrameInbox
  var requestKeyFrame: @Sendable () -> Void
}
