public import Archive
public import MediaCore
public import MediaPipeline

/// What the device's media side decides by.
public struct DeviceMediaConfiguration: Sendable {
  /// As the pipeline itself was made.
  public var pipeline: MediaPipelineConfiguration
  public var speaker: SpeakerSelection
  /// A WAV file in place of the two tones that announce a call near the device.
  public var answerSound: Announcement?
  /// What will be captured and where callers will be played, as of the start.
  public var sources: SourcePreview
  /// How much of what came before a recording it contains, unless it asks for something else.
  public var preRoll: TimeSpan
  /// While video is recorded it is encoded with this at least, whatever the callers' paths take.
  public var archiveFloor: Bitrate
  /// What the other party of a call may bring into an archive on average.
  public var callerMaximumBitrate: Bitrate
  /// How much is kept for those that ask for more than ``preRoll``, as plans on events do; see
  /// ``DeviceMediaChanges``.
  public var keptPreRoll = TimeSpan.zero
  /// What is kept; zero keeps nothing, and closes the devices when they are not wanted.
  var longestPreRoll: TimeSpan { max(preRoll, keptPreRoll) }
  /// What sources of events watch and listen to: captured all the time; see ``DeviceMediaChanges``.
  public var watched: Set<MediaKind> = []

  public init(
    pipeline: MediaPipelineConfiguration, speaker: SpeakerSelection, preRoll: TimeSpan = .zero,
    archiveFloor: Bitrate = .kilobits(150), callerMaximumBitrate: Bitrate = .kilobits(2_500)
  ) {
    self.pipeline = pipeline
    self.speaker = speaker
    sources = SourcePreview(pipeline, speaker: speaker)
    self.preRoll = preRoll
    self.archiveFloor = archiveFloor
    self.callerMaximumBitrate = callerMaximumBitrate
  }
}

/// What may be changed of the media side while it runs.
public struct DeviceMediaChanges: Sendable, Hashable {
  /// In place of ``DeviceMediaConfiguration/keptPreRoll``; what is in memory already stays.
  public var keptPreRoll = TimeSpan.zero
  /// In place of ``DeviceMediaConfiguration/watched``.
  public var watched: Set<MediaKind> = []
  /// The names of further cameras that sources of events watch.
  public var watchedCameras: Set<String> = []
  /// How long the archives of recording plans are kept, by the plans' names; those of before count, too.
  public var plans: [String: PlanLimits] = [:]
  /// Other programs in place of those that capture; nil for those of before.
  public var sources: MediaSources?
  /// The same of further cameras, by their names.
  public var furtherSources: [String: VideoSourceSelection] = [:]

  public init() {}
}
