import CongestionControl
import MediaCore
import Testing

@Suite struct ReceiverEstimateTests {
  @Test func `a receiver that pauses for half a second has its rate back within 3 s`() {
    var path = RemoteEstimatePath(kilobits: 10_000)
    path.run(seconds: 20)
    #expect(path.estimateKilobits >= 950)
    path.pause(.milliseconds(500))
    path.run(seconds: 1)
    #expect(path.estimateKilobits < 600)
    path.run(seconds: 3)
    #expect(path.estimateKilobits >= 900)
  }

  @Test func `a path that has become longer for good is no queue for ever`() {
    var path = RemoteEstimatePath(kilobits: 10_000)
    path.run(seconds: 20)
    path.delay = .milliseconds(300)
    path.run(seconds: 70)
    path.pause(.milliseconds(500))
    path.run(seconds: 5)
    #expect(path.estimateKilobits >= 900)
  }

  @Test func `who is sent little is not taken for one who can take little`() {
    var path = RemoteEstimatePath(kilobits: 10_000)
    path.run(seconds: 10)
    path.demand = { min($0, 50_000) }
    path.run(seconds: 60)
    #expect(path.estimateKilobits >= 900)
  }

  /// All that it is sent is sound and a picture now and then, whatever it takes.
  @Test func `a path that widens is found out without pictures`() {
    var path = RemoteEstimatePath(kilobits: 100)
    path.run(seconds: 10)
    path.demand = { min($0, 50_000) }
    path.run(seconds: 10)
    #expect(path.estimateKilobits <= 150)
    path.capacity = 10_000_000
    path.run(seconds: 15)
    #expect(path.estimateKilobits >= 900)
  }

  @Test(arguments: [100.0, 250, 400, 700])
  func `a narrow path is respected`(kilobits: Double) {
    var path = RemoteEstimatePath(kilobits: kilobits)
    // What is sent before the first estimate has to leave the queue.
    path.run(seconds: 90)
    path.forgetQueue()
    var sum = 0
    for _ in 0..<60 {
      path.run(seconds: 1)
      sum += path.estimateKilobits
    }
    // What a queue takes for a moment, and an attempt at more, even out.
    #expect(Double(sum) / 60 <= 1.3 * kilobits)
    #expect(Double(sum) / 60 >= 0.6 * kilobits)
    #expect(path.longestQueue <= .milliseconds(600))
  }

  @Test(arguments: [(0.03, 850), (0.1, 600), (0.2, 400)])
  func `what a path loses by its nature lowers little`(loss: Double, kilobits: Int) {
    var path = RemoteEstimatePath(kilobits: 10_000)
    path.inherentLoss = loss
    path.run(seconds: 30)
    for _ in 0..<60 {
      path.run(seconds: 1)
      #expect(path.estimateKilobits >= kilobits)
    }
  }

  @Test func `a fall of the path counts at once`() {
    var path = RemoteEstimatePath(kilobits: 2_000)
    path.run(seconds: 20)
    path.capacity = 400_000
    path.run(seconds: 2)
    #expect(path.estimateKilobits <= 400)
    path.run(seconds: 4)
    path.forgetQueue()
    path.run(seconds: 30)
    #expect(path.longestQueue <= .milliseconds(500))
  }

  @Test func `a receiver's wish holds`() {
    var path = RemoteEstimatePath(kilobits: 10_000)
    path.wish = 256_000
    path.run(seconds: 5)
    for _ in 0..<40 {
      path.run(seconds: 1)
      #expect(path.estimateKilobits <= 256)
    }
    path.wish = nil
    path.run(seconds: 20)
    #expect(path.estimateKilobits >= 900)
  }

  @Test func `absurd times and estimates are survived`() {
    var path = RemoteEstimatePath(kilobits: 1_000)
    path.run(seconds: 2)
    let instants: [Int64] = [0, 1, .max / 4, 5]
    for nanoseconds in instants {
      let now = MonotonicInstant(nanoseconds: nanoseconds)
      path.estimator.sendUnnumbered(byteCount: 1_500, now: now)
      path.estimator.noteRoundTrip(.zero, sample: .seconds(100_000), now: now)
      path.estimator.noteReceiverEstimate(Bitrate(bitsPerSecond: .max), now: now)
      path.estimator.noteReceiverEstimate(Bitrate(bitsPerSecond: 0), now: now)
      _ = path.estimator.takeProbe(now: now)
    }
    #expect(path.estimateKilobits >= 30)
  }
}
