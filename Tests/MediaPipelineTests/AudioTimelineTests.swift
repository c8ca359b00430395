import MediaCore
import Testing

@testable import MediaPipeline

private func instant(_ milliseconds: Double) -> MonotonicInstant {
  MonotonicInstant(nanoseconds: Int64(milliseconds * 1e6))
}

/// What came out.
private final class PacketLog {
  var starts: [MonotonicInstant] = []
  var samples: [Int16] = []

  func keep(_ packet: Span<Int16>, _ start: MonotonicInstant) {
    starts.append(start)
    packet.withUnsafeBufferPointer { samples += $0 }
  }
}

/// Puts whole periods of 10 ms of a constant level in and keeps what comes out.
private struct Recording: ~Copyable {
  var timeline: AudioTimeline
  private let log = PacketLog()
  private let period: [Int16]

  init(rate: Int = 48_000, channels: Int = 1) throws {
    var timeline = try AudioTimeline(channels: channels)
    try timeline.setInputRate(rate)
    self.timeline = timeline
    period = [Int16](repeating: 1_000, count: rate / 100 * channels)
  }

  var starts: [MonotonicInstant] { log.starts }

  mutating func append(from milliseconds: Double, periods: Int = 1) {
    let (log, period) = (log, period)
    for index in 0..<periods {
      let stamp = instant(milliseconds + Double(index * 10))
      timeline.append(period.span, capturedAt: stamp) { log.keep($0, $1) }
    }
  }

  mutating func addSilence(until milliseconds: Double) {
    let log = log
    timeline.addSilence(until: instant(milliseconds)) { log.keep($0, $1) }
  }

  /// Whether each packet begins where the last one ended.
  var isGapless: Bool {
    zip(log.starts, log.starts.dropFirst()).allSatisfy { $1 - $0 == .milliseconds(20) }
  }

  /// The level at an instant of the timeline.
  func level(at milliseconds: Double) -> Int16 {
    log.samples[Int((milliseconds * 1e6 - Double(log.starts[0].nanoseconds)) * 48 / 1e6)]
  }
}

@Suite struct AudioTimelineTests {
  @Test func beginsWithTheFirstStamp() throws {
    var recording = try Recording()
    recording.append(from: 1_000.5, periods: 11)
    let (starts, isGapless) = (recording.starts, recording.isGapless)
    #expect(starts.first == instant(1_000.5))
    #expect(starts.count == 5)
    #expect(isGapless)
  }

  @Test func fillsAnOverrunWithSilence() throws {
    var recording = try Recording()
    recording.append(from: 0, periods: 10)
    recording.timeline.interrupt()
    recording.append(from: 150, periods: 20)
    let isGapless = recording.isGapless
    #expect(isGapless)
    let levels = [recording.level(at: 90), recording.level(at: 125), recording.level(at: 160)]
    #expect(levels[0] > 950 && levels[1] == 0 && levels[2] > 950)
  }

  @Test func leavesOutWhatIsToldAlready() throws {
    var recording = try Recording()
    recording.append(from: 0, periods: 10)
    recording.timeline.interrupt()
    recording.addSilence(until: 500)
    // What the card held meanwhile comes late.
    recording.append(from: 455, periods: 20)
    let (isGapless, end) = (recording.isGapless, recording.timeline.end!)
    #expect(isGapless)
    #expect(abs((end - instant(655)).nanoseconds) < 1_000_000)
    let levels = [recording.level(at: 490), recording.level(at: 510)]
    #expect(levels[0] == 0 && levels[1] > 950)
  }

  @Test func noticesSoundThatWasLostWithoutAWord() throws {
    var recording = try Recording()
    recording.append(from: 0, periods: 100)
    recording.append(from: 1_040, periods: 200)
    let (isGapless, end) = (recording.isGapless, recording.timeline.end!)
    #expect(isGapless)
    #expect(abs((end - instant(3_040)).nanoseconds) < 2_000_000)
  }

  @Test func noticesSoundThatCameTwice() throws {
    var recording = try Recording()
    recording.append(from: 0, periods: 100)
    recording.append(from: 970, periods: 200)
    let (isGapless, end) = (recording.isGapless, recording.timeline.end!)
    #expect(isGapless)
    #expect(abs((end - instant(2_970)).nanoseconds) < 2_000_000)
  }

  /// As a sound server delivers that has just been asked: late, then with the rest at once.
  @Test(arguments: [-8.0, 8])
  func putsRightHowTheFirstStampsErred(error: Double) throws {
    var recording = try Recording()
    recording.append(from: error, periods: 3)
    recording.append(from: 30, periods: 197)
    let (isGapless, end, correction) = (recording.isGapless, recording.timeline.end!, recording.timeline.correction)
    #expect(isGapless)
    // The resampler's filter holds half a millisecond.
    #expect(abs((end - instant(2_000)).nanoseconds) < 750_000)
    #expect(abs(correction) < 25)
  }

  @Test func stepsOverWhatIsLongerThanFiveSeconds() throws {
    var recording = try Recording()
    recording.append(from: 0, periods: 10)
    recording.timeline.interrupt()
    recording.append(from: 100_000_000, periods: 10)
    let starts = recording.starts
    #expect(starts.allSatisfy { ($0 - starts[0]).nanoseconds % 20_000_000 == 0 })
    #expect(zip(starts, starts.dropFirst()).filter { $1 - $0 != .milliseconds(20) }.count == 1)
    #expect((240...260).contains(starts.count))
    #expect(starts.last! > instant(100_000_000))
  }

  @Test func goesOnWithAnotherCard() throws {
    var recording = try Recording(channels: 2)
    recording.append(from: 0, periods: 10)
    try recording.timeline.setInputRate(44_100)
    let period = [Int16](repeating: 1_000, count: 882)
    var last: MonotonicInstant?
    for index in 0..<10 {
      recording.timeline.append(period.span, capturedAt: instant(Double(200 + index * 10))) { packet, start in
        #expect(packet.count == 1_920)
        last = start
      }
    }
    #expect(last == instant(260))
  }

  @Test func startsSilentWithoutADevice() throws {
    var recording = try Recording()
    recording.addSilence(until: 10)
    for time in stride(from: 17.3, to: 200, by: 7.3) { recording.addSilence(until: time) }
    let (starts, isGapless) = (recording.starts, recording.isGapless)
    #expect(starts.first == instant(10))
    #expect(starts.count == 9)
    #expect(isGapless)
  }
}
