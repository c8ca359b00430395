public import MediaCore
public import Signalling

/// What `archive.json` says: OpenTok's individual-stream manifest, the archive object's fields, and ours.
public struct ArchiveManifest: Codable, Hashable, Sendable {
  /// One file of a stream. A long stream has several, each beginning where the one before ends.
  public struct File: Codable, Hashable, Sendable {
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
  }

  public var id: ArchiveID
  public var name: String
  public var sessionId: String
  /// Milliseconds since 1970 UTC by the device's clock; see `clockSynchronized`.
  public var createdAt: Int64
  public var files: [File] = []

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
  public var policyRule: String?
  /// The recording plans for which the device recorded itself; nil for calls, and for what was started manually.
  public var plans: [String]?
  /// Of a time-lapse: milliseconds from one frame to the next when it was recorded. Offsets and duration are those of
  /// playing it.
  public var timeLapseInterval: Int64?
  /// Whether the kernel called the wall clock synchronised when the recording started, or since: `createdAt` is
  /// corrected then. The folder stays in the day under which it was made.
  public var clockSynchronized: Bool

  public init(
    id: ArchiveID, details: ArchiveDetails, createdAt: Int64, clockSynchronized: Bool, status: ArchiveStatus = .started
  ) {
    self.id = id
    self.name = details.name
    self.sessionId = details.sessionID
    self.createdAt = createdAt
    self.status = status
    self.hasAudio = details.hasAudio
    self.hasVideo = details.hasVideo
    self.callerID = details.callerID
    self.policyRule = details.policyRule
    self.plans = details.plans.isEmpty ? nil : details.plans
    self.timeLapseInterval = details.timeLapse?.interval.milliseconds
    self.clockSynchronized = clockSynchronized
  }

  /// Makes the archive's totals agree with its files.
  mutating func updateTotals() {
    size = files.reduce(0) { $0 &+ $1.size }
    duration = ((files.map(\.stopTimeOffset).max() ?? 0) &+ 500) / 1000
  }

  /// When it ended by the device's clock, in milliseconds since 1970; of a time-lapse to within half a second's frames.
  public var endedAt: Int64 {
    let played = duration.saturatingMultiplied(by: 1_000)
    let recorded = timeLapseInterval.map { TimeLapse(interval: .milliseconds($0)).recorded(milliseconds: played) }
    return createdAt.saturatingAdding(recorded ?? played)
  }

  /// Ends a recording that was cut short, once its files are whole. Without any file there is nothing to be played.
  mutating func concludeInterruption() {
    status = files.isEmpty ? .failed : .available
    reason = files.isEmpty ? "interrupted before anything was recorded" : "recovered"
    updateTotals()
  }
}

/// What an archive is of.
public struct ArchiveDetails: Hashable, Sendable {
  public var name: String
  public var sessionID: String
  public var callerID: String?
  public var policyRule: String?
  public var hasAudio: Bool
  public var hasVideo: Bool
  public var plans: [String] = []
  /// Where it has other segments than all archives.
  public var segmentDuration: TimeSpan?
  public var timeLapse: TimeLapse?

  public init(
    name: String = "", sessionID: String, callerID: String? = nil, policyRule: String? = nil, hasAudio: Bool = true,
    hasVideo: Bool = true
  ) {
    self.name = name
    self.sessionID = sessionID
    self.callerID = callerID
    self.policyRule = policyRule
    self.hasAudio = hasAudio
    self.hasVideo = hasVideo
  }
}
