import CongestionControl
import MediaCore
import TestSupport
import Testing

/// One encoder and many viewers that answer by REMB, who pause, join and leave.
@Suite struct RemoteEstimateBroadcastTests {
  @Test(arguments: 1...UInt64(8))
  func `twenty viewers that pause, join and leave starve neither themselves nor each other`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var broadcast = RemoteEstimateBroadcast(seed: seed)
    for _ in 0..<15 { broadcast.join() }
    broadcast.run(seconds: 15)
    broadcast.forgetWaits()
    for _ in 0..<20 {
      broadcast.run(seconds: Double.random(in: 2..<10, using: &generator))
      switch Int.random(in: 0..<4, using: &generator) {
      case 0 where broadcast.viewerCount < 25: broadcast.join()
      case 1 where broadcast.viewerCount > 10: broadcast.leave(using: &generator)
      default: broadcast.pause(.milliseconds(500), using: &generator)
      }
    }
    #expect(broadcast.longestWait <= .seconds(3))
  }

  @Test func `one that pauses does not take from the other`() {
    var broadcast = RemoteEstimateBroadcast()
    broadcast.join()
    broadcast.join()
    broadcast.run(seconds: 20)
    broadcast.forgetWaits()
    broadcast.pause(0, .milliseconds(500))
    broadcast.run(seconds: 30)
    #expect(broadcast.longestWait <= .seconds(3))
    #expect(broadcast.encoderKilobits >= 900)
  }
}

/// Paths of 10 Mbit/s each, whose viewers share what a ``BitrateAllocator`` decides; steps of ten milliseconds.
private struct RemoteEstimateBroadcast {
  private final class Viewer {
    let name: String
    var path: RemoteEstimatePath
    /// In bits a second.
    var sent = 0.0
    var belowSince: MonotonicInstant?
    var pausedAt: MonotonicInstant?
    var startsAt: MonotonicInstant

    init(name: String, seed: UInt64, startsAt: MonotonicInstant) {
      self.name = name
      self.startsAt = startsAt
      path = RemoteEstimatePath(kilobits: 10_000, seed: seed)
      path.reportsRegularly = false
      path.demand = { [unowned self] in min($0, sent) }
    }
  }

  /// How long a path may take to be found when somebody joins.
  private static let startUp = TimeSpan.seconds(6)
  /// What one layer of three and two of them take.
  private static let shares = [0.06, 0.4, 0.6, 1]

  private var owner = BitrateAllocator(
    BitrateAllocator.Configuration(maximum: .kilobits(950), overhead: .kilobits(45), temporalLayers: 3))
  private var viewers: [Viewer] = []
  private var joined = 0
  private let seed: UInt64
  private var now = MonotonicInstant(nanoseconds: 1_000_000_000)
  /// The longest time that a viewer got less than three quarters of the encoder's maximum, which its path takes.
  private(set) var longestWait = TimeSpan.zero

  init(seed: UInt64 = 1) { self.seed = 1_000 * seed }

  var viewerCount: Int { viewers.count }
  var encoderKilobits: Int { owner.encoderRate.bitsPerSecond / 1_000 }

  mutating func join() {
    joined += 1
    viewers.append(Viewer(name: "\(joined)", seed: seed + UInt64(joined), startsAt: now))
  }

  mutating func leave(using generator: inout SeededGenerator) {
    let viewer = viewers.remove(at: Int.random(in: 0..<viewers.count, using: &generator))
    owner.remove(viewer.name, now: now)
  }

  /// Somebody who has not paused for ten seconds: more often than that counts as a path that cannot.
  mutating func pause(_ span: TimeSpan, using generator: inout SeededGenerator) {
    let steady = viewers.indices.filter { viewers[$0].pausedAt.map { now - $0 > .seconds(10) } ?? true }
    if let index = steady.randomElement(using: &generator) { pause(index, span) }
  }

  mutating func pause(_ index: Int, _ span: TimeSpan) {
    viewers[index].path.pause(span)
    viewers[index].pausedAt = now
  }

  mutating func forgetWaits() { longestWait = .zero }

  mutating func run(seconds: Double) {
    for _ in 0..<Int(seconds * 100) { runTick() }
  }

  private mutating func runTick() {
    now = now + .milliseconds(10)
    for viewer in viewers {
      let before = viewer.path.estimator.estimate
      viewer.path.runTick()
      let estimate = viewer.path.estimator.estimate
      if estimate != before { owner.update(viewer.name, estimate: estimate, now: now) }
    }
    owner.decide(now: now)
    for viewer in viewers { check(at: viewer) }
  }

  private mutating func check(at viewer: Viewer) {
    let share: Double =
      switch owner.share(of: viewer.name) {
      case .layers(let count): Self.shares[count]
      case .keyFramesOnly: Self.shares[0]
      }
    viewer.sent = Double(owner.encoderRate.bitsPerSecond) * share + 45_000
    guard viewer.sent < 0.75 * 950_000, now - viewer.startsAt > Self.startUp else {
      viewer.belowSince = nil
      return
    }
    let since = viewer.belowSince ?? now
    viewer.belowSince = since
    longestWait = max(longestWait, now - since)
  }
}
