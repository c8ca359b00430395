public import MediaCore
public import Signalling

extension ArchiveManifest {
  public init(
    id: ArchiveID, details: ArchiveDetails, createdAt: Int64, clockSynchronized: Bool, status: ArchiveStatus = .started
  ) {
    self.init(
      id: id, sessionId: details.sessionID, createdAt: createdAt, clockSynchronized: clockSynchronized, status: status,
      hasAudio: details.hasAudio, hasVideo: details.hasVideo)
    name = details.name
    callerID = details.callerID
    callerTitle = details.callerTitle
    policyRule = details.policyRule
    plans = details.plans.isEmpty ? nil : details.plans
    timeLapseInterval = details.timeLapse?.interval.milliseconds
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
  public var callerTitle: String?
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
