import MediaCore
import SystemSupport
import Testing

@testable import MediaPipeline

private func at(_ milliseconds: Int64) -> MonotonicInstant {
  MonotonicInstant(nanoseconds: 0) + .milliseconds(milliseconds)
}

@Suite("What programs print") struct PrintedLinesTests {
  private static func lines(_ pieces: [String]) -> [String] {
    var (splitter, lines) = (LineSplitter(), [String]())
    for piece in pieces { Array(piece.utf8).withUnsafeBytes { splitter.add($0) { lines.append($0) } } }
    splitter.end { lines.append($0) }
    return lines
  }

  @Test func linesEndAtLineFeedsAndCarriageReturns() {
    #expect(Self.lines(["one\ntw", "o\r\n\n", "three\rfour"]) == ["one", "two", "three", "four"])
  }

  @Test func aLineWithoutEndCostsNoMemory() {
    let lines = Self.lines(Array(repeating: String(repeating: "x", count: 1_000), count: 50) + ["\nend"])
    #expect(lines == [String(repeating: "x", count: 400), "end"])
  }

  @Test func twentyAtOnceAreReportedAndTwoAMinute() {
    let reported = Mutex<[String]>([])
    let printed = PrintedLines { line in reported.withLock { $0.append(line) } }
    for index in 0..<1_000 { printed.add("\(index)", of: "exec:x", now: at(0)) }
    #expect(reported.withLock { $0.count } == 20)
    printed.add("later", of: "exec:x", now: at(30_000))
    printed.add("too soon", of: "exec:x", now: at(30_001))
    #expect(reported.withLock { $0.last } == "exec:x: later (980 lines before it were left out)")
  }

  @Test func linesCommandNoTerminalAndShowNoPassword() {
    let reported = Mutex<[String]>([])
    let printed = PrintedLines { line in reported.withLock { $0.append(line) } }
    printed.add("\u{1B}[2J rtsp://me:secret@10.0.0.8/a: refused", of: "exec:ffmpeg", now: at(0))
    #expect(reported.withLock { $0 } == ["exec:ffmpeg: \\u{1B}[2J rtsp://me:…@10.0.0.8/a: refused"])
  }
}

@Suite("What comes too fast") struct LeakyBucketTests {
  /// How many of so many ones are taken.
  private static func taken(_ count: Int, by bucket: inout LeakyBucket, at milliseconds: Int64) -> Int {
    var taken = 0
    for _ in 0..<count where bucket.add(1, now: at(milliseconds)) { taken += 1 }
    return taken
  }

  @Test func aBurstIsTakenAndNoMore() {
    var bucket = LeakyBucket(capacity: 10, rate: 5)
    let taken = [0, 100, 200, 210, 60_000].map { Self.taken(20, by: &bucket, at: $0) }
    #expect(taken == [10, 0, 1, 0, 10])
  }

  @Test func aCameraOfTwiceItsRateIsNoFlood() {
    var flow = FrameFlow(frameRate: 30)
    #expect((0..<6_000).allSatisfy { flow.add(now: at(Int64($0) * 1_000 / 60)) })
    #expect(!(0..<6_000).allSatisfy { flow.add(now: at(100_000 + Int64($0) * 1_000 / 500)) })
  }

  @Test func soundOfAFastClockIsTakenForDays() {
    var flow = LeakyBucket(capacity: 48_000 * 5, rate: 48_000 * 1.02)
    // A hundredth too fast, for a day.
    #expect((0..<864_000).allSatisfy { flow.add(4_848, now: at(Int64($0) * 100)) })
    #expect(!(0..<1_000).allSatisfy { flow.add(4_848, now: at(86_400_000 + Int64($0) * 10)) })
  }
}
