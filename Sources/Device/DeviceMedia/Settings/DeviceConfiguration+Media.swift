public import Archive
public import DeviceConfiguration
import MediaCore
import MediaPipeline
import MediaPlaneAPI
public import NetworkLoop
public import TLSClient
import PeerSession
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
  public var mediaConfiguration: DeviceMediaConfiguration {
    var media = DeviceMediaConfiguration(
      pipeline: pipelineConfiguration, speaker: audio.speaker.selection, preRoll: TimeSpan(archive.preRoll),
      archiveFloor: archive.minimumBitrate, callerMaximumBitrate: archive.callerMaximumBitrate)
    media.answerSound = sounds.answered
    media.keptPreRoll = keptPreRoll
    media.watched = watchedMedia
    return media
  }

  /// What the media side takes over while it runs.
  public var mediaChanges: DeviceMediaChanges {
    var changes = DeviceMediaChanges()
    (changes.keptPreRoll, changes.plans) = (keptPreRoll, archiveLimits.plans)
    (changes.watched, changes.watchedCameras) = (watchedMedia, watchedCameras)
    changes.sources = pipelineConfiguration.sources
    for camera in cameras { changes.furtherSources[camera.name] = camera.selection }
    return changes
  }

  /// What sources of events watch of the main camera, and whether they listen.
  private var watchedMedia: Set<MediaKind> {
    Set(events.sources.filter { $0.camera == nil }.compactMap(\.need.watchedMedium))
  }

  /// The names of the further cameras that sources of events watch.
  var watchedCameras: Set<String> { Set(events.sources.compactMap(\.camera)) }

  /// - Parameter cname: names this device in RTCP; random for each run.
  public func networkConfiguration(cname: String, route: ProxyRoute = .direct) -> NetworkLoopConfiguration {
    var loop = NetworkLoopConfiguration(
      addresses: network.boundAddresses, cname: cname, sendLimit: sendLimit,
      transportPolicy: network.transportPolicy == .relay ? .relay : .all, turnAuthorityFile: network.turnAuthorityFile)
    loop.route = route
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
  public func diskArchives(
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
}

extension NetworkSettings {
  /// Without a list of addresses every interface is offered.
  fileprivate var boundAddresses: [TransportAddress] {
    addresses ?? [TransportAddress(ipv4: 0, port: port), TransportAddress(ipv6: 0, 0, port: port)]
  }
}
