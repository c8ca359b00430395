import CongestionControl
public import MediaCore
public import MediaPipeline
import Signalling

/// What the sessions' paths allow, and the settings that follow for encoders and sessions.
struct RateAdaptation {
  /// What has to be set; only what has changed.
  struct Orders: Equatable {
    /// The encoder's rate.
    var videoBitrate: Bitrate?
    /// Percent of sound that gets lost on the worst of the paths.
    var expectedLoss: Int?
    /// The temporal layers that a session sends, 0 for a still image.
    var layers: [SessionID: Int] = [:]
  }

  private var owner: BitrateAllocator
  private var losses: [SessionID: Int] = [:]
  /// As last set.
  private var layers: [SessionID: Int] = [:]
  /// What the encoder was set to last.
  private(set) var videoBitrate: Bitrate
  private var expectedLoss = 0

  /// - Parameters:
  ///   - pipeline: of the main camera and the sound.
  ///   - maximum: of the video that is seen.
  init(_ pipeline: MediaPipelineConfiguration, maximum: Bitrate) {
    videoBitrate = maximum
    owner = BitrateAllocator(
      BitrateAllocator.Configuration(
        maximum: maximum, overhead: pipeline.soundOverhead, temporalLayers: pipeline.temporalLayers))
  }

  /// Takes what a session's path allows; that of a session without video is of no interest.
  ///
  /// - Parameters:
  ///   - viewers: the sessions that send video.
  ///   - floor: what is encoded at least, while video is recorded.
  mutating func take(
    estimate: Bitrate, of sessionID: SessionID, viewers: Set<SessionID>, floor: Bitrate?, now: MonotonicInstant
  ) -> Orders {
    guard viewers.contains(sessionID) else { return Orders() }
    owner.floor = floor
    owner.update(sessionID.text, estimate: estimate, now: now)
    return orders(viewers)
  }

  /// Takes how many percent of the sound get lost on the way to a session's peer.
  mutating func take(soundLoss percent: Int, of sessionID: SessionID) -> Orders {
    losses[sessionID] = percent
    return Orders(expectedLoss: changedLoss())
  }

  /// Forgets sessions that are gone or send no video, so that they hold back no others.
  mutating func keep(_ sessions: Set<SessionID>, viewers: Set<SessionID>, now: MonotonicInstant) -> Orders {
    for sessionID in layers.keys where !viewers.contains(sessionID) {
      layers[sessionID] = nil
      owner.remove(sessionID.text, now: now)
    }
    losses = losses.filter { sessions.contains($0.key) }
    return orders(viewers)
  }

  private mutating func orders(_ viewers: Set<SessionID>) -> Orders {
    var orders = Orders(expectedLoss: changedLoss())
    if owner.encoderRate != videoBitrate {
      videoBitrate = owner.encoderRate
      orders.videoBitrate = videoBitrate
    }
    for sessionID in viewers {
      let count = owner.share(of: sessionID.text).layerCount
      if layers.updateValue(count, forKey: sessionID) != count { orders.layers[sessionID] = count }
    }
    return orders
  }

  private mutating func changedLoss() -> Int? {
    let worst = losses.values.max() ?? 0
    guard worst != expectedLoss else { return nil }
    expectedLoss = worst
    return worst
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

extension MediaPipelineConfiguration {
  /// RTP, SRTP, UDP and IP headers of 50 packets of sound a second, in bits per second.
  private static let soundHeaders = 26_000

  /// What sound takes of a path.
  fileprivate var soundOverhead: Bitrate {
    Bitrate(bitsPerSecond: microphone == .none ? 0 : audioBitrate.bitsPerSecond + Self.soundHeaders)
  }

  /// What a session can need at most: video and audio, with some room for repair.
  public var sendLimit: Bitrate {
    let media = videoBitrate.bitsPerSecond + audioBitrate.bitsPerSecond + Self.soundHeaders
    return Bitrate(bitsPerSecond: media / 4 * 5)
  }
}
