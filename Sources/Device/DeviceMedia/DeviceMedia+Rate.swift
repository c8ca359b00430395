import CongestionControl
import MediaCore
import MediaPipeline
import NetworkLoop
import RealtimeRuntime

/// What the sessions' paths allow, and what was made of it.
struct SharedRates {
  /// RTP, SRTP, UDP and IP headers of 50 packets of sound a second.
  private static let soundHeaders = 26_000

  var owner: RateOwner
  /// Percent of sound that gets lost on the way to each session's peer.
  var losses: [String: Int] = [:]
  /// The temporal layers that each session was told to send.
  var layers: [String: Int] = [:]
  var encoderRate: Bitrate

  init(_ pipeline: MediaPipelineConfiguration) {
    let sound = pipeline.microphone == .none ? 0 : pipeline.audioBitrate.bitsPerSecond + Self.soundHeaders
    encoderRate = pipeline.videoBitrate
    owner = RateOwner(
      RateOwner.Configuration(
        maximum: pipeline.videoBitrate, overhead: Bitrate(bitsPerSecond: sound),
        temporalLayers: pipeline.temporalLayers))
  }

  /// What a session can need at most: pictures and sound, with some room for repair.
  static func sendLimit(_ pipeline: MediaPipelineConfiguration) -> Bitrate {
    let media = pipeline.videoBitrate.bitsPerSecond + pipeline.audioBitrate.bitsPerSecond + soundHeaders
    return Bitrate(bitsPerSecond: media / 4 * 5)
  }
}

extension DeviceMedia {
  /// Takes what a session's path allows.
  func adapt(_ sessionID: String, to estimate: Bitrate) {
    guard sendsVideo(sessionID) else { return }
    rates.owner.floor = archives.values.contains { $0.kinds.contains(.video) } ? configuration.archiveFloor : nil
    rates.owner.update(sessionID, estimate: estimate, now: MonotonicClock.now())
    applyRates()
  }

  private func sendsVideo(_ sessionID: String) -> Bool { sessions[sessionID]?.sends.contains(.video) == true }

  /// Takes how much of the sound gets lost on the way to a session's peer; the encoder prepares for the worst of them.
  func adapt(_ sessionID: String, toSoundLoss percent: Int) {
    guard sessions[sessionID] != nil else { return }
    rates.losses[sessionID] = percent
    pipeline.setExpectedLoss(percent: rates.losses.values.max() ?? 0)
  }

  /// Forgets sessions that are gone or want no pictures, so that they hold back nobody.
  func releaseRates() {
    for sessionID in rates.layers.keys where !sendsVideo(sessionID) {
      rates.layers[sessionID] = nil
      rates.owner.remove(sessionID, now: MonotonicClock.now())
    }
    for sessionID in rates.losses.keys where sessions[sessionID] == nil { rates.losses[sessionID] = nil }
    pipeline.setExpectedLoss(percent: rates.losses.values.max() ?? 0)
    applyRates()
  }

  private func applyRates() {
    if rates.owner.encoderRate != rates.encoderRate {
      rates.encoderRate = rates.owner.encoderRate
      pipeline.setVideoBitrate(rates.encoderRate)
    }
    for (sessionID, session) in sessions where session.sends.contains(.video) {
      let layers = rates.owner.share(of: sessionID).layerCount
      guard rates.layers.updateValue(layers, forKey: sessionID) != layers else { continue }
      network.setVideoLayers(layers, sessionID: sessionID)
    }
  }
}

extension VideoShare {
  fileprivate var layerCount: Int {
    switch self {
    case .layers(let count): count
    case .keyFramesOnly: 0
    }
  }
}
