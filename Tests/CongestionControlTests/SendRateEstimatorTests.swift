import CongestionControl
import MediaCore
import Testing

/// Packets over a link of one rate, with feedback each 50 ms.
private struct Path: ~Copyable {
  var estimator = SendRateEstimator(
    feedback: .transportWide, start: .kilobits(500), limits: .kilobits(30)...(.kilobits(3_000)))
  var rate: Double
  var now = MonotonicInstant(nanoseconds: 1_000_000_000)
  /// The peer gives no feedback, but has it all later.
  var isSilent = false
  private var freeAt = MonotonicInstant(nanoseconds: 0)
  private var number: Int64 = 0
  private var unreported: [(number: Int64, arrival: TimeSpan?)] = []

  init(kilobits: Double) { rate = kilobits * 1_000 }

  /// Sends what the estimate allows; every `losing`th packet gets lost.
  mutating func run(seconds: Double, losing: Int64? = nil) {
    let end = now + TimeSpan(nanoseconds: Int64(seconds * 1e9))
    var nextFeedback = now + .milliseconds(50)
    while now < end {
      send(isLost: losing.map { number % $0 == 0 } ?? false)
      now = now + TimeSpan(nanoseconds: Int64(1_000 * 8e9 / Double(estimator.estimate.bitsPerSecond)))
      guard now >= nextFeedback, !isSilent else { continue }
      report()
      nextFeedback = now + .milliseconds(50)
    }
  }

  private mutating func send(isLost: Bool) {
    estimator.send(number: number, byteCount: 1_000, now: now)
    freeAt = max(freeAt, now) + TimeSpan(nanoseconds: Int64(8_000 / rate * 1e9))
    unreported.append((number, isLost ? nil : TimeSpan(nanoseconds: freeAt.nanoseconds)))
    number += 1
  }

  private mutating func report() {
    estimator.beginFeedback()
    while let first = unreported.first, first.arrival.map({ $0.nanoseconds <= now.nanoseconds }) ?? true {
      estimator.report(number: first.number, arrival: first.arrival, now: now)
      unreported.removeFirst()
    }
    estimator.endFeedback(now: now)
  }

  /// How long a packet waits that is sent now.
  var queue: TimeSpan { max(freeAt - now, .zero) }
}

@Suite struct SendRateEstimatorTests {
  @Test(arguments: [200.0, 700, 1_500])
  func findsThePathsRate(kilobits: Double) {
    var path = Path(kilobits: kilobits)
    path.run(seconds: 40)
    let estimate = Double(path.estimator.estimate.bitsPerSecond) / 1_000
    #expect((0.6 * kilobits...1.15 * kilobits).contains(estimate))
    #expect(path.queue < .milliseconds(250))
  }

  @Test func fallsWithThePathAndStaysOffItsQueue() {
    var path = Path(kilobits: 2_000)
    path.run(seconds: 40)
    path.rate = 300_000
    // This link's queue has no end.
    path.run(seconds: 15)
    #expect(path.estimator.estimate <= .kilobits(320))
    #expect(path.queue < .milliseconds(100))
  }

  /// One packet in 25, or in four, whatever is sent.
  @Test(arguments: [25, 4] as [Int64]) func aPathsOwnLossDoesNotWearTheRateDown(interval: Int64) {
    var path = Path(kilobits: 1_000)
    path.run(seconds: 30, losing: interval)
    #expect(path.estimator.estimate >= .kilobits(500))
  }

  @Test func silenceOfThePeerLowersTheRate() {
    var estimator = SendRateEstimator(
      feedback: .transportWide, start: .kilobits(1_000), limits: .kilobits(30)...(.kilobits(3_000)))
    var now = MonotonicInstant(nanoseconds: 0)
    for number in 0..<500 as Range<Int64> {
      estimator.send(number: number, byteCount: 1_000, now: now)
      now = now + .milliseconds(10)
    }
    // No lower than a quarter: the path may just be dark.
    #expect(estimator.estimate == .kilobits(250))
  }

  @Test func aPeerThatWasSilentForAMomentCostsLittle() {
    var path = Path(kilobits: 1_500)
    path.run(seconds: 30)
    let before = path.estimator.estimate.bitsPerSecond
    path.isSilent = true
    path.run(seconds: 2.5)
    #expect(path.estimator.estimate.bitsPerSecond <= before / 2)
    path.isSilent = false
    path.run(seconds: 4)
    #expect(path.estimator.estimate.bitsPerSecond >= before * 3 / 4)
  }

  /// What the path is known to take, a key frame does not exceed by much.
  @Test func pacingIsEvenWhereThePathIsKnown() {
    var path = Path(kilobits: 3_500)
    path.run(seconds: 5)
    let free = path.estimator.plan(now: path.now)
    #expect(!free.isEven && free.pacingRate.bitsPerSecond == free.estimate.bitsPerSecond * 5 / 2)
    path.rate = 400_000
    path.run(seconds: 10)
    let known = path.estimator.plan(now: path.now)
    #expect(known.isEven && known.pacingRate <= .kilobits(480))
  }

