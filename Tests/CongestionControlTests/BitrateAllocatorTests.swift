import CongestionControl
import MediaCore
import Testing

@Suite struct BitrateAllocatorTests {
  private func makeOwner(layers: Int = 3) -> BitrateAllocator {
    BitrateAllocator(
      BitrateAllocator.Configuration(maximum: .kilobits(800), overhead: .kilobits(50), temporalLayers: layers))
  }

  private func instant(_ milliseconds: Int64) -> MonotonicInstant {
    MonotonicInstant(nanoseconds: 0) + .milliseconds(milliseconds)
  }

  @Test func withoutViewersTheConfiguredRateHolds() {
    var owner = makeOwner()
    #expect(owner.encoderRate == .kilobits(800))
    owner.update("a", estimate: .kilobits(300), now: instant(0))
    #expect(owner.encoderRate == .kilobits(235))
    owner.remove("a", now: instant(10))
    #expect(owner.encoderRate == .kilobits(800))
    #expect(owner.share(of: "a") == .layers(3))
  }

  @Test func theLowestOfSimilarViewersCounts() {
    var owner = makeOwner()
    owner.update("a", estimate: .kilobits(1_000), now: instant(0))
    owner.update("b", estimate: .kilobits(700), now: instant(0))
    #expect(owner.encoderRate == .kilobits(615))
    #expect(owner.share(of: "b") == .layers(3))
  }

  @Test(arguments: [(600, 520, 2), (420, 800, 1), (150, 800, 0)])
  func oneThatTakesMuchLessIsThinned(estimate: Int, encoder: Int, layers: Int) {
    var owner = makeOwner()
    owner.update("fast", estimate: .kilobits(2_000), now: instant(0))
    owner.update("slow", estimate: .kilobits(estimate), now: instant(0))
    owner.decide(now: instant(4_000))
    #expect(owner.encoderRate == .kilobits(estimate == 600 ? 520 : encoder))
    #expect(owner.share(of: "fast") == .layers(3))
    let expected: VideoShare = layers == 0 ? .keyFramesOnly : .layers(estimate == 600 ? 3 : layers)
    #expect(owner.share(of: "slow") == expected)
  }

  @Test func `of five viewers, one may be slow for a moment`() {
    var owner = makeOwner(layers: 1)
    for name in ["a", "b", "c", "d", "e"] { owner.update(name, estimate: .kilobits(1_000), now: instant(0)) }
    owner.update("e", estimate: .kilobits(600), now: instant(100))
    #expect(owner.encoderRate == .kilobits(800))
    owner.update("d", estimate: .kilobits(650), now: instant(200))
    #expect(owner.encoderRate == Bitrate(bitsPerSecond: 567_500))
    owner.update("d", estimate: .kilobits(1_000), now: instant(300))
    #expect(owner.encoderRate == .kilobits(800))
    // What lasts is not a moment, and the one viewer is not left behind.
    owner.update("e", estimate: .kilobits(590), now: instant(4_200))
    #expect(owner.encoderRate == Bitrate(bitsPerSecond: 510_500))
    #expect(owner.share(of: "e") == .layers(1))
  }

  @Test func theArchivesFloorHolds() {
    var owner = makeOwner()
    owner.floor = .kilobits(500)
    owner.update("a", estimate: .kilobits(400), now: instant(0))
    #expect(owner.encoderRate == .kilobits(500))
    // 330 kbit/s are enough for the two lower layers of 500.
    #expect(owner.share(of: "a") == .layers(2))
    owner.update("a", estimate: .kilobits(60), now: instant(10))
    #expect(owner.encoderRate == .kilobits(500))
    owner.decide(now: instant(4_010))
    #expect(owner.share(of: "a") == .keyFramesOnly)
    owner.floor = nil
    owner.decide(now: instant(4_020))
    #expect(owner.encoderRate == .kilobits(80))
  }

  @Test func whatLastsForAMomentTakesNoPictures() {
    var owner = makeOwner()
    owner.update("fast", estimate: .kilobits(2_000), now: instant(0))
    owner.update("slow", estimate: .kilobits(100), now: instant(0))
    owner.decide(now: instant(3_900))
    #expect(owner.share(of: "slow") == .layers(1))
    owner.update("slow", estimate: .kilobits(460), now: instant(3_950))
    owner.update("slow", estimate: .kilobits(100), now: instant(4_000))
    owner.decide(now: instant(7_900))
    #expect(owner.share(of: "slow") == .layers(1))
    owner.decide(now: instant(8_000))
    #expect(owner.share(of: "slow") == .keyFramesOnly)
  }

  /// As that of somebody who has just come does.
  @Test func oneWhoseEstimateOnlyRisesKeepsThePictures() {
    var owner = makeOwner()
    owner.update("fast", estimate: .kilobits(2_000), now: instant(0))
    for second in 0...6 {
      owner.update("new", estimate: .kilobits(200 + 20 * second), now: instant(1_000 * Int64(second)))
    }
    #expect(owner.share(of: "new") == .layers(1))
    // It falls: no longer.
    owner.update("new", estimate: .kilobits(300), now: instant(6_500))
    #expect(owner.share(of: "new") == .keyFramesOnly)
  }

  @Test func oneWhoseEstimateRisesTooSlowlyGetsNoPicturesInTheEnd() {
    var owner = makeOwner()
    owner.update("fast", estimate: .kilobits(2_000), now: instant(0))
    for second in 0...12 {
      owner.update("new", estimate: .kilobits(200 + 10 * second), now: instant(1_000 * Int64(second)))
    }
    #expect(owner.share(of: "new") == .keyFramesOnly)
  }

  @Test func layersComeBackOnlyForGood() {
    var owner = makeOwner()
    owner.update("fast", estimate: .kilobits(2_000), now: instant(-4_000))
    owner.update("slow", estimate: .kilobits(100), now: instant(-4_000))
    owner.decide(now: instant(0))
    #expect(owner.share(of: "slow") == .keyFramesOnly)
    owner.update("slow", estimate: .kilobits(460), now: instant(100))
    // A dip begins the wait anew.
    owner.update("slow", estimate: .kilobits(100), now: instant(1_000))
    owner.update("slow", estimate: .kilobits(460), now: instant(1_100))
    owner.decide(now: instant(3_000))
    #expect(owner.share(of: "slow") == .keyFramesOnly)
    owner.decide(now: instant(3_100))
    #expect(owner.share(of: "slow") == .layers(1))
    // One that takes the whole rate gets it all at once, after half a second.
    owner.update("slow", estimate: .kilobits(1_000), now: instant(6_000))
    owner.decide(now: instant(6_400))
    #expect(owner.share(of: "slow") == .layers(1))
    owner.decide(now: instant(6_500))
    #expect(owner.share(of: "slow") == .layers(3))
    #expect(owner.encoderRate == .kilobits(800))
  }

  @Test func smallChangesLeaveTheEncoderAlone() {
    var owner = makeOwner()
    owner.update("a", estimate: .kilobits(600), now: instant(0))
    let rate = owner.encoderRate
    owner.update("a", estimate: .kilobits(592), now: instant(10))
    #expect(owner.encoderRate == rate)
    owner.update("a", estimate: .kilobits(612), now: instant(20))
    #expect(owner.encoderRate == rate)
    owner.update("a", estimate: .kilobits(560), now: instant(30))
    #expect(owner.encoderRate < rate)
  }
}
