import MediaCore
import Testing

@testable import Archive

@Suite struct StreamAllowanceTests {
  private static let start = MonotonicInstant(nanoseconds: 1_000_000_000)

  /// What of a stream is admitted, in bytes a second over the time.
  private func admitted(
    _ allowance: inout StreamAllowance, kind: MediaKind = .video, bytesPerSecond: Int, seconds: Int, from: Int = 0,
    keyFrameEvery interval: Int = 90
  ) -> Int {
    var bytes = 0
    for frame in 0..<(seconds * 30) {
      let header = EncodedFrameHeader(
        kind: kind, timestamp: Self.start, duration: .milliseconds(33), isKeyFrame: frame % interval == 0,
        number: UInt32(frame))
      let now = Self.start + .milliseconds(Int64(from * 1_000 + frame * 1_000 / 30))
      if allowance.admits(header, byteCount: bytesPerSecond / 30, now: now) { bytes += bytesPerSecond / 30 }
    }
    return bytes / seconds
  }

  @Test func whatKeepsToTheRateIsAdmitted() {
    var allowance = StreamAllowance(.kilobits(800))
    #expect(admitted(&allowance, bytesPerSecond: 98_400, seconds: 600) == 98_400)
    #expect(allowance.refused == 0)
  }

  @Test func aFloodIsHeldToTheRate() {
    var allowance = StreamAllowance(.kilobits(800))
    let rate = admitted(&allowance, bytesPerSecond: 10_000_000, seconds: 600)
    #expect((50_000...104_000).contains(rate))
    #expect(allowance.refused > 0)
    // It recovers.
    #expect(admitted(&allowance, bytesPerSecond: 90_000, seconds: 60, from: 640) == 90_000)
  }

  @Test func soundIsHeldToTheRateToo() {
    var allowance = StreamAllowance(.kilobits(800))
    #expect((90_000...104_000).contains(admitted(&allowance, kind: .audio, bytesPerSecond: 9_000_000, seconds: 600)))
  }

  @Test func manyTinyFramesAreNotFree() {
    var allowance = StreamAllowance(.kilobits(800))
    #expect(admitted(&allowance, bytesPerSecond: 30, seconds: 60) == 30)
    var count = 0
    for number in 0..<1_000_000 {
      let header = EncodedFrameHeader(
        kind: .audio, timestamp: Self.start, duration: .zero, isKeyFrame: true, number: UInt32(number))
      if allowance.admits(header, byteCount: 1, now: Self.start + .seconds(60)) { count += 1 }
    }
    #expect(count <= 2_000_000 / 17)
  }

  @Test func picturesBeginAgainWithAKeyFrame() {
    var allowance = StreamAllowance(.kilobits(800))
    var wasRefused = false
    for second in 0..<120 {
      for frame in 0..<30 {
        let header = EncodedFrameHeader(
          kind: .video, timestamp: Self.start, duration: .milliseconds(33), isKeyFrame: frame == 0,
          number: UInt32(second * 30 + frame))
        let isAdmitted = allowance.admits(
          header, byteCount: 20_000, now: Self.start + .milliseconds(Int64(second * 1_000 + frame * 33)))
        if wasRefused, isAdmitted { #expect(header.isKeyFrame) }
        wasRefused = !isAdmitted
      }
    }
    #expect(allowance.refused > 0)
  }
}
