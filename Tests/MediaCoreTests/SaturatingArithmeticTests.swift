import MediaCore
import Testing

@Suite("Arithmetic that ends at the limits") struct SaturatingArithmeticTests {
  private static let extremes: [Int64] = [.min, .min + 1, -1_000_000_007, -1, 0, 1, 1_000_000_007, .max - 1, .max]

  @Test("As the exact result, or the nearest limit", arguments: extremes, extremes)
  func agreesWithWiderNumbers(first: Int64, second: Int64) {
    let (a, b) = (Int128(first), Int128(second))
    #expect(first.saturatingAdding(second) == Int64(clamping: a + b))
    #expect(first.saturatingSubtracting(second) == Int64(clamping: a - b))
    #expect(first.saturatingMultiplied(by: second) == Int64(clamping: a * b))
    if b != 0 { #expect(first.saturatingDivided(by: second) == Int64(clamping: a / b)) }
  }

  @Test func unsignedNumbersEndAtZeroAndTheirMaximum() {
    #expect(UInt64.max.saturatingAdding(1) == .max)
    #expect(UInt64(1).saturatingSubtracting(2) == 0)
    #expect(UInt64.max.saturatingMultiplied(by: 2) == .max)
    #expect(UInt8(5).saturatingDivided(by: 0) == .max)
  }

  @Test func divisionByZero() {
    #expect(Int64(5).saturatingDivided(by: 0) == .max)
    #expect(Int64(-5).saturatingDivided(by: 0) == .min)
    #expect(Int64(0).saturatingDivided(by: 0) == 0)
  }

  @Test(
    "Computed numbers",
    arguments: [
      (2.9, 2), (-2.9, -2), (.nan, 0), (.infinity, .max), (-.infinity, .min), (1e300, .max), (-1e300, .min),
      (9_223_372_036_854_775_808, .max), (-9_223_372_036_854_775_808, .min), (-0.0, 0),
    ] as [(Double, Int64)])
  func conversion(value: Double, expected: Int64) {
    #expect(Int64(saturating: value) == expected)
  }

  @Test func computedNumbersOfOtherTypes() {
    #expect(UInt8(saturating: 300) == 255)
    #expect(UInt8(saturating: -0.5) == 0)
    #expect(UInt8(saturating: -7) == 0)
    #expect(Bitrate(.infinity).bitsPerSecond == .max)
    #expect(Bitrate.kilobits(.max).bitsPerSecond == .max)
  }
}

@Suite("Time that no number breaks") struct TimeSpanTests {
  private static let spans = [Int64.min, -1, 0, 1, .max].map { TimeSpan(nanoseconds: $0) }

  @Test(arguments: spans, spans) func anyTwoSpans(first: TimeSpan, second: TimeSpan) {
    let instant = MonotonicInstant(nanoseconds: first.nanoseconds)
    #expect((first + second).nanoseconds == (instant + second).nanoseconds)
    #expect((first - second).nanoseconds == (instant - second).nanoseconds)
    #expect(instant - MonotonicInstant(nanoseconds: second.nanoseconds) == first - second)
    #expect(first * second.nanoseconds / second.nanoseconds <= TimeSpan(nanoseconds: .max))
    #expect(first.magnitude >= .zero)
  }

  @Test func unitsOfAnyCount() {
    #expect(TimeSpan.seconds(.max) == TimeSpan.milliseconds(.max))
    #expect(TimeSpan.microseconds(.min).nanoseconds == .min)
    #expect(TimeSpan(seconds: .nan) == .zero)
    #expect(TimeSpan(seconds: -1e200).nanoseconds == .min)
  }

  @Test func theDistantFutureIsNeverPast() {
    #expect(MonotonicInstant.distantFuture + .seconds(30) == .distantFuture)
    #expect(MonotonicInstant(seconds: .max, nanoseconds: .max) == .distantFuture)
  }

  @Test func durationsOfEitherSign() {
    #expect(TimeSpan(Duration.milliseconds(-1_500)) == .milliseconds(-1_500))
    #expect(TimeSpan(Duration.seconds(Int64.max)).nanoseconds == .max / 4)
    #expect(TimeSpan(Duration.seconds(Int64.min)).nanoseconds == .min / 4)
  }

  @Test func framesThatNoMemoryHolds() {
    for format in [PixelFormat.yu12, .nv12, .yuyv, .rgb24] {
      #expect(format.byteCount(bytesPerLine: .max, height: .max) == .max)
    }
    #expect(PixelFormat.yu12.byteCount(bytesPerLine: 5, height: 3) == 27)
    #expect(PixelFormat.nv12.byteCount(bytesPerLine: 6, height: 3) == 30)
  }
}
