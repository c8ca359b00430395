import MediaCore
import Testing

@testable import MediaPipeline

@Suite struct PlayoutTargetTests {
  /// Packets of 20 ms for so many seconds, each late by what `lateness` says in milliseconds.
  private func feed(_ target: inout PlayoutTarget, from start: Int, seconds: Int, lateness: (Int) -> Int64) {
    for packet in start * 50..<(start + seconds) * 50 {
      let captured = MonotonicInstant(nanoseconds: Int64(packet) * 20_000_000)
      target.note(captured: captured, arrival: captured + .milliseconds(500 + lateness(packet)))
    }
  }

  @Test func anEvenStreamWaitsLeast() {
    var target = PlayoutTarget()
    feed(&target, from: 0, seconds: 20) { Int64($0 % 4) }
    #expect(target.value == .milliseconds(60))
  }

  @Test func jitterRaisesItAndItFallsAgain() {
    var target = PlayoutTarget()
    feed(&target, from: 0, seconds: 20) { $0 % 7 == 0 ? 100 : 0 }
    #expect(target.value == .milliseconds(120))
    feed(&target, from: 20, seconds: 12) { _ in 0 }
    #expect(target.value == .milliseconds(60))
    feed(&target, from: 32, seconds: 10) { $0 % 25 == 0 ? 900 : 0 }
    #expect(target.value == .milliseconds(240))
  }

  @Test func oneStragglerRaisesNothing() {
    var target = PlayoutTarget()
    feed(&target, from: 0, seconds: 20) { $0 == 700 ? 300 : 0 }
    #expect(target.value == .milliseconds(60))
  }

  /// A path that has become longer for good is no jitter.
  @Test func aLongerPathIsForgotten() {
    var target = PlayoutTarget()
    feed(&target, from: 0, seconds: 10) { _ in 0 }
    feed(&target, from: 10, seconds: 4) { _ in 120 }
    #expect(target.value >= .milliseconds(120))
    feed(&target, from: 14, seconds: 12) { _ in 120 }
    #expect(target.value == .milliseconds(60))
  }

  @Test func whatWaitsFollowsTheTarget() {
    var level = PlayoutLevel(target: .milliseconds(160))
    var waiting = 160.0
    for packet in 0..<3_000 {
      if packet == 500 { level.target = .milliseconds(60) }
      waiting += 20 * level.correction * 1e-6
      _ = level.note(TimeSpan(nanoseconds: Int64(waiting * 1e6)), over: .milliseconds(20))
      #expect(abs(level.correction) <= 5_000)
    }
    #expect(abs(waiting - 60) < 12)
  }
}
