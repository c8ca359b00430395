public import Archive
public import MediaCore
public import MediaPipeline

/// What the device's media side is made of.
public struct DeviceMediaConfiguration: Sendable {
  public var pipeline: MediaPipelineConfiguration
  public var speaker: SpeakerSelection
  /// Where the UDP sockets are bound; a wildcard host means every interface.
  public var addresses: [TransportAddress]
  /// Callers learn no address of this device: media goes through TURN servers alone.
  public var isRelayOnly: Bool
  /// A PEM file of authorities that are trusted besides the system's when a TURN server is reached over TLS.
  public var turnAuthorityFile: String?
  public var archive: ArchiveConfiguration
  public var archiveRoot: String
  /// What all archives together may take.
  public var limits: ArchiveLimits
  /// How much of what came before a recording it contains; zero keeps nothing, and closes the devices when nobody wants
  /// them.
  public var preRoll: TimeSpan
  /// While pictures are recorded they are encoded with this at least, whatever the callers' paths take.
  public var archiveFloor: Bitrate
  /// What the other party of a call may bring into an archive on average.
  public var callerMaximumBitrate = Bitrate.kilobits(2_500)
  /// Names this device in RTCP and archives; random for each run.
  public var cname: String

  public init(
    pipeline: MediaPipelineConfiguration, speaker: SpeakerSelection, addresses: [TransportAddress],
    isRelayOnly: Bool = false, turnAuthorityFile: String? = nil, archive: ArchiveConfiguration, archiveRoot: String,
    limits: ArchiveLimits = ArchiveLimits(), preRoll: TimeSpan = .zero, archiveFloor: Bitrate = .kilobits(150),
    cname: String
  ) {
    self.pipeline = pipeline
    self.speaker = speaker
    self.addresses = addresses
    self.isRelayOnly = isRelayOnly
    self.turnAuthorityFile = turnAuthorityFile
    self.archive = archive
    self.archiveRoot = archiveRoot
    self.limits = limits
    self.preRoll = preRoll
    self.archiveFloor = archiveFloor
    self.cname = cname
  }
}
