/// Where the answers to the hub's requests come from. What is nil the hub may not have.
public struct RequestedContent: Sendable {
  public var archives: any ArchiveProviding
  public var snapshots: (any SnapshotProviding)?
  public var timeline: (any TimelineProviding)?
  public var recording: (any RecordingControl)?
  public var changes: (any ArchiveChanging)?

  public init(
    archives: any ArchiveProviding, snapshots: (any SnapshotProviding)? = nil,
    timeline: (any TimelineProviding)? = nil, recording: (any RecordingControl)? = nil,
    changes: (any ArchiveChanging)? = nil
  ) {
    self.archives = archives
    self.snapshots = snapshots
    self.timeline = timeline
    self.recording = recording
    self.changes = changes
  }
}
