import Foundation
import MediaCore
import TestSupport
import Testing

@testable import MediaPipeline

@Suite struct ClockFollowerTests {
  /// Runs two clocks that differ by so many parts per million against each other, half a second at a time.
  private func offsets(error: Double, seconds: Int) -> (worst: Double, last: Double, correction: Double) {
    var follower = ClockFollower(timeConstant: .seconds(10))
    var (offset, worst) = (0.0, 0.0)
    for _ in 0..<(2 * seconds) {
      offset += (error - follower.correction) * 1e-6 * 0.5
      worst = max(worst, abs(offset))
      follower.follow(TimeSpan(nanoseconds: Int64(offset * 1e9)), over: .milliseconds(500))
    }
    return (worst, offset, follower.correction)
  }

  @Test(arguments: [-900.0, -200, 0, 7, 200, 900])
  func learnsTheDifference(error: Double) {
    let result = offsets(error: error, seconds: 300)
    #expect(abs(result.correction - error) < 2)
    #expect(abs(result.last) < 0.000_02)
    #expect(result.worst < 0.010)
  }

  @Test func staysWithinItsLimit() {
    let result = offsets(error: 5_000, seconds: 60)
    #expect(result.correction == 1_000)
  }

  @Test func keepsWhatItLearnedThroughInterruptions() {
    var follower = ClockFollower(timeConstant: .seconds(10))
    for _ in 0..<200 { follower.follow(.milliseconds(1), over: .milliseconds(500)) }
    let before = follower.correction
    follower.interrupt()
    follower.follow(.milliseconds(1), over: .milliseconds(500))
    #expect(follower.correction == before)
  }
}

@Suite struct PlayoutLevelTests {
  /// An hour of packets over a network with jitter, from a sender whose clock is wrong: what waits stays near the target.
  @Test(arguments: [-200.0, 0, 200])
  func keepsTheLevel(error: Double) {
    var random = SeededGenerator(seed: 3)
    var level = PlayoutLevel(target: .milliseconds(60))
    var waiting = 60.0
    var (lowest, highest) = (60.0, 60.0)
    for packet in 0..<180_000 {
      // What the sender sends too much, and what is made of it too much or too little.
      waiting += 20 * (error + level.correction) * 1e-6
      let measured = waiting + Double.random(in: -20...20, using: &random)
      _ = level.note(TimeSpan(nanoseconds: Int64(measured * 1e6)), over: .milliseconds(20))
      if packet > 3_000 { (lowest, highest) = (min(lowest, waiting), max(highest, waiting)) }
    }
    #expect(lowest > 50 && highest < 70)
  }
}
