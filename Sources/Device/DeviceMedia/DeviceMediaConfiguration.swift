public import Archive
public import MediaCore
public import MediaPipeline

/// What the device's media side is made of.
public struct DeviceMediaConfiguration: Sendable {
  public var pipeline: MediaPipelineConfiguration
  public var speaker: SpeakerSelection
  /// Where the UDP sockets are bound; a wildcard host means every interface.
  public var addresses: [TransportAddress]
  public var archive: ArchiveConfiguration
  public var archiveRoot: String
  /// While pictures are recorded they are encoded with this at least, whatever the callers' paths take.
  public var archiveFloor: Bitrate
  /// Names this device in RTCP and archives; random for each run.
  public var cname: String

  public init(
    pipeline: MediaPipelineConfiguration, speaker: SpeakerSelection, addresses: [TransportAddress],
    archive: ArchiveConfiguration, archiveRoot: String, archiveFloor: Bitrate = .kilobits(150),
    cname: String
  ) {
    self.pipeline = pipeline
    self.speaker = speaker
    self.addresses = addresses
    self.archive = archive
    self.archiveRoot = archiveRoot
    self.archiveFloor = archiveFloor
    self.cname = cname
  }
}
