import MediaCore

/// What an RTP session has to report. Only the last of several figures counts, so that there is nothing to queue.
struct RTPSessionEvents {
  private var isKeyFrameRequested = false
  private var estimate: Bitrate?
  private var audioLoss: Int?

  mutating func requestKeyFrame() { isKeyFrameRequested = true }

  mutating func report(estimate: Bitrate) { self.estimate = estimate }

  mutating func report(audioLoss percent: Int) { audioLoss = percent }

  mutating func take() -> PeerSessionEvent? {
    if let bitrate = estimate.take() { return .bitrateEstimated(bitrate) }
    if isKeyFrameRequested {
      isKeyFrameRequested = false
      return .keyFrameRequested
    }
    return audioLoss.take().map { .soundLossReported(percent: $0) }
  }
}
