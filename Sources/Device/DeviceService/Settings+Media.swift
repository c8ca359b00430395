import Archive
import CallEngine
import CallPolicy
import DeviceConfiguration
import DeviceMedia
import AudioProcessing
import EventRules
import Glibc
import MediaCore
import MediaPipeline
import MediaPlaneAPI
import NetworkLoop
import PeerSession
import VideoOverlay
import Signalling

extension EventNeed {
  /// What has to be captured all the time for a source of events.
  fileprivate var watchedMedium: MediaKind? {
    switch self {
    case .camera: .video
    case .microphone: .audio
    case .positions, .sensors, .lines: nil
    }
  }
}

extension DeviceConfiguration {
  /// What the media side decides by.
  var mediaConfiguration: DeviceMediaConfiguration {
    var media = DeviceMediaConfiguration(
      pipeline: pipelineConfiguration, speaker: audio.speaker.selection, preRoll: TimeSpan(archive.preRoll),
      archiveFloor: archive.minimumBitrate, callerMaximumBitrate: archive.callerMaximumBitrate)
    media.answerSound = sounds.answered
    media.keptPreRoll = keptPreRoll
    media.watched = watchedMedia
    return media
  }

  /// What the media side takes over while it runs.
  var mediaChanges: DeviceMediaChanges {
    var changes = DeviceMediaChanges()
    (changes.keptPreRoll, changes.plans) = (keptPreRoll, archiveLimits.plans)
    (changes.watched, changes.watchedCameras) = (watchedMedia, watchedCameras)
    return changes
  }

  /// What sources of events watch of the main camera, and whether they listen.
  private var watchedMedia: Set<MediaKind> {
    Set(events.sources.filter { $0.camera == nil }.compactMap(\.need.watchedMedium))
  }

  /// The names of the further cameras that sources of events watch.
  var watchedCameras: Set<String> { Set(events.sources.compactMap(\.camera)) }

  /// - Parameter cname: names this device in RTCP; random for each run.
  func networkConfiguration(cname: String) -> NetworkLoopConfiguration {
    var loop = NetworkLoopConfiguration(
      addresses: network.boundAddresses, cname: cname, sendLimit: sendLimit,
      transportPolicy: network.transportPolicy == .relay ? .relay : .all, turnAuthorityFile: network.turnAuthorityFile)
    loop.receiveLimit = archive.callerMaximumBitrate
    // That of the mosaic is one more.
    loop.furtherSources = cameras.isEmpty ? 0 : cameras.count + 1
    return loop
  }

  /// With the largest of the videos that a session may see.
  private var sendLimit: Bitrate {
    var pipeline = pipelineConfiguration
    pipeline.videoBitrate = cameras.reduce(pipeline.videoBitrate) { max($0, $1.video.bitrate) }
    return pipeline.sendLimit
  }

  /// - Parameters:
  ///   - evidence: what archives' evidence is made with; nil makes none.
  ///   - clock: by which archives become too old.
  ///   - observe: notified of each archive's life.
  func diskArchives(
    evidence: ArchiveEvidence?, clock: RetentionClock, observe: @escaping @Sendable (ArchiveEvent) -> Void
  ) -> DiskArchives {
    DiskArchives(
      store: ArchiveStore(root: archive.directory, evidence: evidence),
      configuration: ArchiveConfiguration(
        minimumFreeBytes: UInt64(clamping: archive.minimumFree), segmentDuration: archive.segment.map { TimeSpan($0) }),
      limits: archiveLimits, clock: clock, observe: observe)
  }

  private var pipelineConfiguration: MediaPipelineConfiguration {
    var pipeline = video.pipelineConfiguration
    pipeline.microphone = audio.microphone.selection
    (pipeline.audioBitrate, pipeline.channels) = (audio.bitrate, audio.channels)
    pipeline.usesDiscontinuousTransmission = audio.usesDiscontinuousTransmission
    pipeline.echoControl = audio.echoControl
    pipeline.privacyAreas = privacyMasks.compactMap { mask in
      switch mask.camera {
      case nil: PrivacyArea(mask.zone)
      // The only one is covered whatever `auto` finds.
      case .main(let source): PrivacyArea(mask.zone, camera: video.cameras.count > 1 ? source.selection : nil)
      case .further: nil
      }
    }
    return pipeline
  }

