import MediaCore

/// What an RTP session has to report. Only the last of several figures counts; digits all do, up to a limit.
struct RTPSessionEvents {
  private static let maxDigits = 32

  private var isKeyFrameRequested = false
  private var estimate: Bitrate?
  private var audioLoss: Int?
  private var digits: [DTMFDigit] = []

  mutating func requestKeyFrame() { isKeyFrameRequested = true }

  mutating func report(estimate: Bitrate) { self.estimate = estimate }

  mutating func report(audioLoss percent: Int) { audioLoss = percent }

  mutating func report(digit: DTMFDigit) {
    if digits.count < Self.maxDigits { digits.append(digit) }
  }

  mutating func take() -> PeerSessionEvent? {
    if let bitrate = estimate.take() { return .bitrateEstimated(bitrate) }
    if isKeyFrameRequested {
      isKeyFrameRequested = false
      return .keyFrameRequested
    }
    if !digits.isEmpty { return .digitReceived(digits.removeFirst()) }
    return audioLoss.take().map { .soundLossReported(percent: $0) }
  }
}
