public import Archive
public import MediaCore
public import MediaPipeline
public import MediaPlaneAPI
public import NetworkLoop
public import PeerSession
public import RealtimeRuntime
public import Signalling

/// What ``DeviceMedia`` puts together.
public struct DeviceMediaDependencies: Sendable {
  public var pipeline: any CapturePipeline
  /// Where `pipeline` publishes its frames.
  public var bus: FrameBus
  /// Those beside the one that `pipeline` captures.
  public var cameras: [FurtherCamera] = []
  /// All of them in one frame; nil where there is only one.
  public var mosaic: Mosaic?
  /// With one more source of video for each of ``cameras``, and one for ``mosaic``.
  public var network: any SessionNetwork
  public var archives: any ArchiveDisk
  public var makePlayout: PlayoutMaking
  public var clock: MediaClock
  /// Reads a sound file away from the shared pool.
  public var loadSound: SoundLoading
  /// Probes unused devices; nil leaves that out.
  public var probe: DeviceProbing?

  public init(
    pipeline: any CapturePipeline, bus: FrameBus, network: any SessionNetwork, archives: any ArchiveDisk,
    clock: MediaClock = .system, probe: DeviceProbing? = nil, loadSound: @escaping SoundLoading,
    makePlayout: @escaping PlayoutMaking
  ) {
    self.pipeline = pipeline
    self.bus = bus
    self.network = network
    self.archives = archives
    self.clock = clock
    self.probe = probe
    self.loadSound = loadSound
    self.makePlayout = makePlayout
  }
}

/// Captures and encodes; see ``MediaPipeline`` for what each call means.
public protocol CapturePipeline: Sendable {
  var events: AsyncStream<MediaPipelineEvent> { get }
  var statistics: MediaPipelineStatistics { get }
  func start(_ kinds: Set<MediaKind>) throws
  func stop(_ kinds: Set<MediaKind>)
  func setSources(_ sources: MediaSources) throws
  func swapCamera() throws
  func requestKeyFrame()
  func setKeyFrameInterval(_ interval: TimeSpan?)
  func setVideoBitrate(_ bitrate: Bitrate)
  func setExpectedLoss(percent: Int)
  func setMixes(_ mixes: [MixMinus])
  func setMuted(_ isMuted: Bool, _ kind: MediaKind)
}

/// Carries sessions; see ``NetworkLoop`` for what each call means.
public protocol SessionNetwork: Sendable {
  var localFrames: FrameInbox { get }
  var furtherFrames: [FrameInbox] { get }
  /// In order, and none is dropped.
  var events: AsyncStream<NetworkEvent> { get }
  var readings: LatestValues<SessionHandle, SessionReading> { get }
  var notices: AsyncStream<NetworkNotice> { get }
  var progress: UInt64 { get }

  func answer(
    session: SessionHandle, offer: String, publish: Set<MediaKind>, subscribe: Set<MediaKind>,
    servers: [ICEServer]
  ) async throws -> LocalDescription
  func offer(session: SessionHandle, publish: Set<MediaKind>, subscribe: Set<MediaKind>) async throws
    -> LocalDescription
  func wholeOffer(
    session: SessionHandle, publish: Set<MediaKind>, subscribe: Set<MediaKind>, servers: [ICEServer]
  ) async throws -> LocalDescription
  func accept(answer: String, session: SessionHandle) async throws -> LocalDescription
  func renegotiate(offer: String, session: SessionHandle) async throws -> LocalDescription
  func addServers(_ servers: [ICEServer], session: SessionHandle)
  func addRemoteCandidates(_ candidates: [String], session: SessionHandle)
  func hangUp(session: SessionHandle)

  func requestKeyFrame(session: SessionHandle)
  func setVideoLayers(_ count: Int, session: SessionHandle)
  func setVideoSource(_ source: Int, session: SessionHandle)
  func addRecorder(_ inbox: FrameInbox, session: SessionHandle)
  func removeRecorder(_ inbox: FrameInbox, session: SessionHandle)
  func setMix(_ mix: UInt8, session: SessionHandle)
  func setPlayout(_ queue: ReceivedSoundQueue?, session: SessionHandle)
  func statistics() async -> [SessionHandle: PeerSessionStatistics]
  func stop()
}

