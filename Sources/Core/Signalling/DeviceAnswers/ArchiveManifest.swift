/// What `archive.json` says, and what a device answers to `GET …/archives/{archiveID}`: OpenTok's individual-stream
/// manifest, the archive object's fields, and ours.
public struct ArchiveManifest: Codable, Hashable, Sendable {
  public var id: ArchiveID
  public var name = ""
  public var sessionId: String
  /// Milliseconds since 1970 UTC by the device's clock; see `clockSynchronized`.
  public var createdAt: Int64
  public var files: [ArchivedFile] = []

  public var status: ArchiveStatus
  /// Why it ended: `user initiated`, `session ended`, `recovered`, or what failed or interrupted it. Empty while it is
  /// recorded.
  public var reason = ""
  /// Seconds, rounded.
  public var duration: Int64 = 0
  /// Bytes of all files.
  public var size: UInt64 = 0
  public var hasAudio: Bool
  public var hasVideo: Bool
  public var outputMode = "individual"
  public var streamMode = "auto"

  public var callerID: String?
  /// The caller's title when the call began; nil for none, and in archives of earlier versions.
  public var callerTitle: String?
  public var policyRule: String?
  /// The recording plans for which the device recorded itself; nil for calls, and for what was started manually.
  public var plans: [String]?
  /// Of a time-lapse: milliseconds from one frame to the next when it was recorded. Offsets and duration are those of
  /// playing it.
  public var timeLapseInterval: Int64?
  /// In lists, and absent from devices of earlier versions and in `archive.json`: whether it is kept from deletion.
  public var isLocked: Bool?
  /// In lists: the first event that was noticed while it was recorded; nil where there was none, or the device shows none.
  public var event: ArchivedEvent?
  /// Whether the kernel called the wall clock synchronised when the recording started, or since: `createdAt` is
  /// corrected then. The folder stays in the day under which it was made.
  public var clockSynchronized: Bool

  /// Of an archive without files.
  public init(
    id: ArchiveID, sessionId: String, createdAt: Int64, clockSynchronized: Bool, status: ArchiveStatus, hasAudio: Bool,
    hasVideo: Bool
  ) {
    self.id = id
    self.sessionId = sessionId
    self.createdAt = createdAt
    self.clockSynchronized = clockSynchronized
    self.status = status
    self.hasAudio = hasAudio
    self.hasVideo = hasVideo
  }
}

/// What a list says of an event during which an archive was recorded.
public struct ArchivedEvent: Codable, Hashable, Sendable {
  public var id: String
  /// As in ``DetectedEvent``.
  public var kind: String
  public var source: String
  public var camera: String?

  public init(_ event: DetectedEvent) {
    (id, kind, source, camera) = (event.id, event.kind, event.source, event.camera)
  }
}

/// One file of a stream. A long stream has several, each beginning where the one before ends.
public struct ArchivedFile: Codable, Hashable, Sendable {
  public var streamId: String
  /// What the integrator attached to the connection.
  public var connectionData: String
  /// While it is recorded, the file may not exist yet.
  public var filename: String
  /// Bytes; 0 while it is being recorded.
  public var size: UInt64
  /// Milliseconds from the archive's start to the first and past the last frame.
  public var startTimeOffset: Int64
  public var stopTimeOffset: Int64
  /// `camera`, or `nil` for sound alone.
  public var videoType: String?
  /// The name of the further camera that it shows; `nil` for the device's own stream and other parties.
  public var camera: String?

  public init(
    streamId: String, connectionData: String, filename: String, size: UInt64, startTimeOffset: Int64,
    stopTimeOffset: Int64, videoType: String? = nil, camera: String? = nil
  ) {
    self.streamId = streamId
    self.connectionData = connectionData
    self.filename = filename
    self.size = size
    self.startTimeOffset = startTimeOffset
    self.stopTimeOffset = stopTimeOffset
    self.videoType = videoType
    self.camera = camera
  }
}
