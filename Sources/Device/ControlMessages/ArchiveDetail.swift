/// Everything about one archive that is known without reading it through.
public struct ArchiveDetail: Codable, Sendable, Hashable {
  public var archive: ArchiveSummary
  /// Whether the device's clock could be trusted when it began.
  public var clockSynchronized: Bool
  public var callerID: String?
  /// The policy rule that had it recorded.
  public var policyRule: String?
  /// The recording plans that it was recorded for; absent for calls and what was started manually.
  public var plans: [String]?
  /// Of a time-lapse: milliseconds from one frame to the next when it was recorded.
  public var timeLapseInterval: Int64?
  /// Whether it is being recorded, repaired or exported.
  public var isInUse: Bool
  public var files: [ArchiveFileDetail]
  /// Other files in the folder, such as `track.gpx`.
  public var otherFiles: [String]
  /// One sentence each about what is wrong at a pollInterval.
  public var problems: [String]

  public init(
    archive: ArchiveSummary, clockSynchronized: Bool, callerID: String?, policyRule: String?, isInUse: Bool,
    files: [ArchiveFileDetail], otherFiles: [String], problems: [String]
  ) {
    self.archive = archive
    self.clockSynchronized = clockSynchronized
    self.callerID = callerID
    self.policyRule = policyRule
    self.isInUse = isInUse
    self.files = files
    self.otherFiles = otherFiles
    self.problems = problems
  }
}

/// One media file of an archive.
public struct ArchiveFileDetail: Codable, Sendable, Hashable {
  public var filename: String
  /// Whose it is: `device`, `caller`, `receiver`, or the name of a further camera. Segments of a stream share it.
  public var streamID: String
  /// The name of the further camera that it shows; absent for all others.
  public var camera: String?
  public var connectionData: String
  /// Bytes on the disk; absent if the file is missing.
  public var size: Int64?
  /// Milliseconds from the archive's start.
  public var startTimeOffset: Int64
  public var stopTimeOffset: Int64
  public var tracks: [ArchiveTrackDetail]

  public init(
    filename: String, streamID: String, connectionData: String, size: Int64?, startTimeOffset: Int64,
    stopTimeOffset: Int64, tracks: [ArchiveTrackDetail]
  ) {
    self.filename = filename
    self.streamID = streamID
    self.connectionData = connectionData
    self.size = size
    self.startTimeOffset = startTimeOffset
    self.stopTimeOffset = stopTimeOffset
    self.tracks = tracks
  }
}

/// One track of a file.
public struct ArchiveTrackDetail: Codable, Sendable, Hashable {
  /// As Matroska names it: `V_VP8`, `A_OPUS`.
  public var codec: String
  /// Pixels of the first frame.
  public var width: Int?
  public var height: Int?
  public var channels: Int?

  public init(codec: String, width: Int? = nil, height: Int? = nil, channels: Int? = nil) {
    self.codec = codec
    self.width = width
    self.height = height
    self.channels = channels
  }
}

/// What a repair did.
public struct ArchiveRepairResult: Codable, Sendable, Hashable {
  public var archiveID: String
  /// One sentence each; none when the archive was whole.
  public var changes: [String]
  /// What was left alone; nil for nothing.
  public var notes: [String]?

  public init(archiveID: String, changes: [String], notes: [String] = []) {
    self.archiveID = archiveID
    self.changes = changes
    self.notes = notes.isEmpty ? nil : notes
  }
}