  /// What the engine needs of configuration and policy.
  func engineSettings(policy: CallPolicy) -> EngineSettings {
    var settings = EngineSettings(
      title: identity.title, policy: policy,
      location: LocationPublisher.Settings(
        isEnabled: location.isEnabled, fixed: location.staticLocation, precision: location.precision),
      hasAudio: audio.microphone != .none, hasVideo: video.hasCamera, maximumSessions: calls.maximumSessions)
    settings.plans = recordingPlans
    settings.cameras = cameras.isEmpty ? [] : viewNames
    return settings
  }
}

extension StampedPosition {
  init(_ location: UserLocation) { self.init(latitude: location.latitude, longitude: location.longitude) }
}

extension OverlaySettings {
  func makeOverlay() -> FrameOverlay {
    FrameOverlay(
      FrameOverlaySettings(
        title: titleCodes, showsTime: showsTime, showsPosition: showsPosition, corner: corner, size: size))
  }
}

extension SoundSettings {
  var files: EventSoundFiles {
    EventSoundFiles(ringing: ringSound, recording: recording, ended: ended, refused: refused, action: action)
  }

  private var ringSound: RingSound? {
    switch ringing {
    case .tone: .tone
    case .announcement(let announcement): .announcement(announcement)
    case .none: nil
    }
  }

  /// What samples are multiplied by.
  var gain: Float { pow(10, Float(volume) / 20) }
}

extension ArchiveSettings {
  var limits: ArchiveLimits {
    ArchiveLimits(
      maximumTotal: maximumTotal == 0 ? nil : UInt64(clamping: maximumTotal),
      minimumFree: UInt64(clamping: minimumFree), maximumAge: maximumAge.map { TimeSpan($0) })
  }
}

extension NetworkSettings {
  /// Without a list of addresses every interface is offered.
  fileprivate var boundAddresses: [TransportAddress] {
    addresses ?? [TransportAddress(ipv4: 0, port: port), TransportAddress(ipv6: 0, 0, port: port)]
  }
}

extension VideoSettings {
  /// Without sound and masks.
  var pipelineConfiguration: MediaPipelineConfiguration {
    var configuration = MediaPipelineConfiguration(
      cameras: cameras.map(\.selection), pixelFormat: pixelFormat, microphone: .none, width: width, height: height,
      frameRate: frameRate, videoBitrate: bitrate, temporalLayers: temporalLayers)
    configuration.cameraControls = CameraControls(
      input: input, standard: standard.map(\.control), powerLine: powerLineFrequency.map(\.control))
    return configuration
  }
}

extension VideoStandard {
  fileprivate var control: CameraControls.Standard {
    switch self {
    case .pal: .pal
    case .ntsc: .ntsc
    case .secam: .secam
    }
  }
}

extension PowerLineFrequency {
  fileprivate var control: CameraControls.PowerLine {
    switch self {
    case .hertz50: .hertz50
    case .hertz60: .hertz60
    case .automatic: .automatic
    case .off: .off
    }
  }
}

extension CameraSource {
  var selection: VideoSourceSelection {
    switch self {
    case .automatic: .automatic
    case .device(let path): .camera(path: path)
    case .file(let path, let repeats): .file(path: path, repeats: repeats)
    case .testBars: .testBars
    case .none: .none
    }
  }
}

extension MicrophoneSource {
  fileprivate var selection: AudioSourceSelection {
    switch self {
    case .automatic: .automatic
    case .device(let name): .device(name)
    case .file(let path, let repeats): .file(path: path, repeats: repeats)
    case .testTone: .testTone(frequency: 1_000)
    case .none: .none
    }
  }
}

extension AudioSettings {
  /// A loudspeaker that no microphone picks up costs nothing but this.
  var cancelsEcho: Bool { echoCancellation != .off && speaker != .none }

  fileprivate var echoControl: EchoControlSettings {
    var settings = EchoControlSettings()
    settings.duplex = echoCancellation == .halfDuplex ? .half : .full
    settings.noiseReduction = Float(noiseReduction)
    settings.speechLevel = speechLevel.map { Float($0) }
    return settings
  }
}

extension SpeakerSink {
  fileprivate var selection: SpeakerSelection {
    switch self {
    case .automatic: .automatic
    case .device(let name): .device(name)
    case .none: .none
    }
  }
}
