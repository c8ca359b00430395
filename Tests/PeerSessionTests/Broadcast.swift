import CongestionControl
import MediaCore
import PeerSession
import TestSupport

/// One encoder whose frames several calls send, its rate decided by a ``BitrateAllocator``: what the device does.
final class Broadcast {
  let calls: [Call]
  var owner: BitrateAllocator
  private(set) var frameCount: UInt32 = 0
  private(set) var keyFrameCount = 0
  /// When each frame was captured, by its number.
  private(set) var captureTimes: [MonotonicInstant] = []
  /// The encoder's rate in kbit/s, a sample each frame.
  private(set) var rates: [(at: MonotonicInstant, kilobits: Int)] = []
  private let layers: Int
  private let habits: EncoderHabits
  private var generator: SeededGenerator
  private var taken: [Int]
  private var sinceKeyFrame = 0
  private var isKeyFrameWanted = true
  private var lastKeyFrame: MonotonicInstant?
  /// What key frames took beyond their share.
  private var debt = 0.0
  /// The rate that is encoded with, in bits a second.
  private var followed: Double

  init(_ calls: [Call], maximum: Bitrate, layers: Int = 1, habits: EncoderHabits = .ideal, seed: UInt64 = 0) {
    self.calls = calls
    self.layers = layers
    self.habits = habits
    generator = SeededGenerator(seed: seed)
    followed = Double(maximum.bitsPerSecond)
    owner = BitrateAllocator(
      BitrateAllocator.Configuration(maximum: maximum, overhead: .kilobits(45), temporalLayers: layers))
    taken = calls.map { _ in 0 }
    for call in calls {
      call.hasSharedEncoder = true
      call.peerSends = false
      call.connect()
    }
    let latest = calls.map(\.now).max()!
    for call in calls { call.run(for: latest - call.now) }
  }

  var now: MonotonicInstant { calls[0].now }

  func run(for span: TimeSpan) {
    let end = now + span
    while now < end {
      takeEvents()
      let (header, payload) = encode()
      for call in calls {
        call.send(header, payload: payload)
        call.run(for: .microseconds(33_333))
      }
    }
  }

  private func takeEvents() {
    for (index, call) in calls.enumerated() {
      for (at, event) in call.events.dropFirst(taken[index]) {
        if case .bitrateEstimated(let bitrate) = event { owner.update("\(index)", estimate: bitrate, now: at) }
        if event == .keyFrameRequested { isKeyFrameWanted = true }
      }
      taken[index] = call.events.count
    }
    owner.decide(now: now)
    for (index, call) in calls.enumerated() {
      switch owner.share(of: "\(index)") {
      case .layers(let count): call.session.setVideoLayers(count)
      case .keyFramesOnly: call.session.setVideoLayers(0)
      }
    }
    rates.append((now, owner.encoderRate.bitsPerSecond / 1_000))
  }

  /// A frame as an encoder at constant bit rate makes it: key frames take several times their share, which the frames
  /// after them save; at most two a second.
  private func encode() -> (EncodedFrameHeader, [UInt8]) {
    followed += habits.agility * (Double(owner.encoderRate.bitsPerSecond) - followed)
    let share = min(followed, habits.demand?(now) ?? .infinity) / 8 / 30
    let isDue = habits.keyFrameInterval.map { interval in lastKeyFrame.map { now - $0 >= interval } ?? true } ?? false
    let isKeyFrame = (isKeyFrameWanted || isDue) && lastKeyFrame.map { now - $0 >= .milliseconds(500) } ?? true
    if isKeyFrame {
      (isKeyFrameWanted, lastKeyFrame, sinceKeyFrame) = (false, now, 0)
      keyFrameCount += 1
    }
    let layer = layers == 3 ? [0, 2, 1, 2][sinceKeyFrame % 4] : 0
    sinceKeyFrame += 1
    let weight = layers == 3 ? (layer == 0 ? 1.6 : 0.8) : 1
    let saved = isKeyFrame ? -habits.keyFrameExcess(share: share) : min(debt, 0.25 * share)
    debt -= saved
    let size = max(100, Int((share * (isKeyFrame ? 1 : weight) - saved) * spread()))
    let frame = TestFrame.video(frameCount, isKeyFrame: isKeyFrame, byteCount: min(size, 90_000))
    let header = EncodedFrameHeader(
      kind: .video, timestamp: now, duration: .zero, isKeyFrame: isKeyFrame, temporalLayer: UInt8(layer),
      isDiscardable: layer == 2, number: frameCount)
    frameCount += 1
    captureTimes.append(now)
    return (header, frame)
  }

  private func spread() -> Double {
    guard habits.spread > 0 else { return 1 }
    let random = Double(generator.next() >> 11) / Double(1 << 53)
    return 1 + habits.spread * (2 * random - 1)
  }
}
