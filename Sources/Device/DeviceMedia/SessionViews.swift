import MediaCore
import MediaPipeline
import MediaPlaneAPI
import NetworkLoop
import RealtimeRuntime
import Signalling

/// What sessions can see: the main camera, further ones, and the mosaic of all. Those who see the same share its encoder, which follows their
/// paths.
struct SessionViews {
  private struct View {
    let view: DeviceView
    let pipeline: any CapturePipeline
    let bus: FrameBus
    /// Where the network takes frames of the bus from.
    let inbox: FrameInbox
    var rates: RateAdaptation
    var isSeen = false

    /// Has video encoded and sent as long as it is seen. The main camera's comes with the sound, so that
    /// ``DeviceMedia`` attaches their inbox; without viewers they are not encoded for it.
    mutating func setSeen(_ isSeen: Bool) {
      if view == .main { return bus.setTakesKeyFramesAlone(!isSeen, inbox) }
      guard isSeen != self.isSeen else { return }
      if isSeen { bus.attach(inbox) } else { bus.detach(inbox) }
      self.isSeen = isSeen
    }
  }

  private let network: any SessionNetwork
  /// In the order in which the network numbers its video sources.
  private var views: [View]
  /// What the sessions' paths allowed last, for whatever they see next.
  private var estimates: [SessionID: Bitrate] = [:]

  init(_ configuration: DeviceMediaConfiguration, _ parts: DeviceMediaDependencies) {
    let pipeline = configuration.pipeline
    network = parts.network
    views = [
      View(
        view: .main, pipeline: parts.pipeline, bus: parts.bus, inbox: parts.network.localFrames,
        rates: RateAdaptation(pipeline, maximum: pipeline.videoBitrate))
    ]
    views += zip(parts.cameras, parts.network.furtherFrames).map { camera, inbox in
      View(
        view: .camera(camera.name), pipeline: camera.pipeline, bus: camera.bus, inbox: inbox,
        rates: RateAdaptation(pipeline, maximum: camera.bitrate))
    }
    let further = parts.network.furtherFrames
    guard let mosaic = parts.mosaic, further.count > parts.cameras.count else { return }
    views.append(
      View(
        view: .mosaic, pipeline: mosaic.pipeline, bus: mosaic.bus, inbox: further[parts.cameras.count],
        rates: RateAdaptation(pipeline, maximum: mosaic.bitrate)))
  }

  func require(_ view: DeviceView) throws(UnknownCamera) {
    guard !views.contains(where: { $0.view == view }) else { return }
    throw UnknownCamera(name: view.cameraName ?? "\(view)", known: views.compactMap(\.view.cameraName))
  }

  /// What the main camera's encoder was set to last.
  var mainBitrate: Bitrate { views[0].rates.videoBitrate }

  /// What the encoders of further cameras were set to last, by the cameras' names.
  var furtherBitrates: [String: Bitrate] {
    Dictionary(views.compactMap { view in view.view.cameraName.map { ($0, view.rates.videoBitrate) } }) { first, _ in
      first
    }
  }

  // MARK: Who sees what

  /// What holds at one moment.
  struct Situation {
    let demand: DeviceDemand
    let sessions: MediaSessions
    /// What is encoded at least, while video is recorded.
    let floor: Bitrate?
    let now: MonotonicInstant
  }

  /// Notes who sees what from now on.
  mutating func follow(_ situation: Situation) {
    let sessionIDs = situation.sessions.ids
    estimates = estimates.filter { sessionIDs.contains($0.key) }
    for index in views.indices {
      let viewers = situation.demand.viewers(of: views[index].view)
      views[index].setSeen(!viewers.isEmpty)
      apply(views[index].rates.keep(sessionIDs, viewers: viewers, now: situation.now), index, situation.sessions)
    }
  }

  /// Has a session sent the video of what it sees now, whose encoder is asked for a key frame to begin with.
  mutating func change(_ session: SessionHandle, _ situation: Situation) {
    guard let index = index(of: session.sessionID, situation) else { return }
    network.setVideoSource(index, session: session)
    views[index].pipeline.requestKeyFrame()
    if let estimate = estimates[session.sessionID] { take(estimate: estimate, of: session.sessionID, situation) }
  }

  /// Asks the encoders of what these sessions see for key frames.
  func requestKeyFrames(for sessions: [SessionID], _ demand: DeviceDemand) {
    let wanted = Set(sessions.map { demand.view(of: .session($0)) })
    for view in views where wanted.contains(view.view) { view.pipeline.requestKeyFrame() }
  }

  // MARK: What their paths allow

  /// Takes what a session's path allows.
  mutating func take(estimate: Bitrate, of sessionID: SessionID, _ situation: Situation) {
    estimates[sessionID] = estimate
    guard let index = index(of: sessionID, situation) else { return }
    let viewers = situation.demand.viewers(of: views[index].view)
    // No archive records the mosaic.
    let floor = views[index].view == .mosaic ? nil : situation.floor
    let orders = views[index].rates.take(
      estimate: estimate, of: sessionID, viewers: viewers, floor: floor, now: situation.now)
    apply(orders, index, situation.sessions)
  }

  /// Takes how many percent of the sound get lost on the way to a session's peer; the sound is that of the main pipeline.
  mutating func take(soundLoss percent: Int, of sessionID: SessionID, _ sessions: MediaSessions) {
    apply(views[0].rates.take(soundLoss: percent, of: sessionID), 0, sessions)
  }

  private func index(of sessionID: SessionID, _ situation: Situation) -> Int? {
    let view = situation.demand.view(of: .session(sessionID))
    return views.firstIndex { $0.view == view }
  }

  private func apply(_ orders: RateAdaptation.Orders, _ index: Int, _ sessions: MediaSessions) {
    if let bitrate = orders.videoBitrate { views[index].pipeline.setVideoBitrate(bitrate) }
    if let percent = orders.expectedLoss { views[index].pipeline.setExpectedLoss(percent: percent) }
    for (sessionID, count) in orders.layers {
      if let session = sessions.handle(of: sessionID) { network.setVideoLayers(count, session: session) }
    }
  }
}

extension DeviceView {
  /// Of a further camera.
  fileprivate var cameraName: String? { if case .camera(let name) = self { name } else { nil } }
}
