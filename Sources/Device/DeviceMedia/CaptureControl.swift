import MediaCore
import Signalling

/// Opens cameras and microphone for those who want them, and closes them when nobody does; tells encoder and sessions what the
/// sessions' paths allow.
struct CaptureControl {
  private let parts: DeviceMediaDependencies
  /// What is encoded at least while pictures are recorded.
  private let archiveFloor: Bitrate
  private var demand = DeviceDemand()
  private var rates: RateAdaptation
  /// Those beside the main one.
  var cameras: FurtherCameras

  init(_ configuration: DeviceMediaConfiguration, _ parts: DeviceMediaDependencies) {
    self.parts = parts
    archiveFloor = configuration.archiveFloor
    cameras = FurtherCameras(parts.cameras)
    rates = RateAdaptation(configuration.pipeline)
  }

  /// What the encoder was told last.
  var videoBitrate: Bitrate { rates.videoBitrate }

  /// What the claimant wants; nothing unless ``claim(_:for:among:)`` said so.
  func kinds(of claimant: DeviceDemand.Claimant) -> Set<MediaKind> { demand.kinds(of: claimant) }

  /// Opens what a claimant wants, in place of what it wanted before; see ``drop(_:among:)`` also where this throws.
  mutating func claim(
    _ kinds: Set<MediaKind>, for claimant: DeviceDemand.Claimant, among sessions: MediaSessions
  ) throws {
    try parts.pipeline.start(kinds)
    try cameras.claim(kinds, for: claimant)
    demand.set(kinds, for: claimant)
    releaseUnused(sessions)
  }

  /// A claimant wants nothing any more.
  mutating func drop(_ claimant: DeviceDemand.Claimant, among sessions: MediaSessions) {
    demand.drop(claimant)
    cameras.drop(claimant)
    releaseUnused(sessions)
  }

  private mutating func releaseUnused(_ sessions: MediaSessions) {
    apply(rates.keep(sessions.ids, viewers: demand.viewers, now: parts.clock.now()), sessions)
    parts.pipeline.stop(demand.unwanted)
  }

  /// Takes what a session's path allows.
  mutating func take(estimate: Bitrate, of sessionID: SessionID, among sessions: MediaSessions) {
    apply(
      rates.take(
        estimate: estimate, of: sessionID, viewers: demand.viewers, floor: demand.recordsVideo ? archiveFloor : nil,
        now: parts.clock.now()), sessions)
  }

  /// Takes how many percent of the sound get lost on the way to a session's peer.
  mutating func take(soundLoss percent: Int, of sessionID: SessionID, among sessions: MediaSessions) {
    apply(rates.take(soundLoss: percent, of: sessionID), sessions)
  }

  private func apply(_ orders: RateAdaptation.Orders, _ sessions: MediaSessions) {
    if let bitrate = orders.videoBitrate { parts.pipeline.setVideoBitrate(bitrate) }
    if let percent = orders.expectedLoss { parts.pipeline.setExpectedLoss(percent: percent) }
    for (sessionID, count) in orders.layers {
      if let session = sessions.handle(of: sessionID) { parts.network.setVideoLayers(count, session: session) }
    }
  }
}