/// Where archives lie.
public protocol ArchiveDisk: Sendable {
  var root: String { get }
  /// Why archives cannot be written as they should; nil if all is well.
  var problem: String? { get }

  /// Begins an archive. Takes as long as the disk does, and blocks nothing else.
  ///
  /// - Parameters:
  ///   - isLimited: it may take a share of the room alone.
  ///   - onEvent: called on a thread of the archive's own, in order.
  func open(
    _ id: ArchiveID, details: ArchiveDetails, isLimited: Bool, onEvent: @escaping @Sendable (ArchiveEvent) -> Void
  ) async throws -> any ArchiveRecording

  func makePreRoll(span: TimeSpan, requestKeyFrame: @escaping @Sendable () -> Void) throws -> PreRoll

  /// Begins to keep the archives within their limits.
  ///
  /// - Parameter report: called on any thread.
  func startRetention(_ report: @escaping @Sendable (DeviceNotice) -> Void) throws -> any ArchiveRetaining
}

/// One archive that is recorded; see ``ArchiveRecorder``.
public protocol ArchiveRecording: Sendable {
  var id: ArchiveID { get }
  var statistics: ArchiveStatistics { get }
  func addStream(
    _ description: ArchiveStreamDescription, preRoll: PreRoll?, requestKeyFrame: @escaping @Sendable () -> Void
  ) throws -> FrameInbox
  func addPosition(_ fix: PositionFix, capturedAt: MonotonicInstant)
  func stop(reason: String) async -> ArchiveManifest
}

/// Deletes old archives; see ``RetentionThread``.
public protocol ArchiveRetaining: Sendable {
  func recordingStarted()
  func recordingEnded()
  func recordingFailed()
  /// How long the archives of recording plans are kept from now on.
  func setPlans(_ plans: [String: PlanLimits])
  /// What the archives and their disk hold, as of the last survey; nil before that.
  var usage: ArchiveUsage? { get }
  func stop() async
}

/// Plays the parties' sound; see ``AudioPlayout``.
public protocol Playout: Sendable {
  var statistics: AudioPlayoutStatistics { get }
  func addTalker() throws -> PlayoutSource
  func remove(_ talker: PlayoutSource)
  func announce(_ clip: SoundClip) throws
  func setRing(_ clip: SoundClip?) throws
  func setMuted(_ isMuted: Bool)
  func stop()
}

/// Makes the playout. Its events come from any thread.
public typealias PlayoutMaking = @Sendable (_ onEvent: @escaping @Sendable (AudioPlayoutEvent) -> Void) -> any Playout

/// Reads or synthesizes a sound.
public typealias SoundLoading = @Sendable (Announcement) async throws -> SoundClip

extension DeviceMediaDependencies {
  /// What is probed while unused; each further camera by itself, since a driver may block the probe.
  var idleDevices: [[IdleDeviceWatch.Device]] {
    let own = probe.map { probe in
      MuteTarget.allCases.map { target in IdleDeviceWatch.Device(target: target) { await probe(target) } }
    }
    let further = cameras.compactMap { camera in
      camera.probe.map { [IdleDeviceWatch.Device(target: .camera, camera: camera.name, probe: $0)] }
    }
    return [own].compactMap(\.self) + further
  }

  /// What is played in a loop while a call rings; nil for silence.
  func clip(of sound: RingSound?) async throws -> SoundClip? {
    switch sound {
    case .none: nil
    case .tone: .ring
    case .announcement(let announcement): try await loadSound(announcement)
    }
  }
}

/// The device has no loudspeaker.
public struct NoSpeaker: Error, CustomStringConvertible {
  public var description: String {
    "this device has no loudspeaker: speaker is \"none\" in [audio] of its configuration"
  }
}

/// Says why an unused device cannot work, and what to do about it; nil if nothing speaks against it. Opens none for
/// media.
public typealias DeviceProbing = @Sendable (MuteTarget) async -> String?

extension MediaPipeline: CapturePipeline {}
extension NetworkLoop: SessionNetwork {}
extension ArchiveRecorder: ArchiveRecording {}
extension RetentionThread: ArchiveRetaining {
  public func stop() async { await stop(atMost: .seconds(5)) }
}
extension AudioPlayout: Playout {}
