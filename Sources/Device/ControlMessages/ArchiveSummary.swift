/// One archive as lists show it.
public struct ArchiveSummary: Codable, Sendable, Hashable {
  public var archiveID: String
  /// What people call it; may be empty.
  public var name: String
  public var sessionID: String
  /// `started`, `stopped`, `failed` …, as OpenTok names them.
  public var status: String
  public var reason: String
  /// Milliseconds since 1970.
  public var createdAt: Int64
  /// Seconds.
  public var duration: Int64
  /// Bytes.
  public var size: Int64
  public var hasAudio: Bool
  public var hasVideo: Bool
  /// Whether it is kept from deletion.
  public var isLocked: Bool
  /// Whether an object store has all of it; absent from a daemon that does not report it.
  public var isUploaded: Bool?
  /// The folder that holds it.
  public var path: String?
  /// Who called; nil for a recording of the device alone.
  public var callerID: String?
  /// Whom the device called; nil for calls that came in, and from a daemon that does not report it.
  public var receiverID: String?
  /// The recording plans that it was recorded for; absent for calls and what was started manually.
  public var plans: [String]?

  public init(
    archiveID: String, name: String = "", sessionID: String, status: String, reason: String, createdAt: Int64,
    duration: Int64, size: Int64, hasAudio: Bool, hasVideo: Bool, isLocked: Bool = false, path: String? = nil,
    callerID: String? = nil
  ) {
    self.archiveID = archiveID
    self.name = name
    self.sessionID = sessionID
    self.status = status
    self.reason = reason
    self.createdAt = createdAt
    self.duration = duration
    self.size = size
    self.hasAudio = hasAudio
    self.hasVideo = hasVideo
    self.isLocked = isLocked
    self.path = path
    self.callerID = callerID
  }
}

/// What reading an archive through has shown.
public struct ArchiveReport: Codable, Sendable, Hashable {
  public var archiveID: String
  /// One sentence each; none when the archive is sound.
  public var problems: [String]
  /// What harms nothing and should be known, such as files that others put there; nil for nothing.
  public var notes: [String]?

  public init(archiveID: String, problems: [String], notes: [String] = []) {
    self.archiveID = archiveID
    self.problems = problems
    self.notes = notes.isEmpty ? nil : notes
  }
}