  @Test func aProbeRaisesTheRateAndAFullPathDoesNot() throws {
    for (gap, isRaised) in [(1.0, true), (4.0, false)] {
      var estimator = SendRateEstimator(
        feedback: .transportWide, start: .kilobits(500), limits: .kilobits(30)...(.kilobits(3_000)))
      var now = MonotonicInstant(nanoseconds: 0)
      let taken = estimator.takeProbe(now: now)
      let probe = try #require(taken)
      #expect(probe.rate == .kilobits(1_000))
      #expect(estimator.takeProbe(now: now) == nil)
      estimator.beginFeedback()
      for number in 0..<10 as Range<Int64> {
        estimator.send(number: number, byteCount: 250, probe: probe.id, now: now)
        // Arrives as evenly as it is sent, or four times as slowly.
        let arrival = TimeSpan(nanoseconds: Int64(2_000_000 * gap) * number)
        estimator.report(number: number, arrival: arrival, now: now)
        now = now + .milliseconds(2)
      }
      estimator.endFeedback(now: now)
      #expect((estimator.estimate > .kilobits(900)) == isRaised)
    }
  }

  @Test func reportsAndReceiverEstimatesServeWithoutNumbers() {
    var estimator = SendRateEstimator(
      feedback: .reports, start: .kilobits(500), limits: .kilobits(30)...(.kilobits(1_000)))
    #expect(estimator.estimate == .kilobits(1_000))
    var now = MonotonicInstant(nanoseconds: 1_000_000_000)
    func report(_ fraction: UInt8, packets: Int = 100) {
      for _ in 0..<packets { estimator.sendUnnumbered(byteCount: 1_000, now: now) }
      now = now + .seconds(1)
      estimator.noteReportedLoss(fraction, now: now)
    }
    for _ in 0..<4 { report(100) }
    let lowered = estimator.estimate
    #expect(lowered < .kilobits(800))
    for _ in 0..<60 { report(0) }
    #expect(estimator.estimate == .kilobits(1_000))
    // Half of two packets says nothing yet.
    for _ in 0..<8 { report(128, packets: 2) }
    #expect(estimator.estimate == .kilobits(1_000))
    for _ in 0..<50 { estimator.sendUnnumbered(byteCount: 1_000, now: now) }
    estimator.noteReceiverEstimate(.kilobits(333), now: now)
    #expect(estimator.estimate == .kilobits(333))
    estimator.noteReceiverEstimate(Bitrate(bitsPerSecond: 0), now: now)
    #expect(estimator.estimate == .kilobits(30))
    // Once it is known that nothing waits on the path.
    now = now + .seconds(1)
    estimator.notePathRoundTrip(.milliseconds(20), now: now)
    estimator.noteReceiverEstimate(Bitrate(bitsPerSecond: .max), now: now)
    #expect(estimator.estimate == .kilobits(1_000))
  }

  @Test func absurdFeedbackIsSurvived() {
    var path = Path(kilobits: 1_000)
    path.run(seconds: 5)
    let arrivals: [Int64] = [.min / 4, .max / 4, 0, -1, 1]
    let numbers: [Int64] = [.min / 2, -1, 0, 100, 500, .max / 2]
    for arrival in arrivals {
      path.estimator.beginFeedback()
      for number in numbers {
        path.estimator.report(number: number, arrival: TimeSpan(nanoseconds: arrival), now: path.now)
      }
      path.estimator.endFeedback(now: path.now)
    }
    path.run(seconds: 30)
    #expect(path.estimator.estimate >= .kilobits(400))
  }
}

@Suite struct ReceiveRateEstimatorTests {
  @Test func followsThePath() {
    var estimator = ReceiveRateEstimator(start: .kilobits(500), limits: .kilobits(30)...(.kilobits(2_500)))
    var now = MonotonicInstant(nanoseconds: 5_000_000_000)
    var freeAt = now
    func pass(_ kilobits: Double, seconds: Int64) {
      let end = now + .seconds(seconds)
      while now < end {
        // The peer sends what it was told; its clock is another one.
        freeAt = max(freeAt, now) + TimeSpan(nanoseconds: Int64(8_000 / kilobits * 1e6))
        estimator.receive(
          sent: TimeSpan(nanoseconds: now.nanoseconds - 77_000_000_000), byteCount: 1_000,
          roundTrip: .milliseconds(40), now: freeAt)
        now = now + TimeSpan(nanoseconds: Int64(8_000e9 / Double(estimator.estimate.bitsPerSecond)))
      }
    }
    pass(1_000, seconds: 30)
    #expect((.kilobits(600)...(.kilobits(1_150))).contains(estimator.estimate))
    pass(300, seconds: 10)
    #expect((.kilobits(150)...(.kilobits(340))).contains(estimator.estimate))
  }
}
