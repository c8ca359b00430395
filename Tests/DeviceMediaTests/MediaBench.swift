import DeviceMedia
import SystemSupport
import MediaCore
import MediaPipeline
import MediaPlaneAPI
import NetworkLoop
import RealtimeRuntime
import Signalling

/// A `DeviceMedia` whose surroundings are fakes, in virtual time.
struct MediaBench {
  let clock = VirtualClock()
  let pipeline = FakePipeline()
  /// Those of further cameras, which are named as the cameras are.
  let cameras: [String: FakePipeline]
  /// Where those would publish.
  let buses: [String: FrameBus]
  let mosaic = FakePipeline()
  let network: FakeNetwork
  let disk = FakeDisk()
  let bus = FrameBus()
  let playout = FakePlayout()
  let events = EventLog()
  let media: DeviceMedia

  /// - Parameters:
  ///   - listens: whether the events are read from the start on.
  ///   - probe: looks at idle devices.
  ///   - watched: what sources of events look at and listen to.
  ///   - cameras: names of further ones.
  ///   - cameraProbes: look at those while they are idle.
  ///   - watchedCamera: one of those, at which a source of events looks.
  init(
    preRoll: TimeSpan = .zero, speaker: SpeakerSelection = .testNull, listens: Bool = true,
    probe: DeviceProbing? = nil, watched: Set<MediaKind> = [], camera: VideoSourceSelection = .testBars,
    cameras names: [String] = [], cameraProbes: [String: @Sendable () async -> String?] = [:],
    watchedCamera: String? = nil
  ) async throws {
    let playout = playout
    cameras = Dictionary(uniqueKeysWithValues: names.map { ($0, FakePipeline()) })
    buses = Dictionary(uniqueKeysWithValues: names.map { ($0, FrameBus()) })
    network = try FakeNetwork()
    var settings = DeviceMediaConfiguration(
      pipeline: MediaPipelineConfiguration(cameras: [camera], microphone: .testTone(frequency: 440)),
      speaker: speaker, preRoll: preRoll)
    settings.watched = watched
    var parts = DeviceMediaDependencies(
      pipeline: pipeline, bus: bus, network: network, archives: disk, clock: clock.mediaClock, probe: probe,
      loadSound: { announcement in
        guard case .file(let path) = announcement else { throw SoundClipError(description: "nobody speaks here") }
        return try SoundClip(path: path)
      }
    ) { onEvent in
      playout.state.withLock { $0.onEvent = onEvent }
      return playout
    }
    parts.cameras = names.map { [cameras, buses] name in
      FurtherCamera(
        name: name, source: "/dev/\(name)", pipeline: cameras[name]!, bus: buses[name]!, bitrate: .kilobits(500),
        isWatched: name == watchedCamera, probe: cameraProbes[name])
    }
    if !names.isEmpty { parts.mosaic = Mosaic(pipeline: mosaic, bus: FrameBus(), bitrate: .kilobits(600)) }
    media = DeviceMedia(configuration: settings, parts: parts)
    await media.start()
    if listens { events.listen(to: media) }
  }

  @discardableResult
  func answer(
    _ sessionID: SessionID = "a", publish: Set<MediaKind> = [.audio, .video], mayTalk: Bool = false,
    maxTalkers: Int = .max
  ) async throws -> String {
    try await media.begin(
      PeerSessionRequest(
        sessionID: sessionID, offer: "offer", publish: publish, mayTalk: mayTalk, maxTalkers: maxTalkers))
  }

  /// Returns the id, and the recorder that was made last.
  @discardableResult
  func record(_ sessionID: SessionID? = "a", hasVideo: Bool = true) async throws -> (
    id: ArchiveID, recorder: FakeRecorder
  ) {
    let id = try await media.startArchive(
      ArchiveDescription(sessionID: sessionID, callerID: "c", callerTitle: "Caller", hasVideo: hasVideo))
    return (id, disk.recorders.withLock { $0.last! })
  }

  /// Returns when the actor has taken what the network told before.
  func settleNetwork(_ marker: String = "settled \(UInt64.random(in: .min ... .max))") async -> Bool {
    _ = try? await answer("marker", publish: [])
    network.emit(.candidateGathered(marker), "marker")
    let isSettled = await events.contains(.localCandidates(sessionID: "marker", candidates: [marker]))
    await media.hangUp(sessionID: "marker")
    return isSettled
  }
}

/// What the engine was told.
final class EventLog: Sendable {
  private let told = Mutex<[MediaPlaneEvent]>([])
  private let isOver = Mutex(false)

  var all: [MediaPlaneEvent] { told.withLock { $0 } }
  var notices: [DeviceNotice] { all.compactMap { if case .notice(let notice) = $0 { notice } else { nil } } }
  var steps: [MediaPlaneEvent] { all.filter { if case .notice = $0 { false } else { true } } }

  func listen(to media: DeviceMedia) {
    let events = media.events
    Task {
      for await event in events { told.withLock { $0.append(event) } }
      isOver.withLock { $0 = true }
    }
  }

  func contains(_ event: MediaPlaneEvent) async -> Bool { await eventually { self.all.contains(event) } }

  func end() async -> Bool { await eventually { self.isOver.withLock { $0 } } }
}
