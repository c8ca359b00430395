public import MediaCore
import MediaPipeline
import MediaPlaneAPI
public import RealtimeRuntime
import Signalling

/// What captures and encodes a further camera.
public struct FurtherCamera: Sendable {
  /// Unique; archives name its files by it.
  public var name: String
  /// By which it is configured, such as a device's path.
  public var source: String
  /// Captures no sound.
  public var pipeline: any CapturePipeline
  /// Where ``pipeline`` publishes its frames.
  public var bus: FrameBus
  /// What ``pipeline`` encodes with where no viewer's path takes less.
  public var bitrate: Bitrate
  /// Whether sources of events watch it at first, see ``DeviceMediaChanges``: then it is captured all the time.
  public var isWatched: Bool
  /// Says why it cannot work while unused, as ``DeviceProbing`` does; nil leaves that out.
  public var probe: (@Sendable () async -> String?)?

  public init(
    name: String, source: String, pipeline: any CapturePipeline, bus: FrameBus, bitrate: Bitrate,
    isWatched: Bool = false, probe: (@Sendable () async -> String?)? = nil
  ) {
    self.name = name
    self.source = source
    self.pipeline = pipeline
    self.bus = bus
    self.bitrate = bitrate
    self.isWatched = isWatched
    self.probe = probe
  }
}

/// Opens further cameras on demand, closes them when no claim is left, and knows what control shows of them.
///
/// All are open for archives with the device's video and for the pre-roll, and while a session sees all of them in one
/// frame; each for sessions that see it, sources of events that watch it and snapshots of it.
struct FurtherCameras {
  private struct State {
    var camera: FurtherCamera
    var demand = DeviceDemand()
    var status: MediaPlaneStatus.Device
    /// Why it could not be opened for those who do without it; reported once.
    var refusal: String?

    init(_ camera: FurtherCamera) {
      self.camera = camera
      status = MediaPlaneStatus.Device(target: .camera, name: camera.source, state: "idle", isMuted: false)
      status.camera = camera.name
    }

    var isWanted: Bool { !demand.unwanted.contains(.video) }

    mutating func claim(for claimant: DeviceDemand.Claimant) throws {
      try camera.pipeline.start([.video])
      demand.set([.video], for: claimant)
    }
  }

  private var states: [State]
  private let report: @Sendable (DeviceNotice) -> Void

  /// - Parameter report: takes why a camera cannot be opened for those who do without it.
  init(_ cameras: [FurtherCamera], report: @escaping @Sendable (DeviceNotice) -> Void) {
    states = cameras.map { State($0) }
    self.report = report
  }

  // MARK: Claims

  /// Opens those that a claimant of these kinds of the device wants, and closes those that it alone wanted before.
  ///
  /// A claimant of all does without one that cannot be opened, which is reported; see ``openIfWanted(_:)``.
  ///
  /// - Parameter view: what a session sees.
  /// - Throws: where the one that a session is to see cannot be opened; then all stays as it was.
  mutating func claim(
    _ kinds: Set<MediaKind>, for claimant: DeviceDemand.Claimant, seeing view: DeviceView
  ) throws {
    // A snapshot is of one camera: see `beginSnapshot`.
    guard claimant != .snapshot else { return }
    let wanted = states.map { wants(kinds, claimant, $0.camera, view) }
    for index in states.indices where wanted[index] {
      if case .camera = view { try states[index].claim(for: claimant) } else { claimIfPossible(index, claimant) }
    }
    for index in states.indices where !wanted[index] { drop(claimant, index) }
  }

  private mutating func claimIfPossible(_ index: Int, _ claimant: DeviceDemand.Claimant) {
    states[index].demand.set([.video], for: claimant)
    open(index)
  }

  private mutating func open(_ index: Int) {
    let camera = states[index].camera
    let before = states[index].refusal
    do {
      try camera.pipeline.start([.video])
      states[index].refusal = nil
    } catch {
      let reason = "\(error)"
      states[index].refusal = reason
      if reason != before { report(.deviceFailed(.camera, camera: camera.name, reason: reason)) }
    }
  }

  /// Returns whether a camera is wanted, and retries where it could not be opened.
  mutating func openIfWanted(_ name: String) -> Bool {
    guard let index = states.firstIndex(where: { $0.camera.name == name }), states[index].isWanted else { return false }
    open(index)
    return true
  }

  private func wants(
    _ kinds: Set<MediaKind>, _ claimant: DeviceDemand.Claimant, _ camera: FurtherCamera, _ view: DeviceView
  ) -> Bool {
    switch claimant {
    case .archive, .preRoll: kinds.contains(.video)
    case .session: kinds.contains(.video) && (view == .camera(camera.name) || view == .mosaic)
    case .events: camera.isWatched
    case .snapshot: false
    }
  }

  /// Which of them sources of events watch, from their next claim on.
  mutating func setWatched(_ names: Set<String>) {
    for index in states.indices { states[index].camera.isWatched = names.contains(states[index].camera.name) }
  }

  /// A claimant wants none of them any more; a snapshot of the main camera never wanted any.
  mutating func drop(_ claimant: DeviceDemand.Claimant) {
    guard claimant != .snapshot else { return }
    for index in states.indices { drop(claimant, index) }
  }

  private mutating func drop(_ claimant: DeviceDemand.Claimant, _ index: Int) {
    states[index].demand.drop(claimant)
    states[index].camera.pipeline.stop(states[index].demand.unwanted.intersection([.video]))
  }

  /// Has them capture from other programs, by their names.
  mutating func setSources(_ sources: [String: VideoSourceSelection]) throws {
    for index in states.indices {
      guard let source = sources[states[index].camera.name] else { continue }
      try states[index].camera.pipeline.setSources(MediaSources(cameras: [source], microphone: .none))
    }
  }

  /// Has a camera open until ``endSnapshot(of:)``.
  mutating func beginSnapshot(of name: String) throws {
    for index in states.indices where states[index].camera.name == name {
      try states[index].claim(for: .snapshot)
    }
  }

  mutating func endSnapshot(of name: String) {
    for index in states.indices where states[index].camera.name == name { drop(.snapshot, index) }
  }

  /// Ends all threads.
  func stop() {
    for state in states { state.camera.pipeline.stop([.video]) }
  }

  // MARK: What they do

  mutating func setMuted(_ isMuted: Bool) {
    for index in states.indices {
      states[index].status.isMuted = isMuted
      states[index].camera.pipeline.setMuted(isMuted, .video)
    }
  }

  /// Notes what a camera's pipeline reports; returns what is worth reporting, if anything.
  mutating func update(_ event: MediaPipelineEvent, of name: String) -> DeviceNotice? {
    guard let index = states.firstIndex(where: { $0.camera.name == name }) else { return nil }
    return states[index].status.update(event)
  }

  /// Nil for an unknown name.
  func state(of name: String) -> String? { states.first { $0.camera.name == name }?.status.state }

  /// - Parameter bitrates: what each encodes with now, by their names.
  func telemetry(_ bitrates: [String: Bitrate]) -> [CameraTelemetry] {
    states.map { state in
      let isCapturing = state.status.state != "idle"
      let (camera, counters) = (state.camera, state.camera.pipeline.statistics)
      return CameraTelemetry(
        name: camera.name,
        video: VideoTelemetry(
          counters, targetBitrate: bitrates[camera.name] ?? camera.bitrate, isCapturing: isCapturing))
    }
  }

  var status: [MediaPlaneStatus.Device] {
    states.map { state in
      var status = state.status
      status.count(state.camera.pipeline.statistics)
      return status
    }
  }
}
