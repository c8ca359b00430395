import MediaCore
import Testing

/// Delay that swings, leaps and stalls without any queue, at senders and (REMB) at receivers.
@Suite struct NoisyPathTests {
  private static let seeds: ClosedRange<UInt64> = 1...4

  /// The mean of estimates in percent of what the media need, more than that being no merit.
  private func meanShare(_ estimates: ArraySlice<Double>) -> Double {
    100 * estimates.map { min($0 / NoisyPath.need, 1) }.reduce(0, +) / Double(estimates.count)
  }

  private func leastShare(_ estimates: ArraySlice<Double>) -> Double { 100 * estimates.min()! / NoisyPath.need }

  @Test(arguments: [25, 100], [false, true]) func jitterIsNoQueue(milliseconds: Double, isByReceiver: Bool) {
    for seed in Self.seeds {
      var path = NoisyPath(noise: .jitter(milliseconds), seed: seed, isByReceiver: isByReceiver)
      path.run(seconds: 60)
      #expect(leastShare(path.last(50)) >= 80, "seed \(seed)")
    }
  }

  /// So much that a fall now and then must be expected, from which the rate quickly returns.
  @Test(arguments: [false, true]) func wildJitterTakesLittle(isByReceiver: Bool) {
    for seed in Self.seeds {
      var path = NoisyPath(noise: .jitter(350), seed: seed, isByReceiver: isByReceiver)
      path.run(seconds: 60)
      let estimates = path.last(50)
      #expect(meanShare(estimates) >= 85 && leastShare(estimates) >= 45, "seed \(seed)")
      #expect(estimates.count { $0 < 0.8 * NoisyPath.need } * 3 <= estimates.count, "seed \(seed)")
    }
  }

  @Test(arguments: [false, true]) func stallsTakeNothing(isByReceiver: Bool) {
    for length in [100.0, 200, 350] {
      var path = NoisyPath(noise: .stalls(length, every: 5), seed: 1, isByReceiver: isByReceiver)
      path.run(seconds: 60)
      #expect(leastShare(path.last(50)) >= 100, "stalls of \(length) ms")
    }
  }

  @Test(arguments: [false, true]) func aBusyMachineOnTheWayTakesNothing(isByReceiver: Bool) {
    for seed in Self.seeds {
      var path = NoisyPath(noise: .scheduling, seed: seed, isByReceiver: isByReceiver)
      path.run(seconds: 70)
      #expect(meanShare(path.last(60)) >= 99 && leastShare(path.last(60)) >= 90, "seed \(seed)")
    }
  }

  /// Behind it the limited link spreads again what was held up.
  @Test(arguments: [.scheduling, .jitter(100), .stalls(200, every: 5)] as [PathNoise], [false, true])
  func noiseBeforeTheLinkTakesLittle(noise: PathNoise, isByReceiver: Bool) {
    for seed in Self.seeds {
      var path = NoisyPath(noise: noise, seed: seed, isByReceiver: isByReceiver)
      path.forward.isNoiseFirst = true
      path.run(seconds: 70)
      #expect(meanShare(path.last(60)) >= 97 && leastShare(path.last(60)) >= 60, "seed \(seed)")
    }
  }

  @Test(arguments: [0.05, 0.15, 0.4, 1], [false, true])
  func aPathThatBecomesLongerIsNoQueue(step: Double, isByReceiver: Bool) {
    var path = NoisyPath(noise: .jitter(2), seed: 1, isByReceiver: isByReceiver)
    path.run(seconds: 15)
    path.forward.delay += step
    path.back.delay += step
    path.run(seconds: 3)
    path.run(seconds: 15)
    #expect(leastShare(path.last(15)) >= 80)
    // And back.
    path.forward.delay -= step
    path.back.delay -= step
    path.run(seconds: 20)
    #expect(leastShare(path.last(20)) >= 80)
  }

  /// With noise or without, a real queue is found out.
  @Test(arguments: [nil, .jitter(25), .jitter(100), .scheduling] as [PathNoise?], [false, true])
  func aRealQueueIsFound(noise: PathNoise?, isByReceiver: Bool) {
    var path = NoisyPath(noise: noise, seed: 2, isByReceiver: isByReceiver)
    path.run(seconds: 20)
    path.forward.rate = 300_000
    path.run(seconds: 5)
    let bound = noise == nil ? 0.15 : 0.7
    var longest = 0.0
    for _ in 0..<100 {
      path.run(seconds: 0.2)
      longest = max(longest, path.queue)
    }
    #expect(longest <= bound, "\(longest) s")
    #expect(path.last(20).reduce(0, +) / Double(path.last(20).count) >= 170)
    path.forward.rate = 2_000_000
    path.run(seconds: 20)
    #expect(leastShare(path.last(1)) >= 100)
  }
}
