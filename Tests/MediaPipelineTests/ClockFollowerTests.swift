import Foundation
import MediaCore
import Testing

@testable import MediaPipeline

@Suite struct ClockFollowerTests {
  /// Runs two clocks that differ by so many parts per million against each other, half a second at a time.
  private func offsets(
    of follower: ClockFollower = ClockFollower(timeConstant: .seconds(10)), error: Double, seconds: Int
  ) -> (worst: Double, last: Double, correction: Double) {
    var follower = follower
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

  @Test func toleratesWhatWanders() {
    var follower = ClockFollower(timeConstant: .seconds(20), tolerance: .milliseconds(4))
    for step in Int64(0)..<200 {
      follower.follow(.milliseconds(step % 9 - 4), over: .milliseconds(500))
      #expect(follower.correction == 0)
    }
  }

  @Test(arguments: [-200.0, 50, 200])
  func learnsTheDifferenceBeyondWhatItTolerates(error: Double) {
    let follower = ClockFollower(timeConstant: .seconds(20), tolerance: .milliseconds(4))
    let result = offsets(of: follower, error: error, seconds: 600)
    #expect(abs(result.correction - error) < 2)
    #expect(abs(result.last) < 0.004_1)
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
