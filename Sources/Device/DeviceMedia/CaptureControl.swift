import MediaCore
import MediaPipeline
import MediaPlaneAPI
import NetworkLoop
import Signalling

/// Opens cameras and microphone on demand, and closes them when no claim is left; passes the limits of the sessions'
/// paths on to encoders and sessions.
struct CaptureControl {
  private let parts: DeviceMediaDependencies
  /// What is encoded at least while video is recorded.
  private let archiveFloor: Bitrate
  private var demand = DeviceDemand()
  private var views: SessionViews
  /// Those beside the main one.
  var cameras: FurtherCameras

  /// - Parameter report: takes why a further camera cannot be opened for those who do without it.
  init(
    _ configuration: DeviceMediaConfiguration, _ parts: DeviceMediaDependencies,
    report: @escaping @Sendable (DeviceNotice) -> Void
  ) {
    self.parts = parts
    archiveFloor = configuration.archiveFloor
    cameras = FurtherCameras(parts.cameras, report: report)
    views = SessionViews(configuration, parts)
  }

  /// What the main encoder was set to last.
  var videoBitrate: Bitrate { views.mainBitrate }

  /// Of further cameras; nil without them.
  var cameraTelemetry: [CameraTelemetry]? {
    parts.cameras.isEmpty ? nil : cameras.telemetry(views.furtherBitrates)
  }

  /// What the claimant wants; nothing unless ``claim(_:seeing:for:among:)`` said so.
  func kinds(of claimant: DeviceDemand.Claimant) -> Set<MediaKind> { demand.kinds(of: claimant) }

  // MARK: Claims

  /// Opens what a claimant wants, in place of what it wanted before; where that cannot be opened, all stays as it was.
  ///
  /// - Parameter view: what a session sees from now on; nil for what it saw before.
  mutating func claim(
    _ kinds: Set<MediaKind>, seeing view: DeviceView? = nil, for claimant: DeviceDemand.Claimant,
    among sessions: MediaSessions
  ) throws {
    let view = view ?? demand.view(of: claimant)
    defer { releaseUnused(sessions) }
    try parts.pipeline.start(DeviceDemand.mainKinds(kinds, seeing: view))
    if view == .mosaic, kinds.contains(.video) { try parts.mosaic?.pipeline.start([.video]) }
    try cameras.claim(kinds, for: claimant, seeing: view)
    demand.set(kinds, seeing: view, for: claimant)
  }

  /// A claimant wants nothing any more.
  mutating func drop(_ claimant: DeviceDemand.Claimant, among sessions: MediaSessions) {
    demand.drop(claimant)
    cameras.drop(claimant)
    releaseUnused(sessions)
  }

  private var isMosaicSeen: Bool { !demand.viewers(of: .mosaic).isEmpty }

  private mutating func releaseUnused(_ sessions: MediaSessions) {
    if !isMosaicSeen { parts.mosaic?.pipeline.stop([.video]) }
    views.follow(situation(sessions))
    parts.pipeline.stop(demand.unwanted)
  }

  private func situation(_ sessions: MediaSessions) -> SessionViews.Situation {
    SessionViews.Situation(
      demand: demand, sessions: sessions, floor: demand.recordsVideo ? archiveFloor : nil, now: parts.clock.now())
  }

  /// Replaces the video of all cameras by a card, or ends that.
  mutating func setMuted(_ isMuted: Bool) {
    parts.pipeline.setMuted(isMuted, .video)
    cameras.setMuted(isMuted)
    parts.mosaic?.pipeline.setMuted(isMuted, .video)
  }

  /// Captures from other programs.
  func setSources(_ sources: MediaSources) throws { try parts.pipeline.setSources(sources) }

  /// Ends all threads.
  func stop() {
    parts.mosaic?.pipeline.stop([.video])
    parts.pipeline.stop([.audio, .video])
    cameras.stop()
  }

  // MARK: What sessions see

  /// Shows a session another camera than before; others see what they saw. Where that cannot be opened, all stays.
  mutating func show(_ view: DeviceView, to session: SessionHandle, among sessions: MediaSessions) throws {
    try views.require(view)
    let claimant = DeviceDemand.Claimant.session(session.sessionID)
    guard view != demand.view(of: claimant) else { return }
    try claim(demand.kinds(of: claimant), seeing: view, for: claimant, among: sessions)
    views.change(session, situation(sessions))
  }

  /// Has a session that the network did not know before sent what was chosen for it meanwhile.
  mutating func showChosen(to session: SessionHandle, among sessions: MediaSessions) {
    guard demand.view(of: .session(session.sessionID)) != .main else { return }
    views.change(session, situation(sessions))
  }

  /// Asks the encoders of what these sessions see for key frames.
  func requestKeyFrames(for sessions: [SessionID]) { views.requestKeyFrames(for: sessions, demand) }

  // MARK: What paths allow

  /// Takes what a session's path allows.
  mutating func take(estimate: Bitrate, of sessionID: SessionID, among sessions: MediaSessions) {
    views.take(estimate: estimate, of: sessionID, situation(sessions))
  }

  /// Takes how many percent of the sound get lost on the way to a session's peer.
  mutating func take(soundLoss percent: Int, of sessionID: SessionID, among sessions: MediaSessions) {
    views.take(soundLoss: percent, of: sessionID, sessions)
  }
}
