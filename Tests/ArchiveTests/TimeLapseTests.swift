import MediaCore
import TestSupport
import RealtimeRuntime
import Signalling
import Testing

@testable import Archive

@Suite(.timeLimit(.minutes(1))) struct TimeLapseTests {
  private let start = RecordingStage.start

  private func header(_ milliseconds: Int64, isKeyFrame: Bool = true) -> EncodedFrameHeader {
    EncodedFrameHeader(
      kind: .video, timestamp: start + .milliseconds(milliseconds), duration: .milliseconds(33), isKeyFrame: isKeyFrame,
      number: 0)
  }

  @Test func ofKeyFramesOneEachIntervalIsShownThirtyASecond() {
    var pace = TimeLapsePace(TimeLapse(interval: .seconds(10)))
    var taken: [(at: Int64, shown: Int64)] = []
    for second in Int64(0)..<3_000 {
      guard let shown = pace.take(header(second * 100, isKeyFrame: second % 4 == 0)) else { continue }
      taken.append((second * 100, (shown.timestamp - start).milliseconds))
    }
    #expect(taken.count == 30)
    #expect(taken.map(\.at) == (0..<30).map { $0 * 10_000 })
    #expect(taken.map(\.shown) == (0..<30).map { $0 * 1_000 / 30 })
  }

  @Test func aPictureThatCameLateDelaysNoOther() {
    var pace = TimeLapsePace(TimeLapse(interval: .seconds(10)))
    var taken: [Int64] = []
    for time in [0, 9_700, 10_700, 20_100, 55_000, 60_000, 65_100] as [Int64] where pace.take(header(time)) != nil {
      taken.append(time)
    }
    #expect(taken == [0, 10_700, 20_100, 55_000, 65_100], "those that are missing are not made up for")
  }

  @Test func aPictureCapturedJustBeforeItWasAskedForIsTaken() {
    var pace = TimeLapsePace(TimeLapse(interval: .seconds(1)))
    _ = pace.take(header(0))
    let isAsked = pace.needsRequest(now: start + .milliseconds(1_000))
    #expect(isAsked)
    #expect(pace.take(header(970)) != nil)
    #expect(pace.timeUntilDue(now: start + .milliseconds(1_000)) == .seconds(1), "the next is due when it always was")
    #expect(pace.take(header(1_500)) == nil)
    let isAskedAgain = pace.needsRequest(now: start + .milliseconds(2_000))
    #expect(isAskedAgain)
  }

  @Test func aPictureIsAskedForWhenItIsDueAndOnceASecond() {
    var pace = TimeLapsePace(TimeLapse(interval: .seconds(10)))
    var asked: [Int64] = []
    for time in stride(from: Int64(0), to: 13_000, by: 100) {
      if time == 500 { _ = pace.take(header(500)) }
      if pace.needsRequest(now: start + .milliseconds(time)) { asked.append(time) }
    }
    #expect(asked == [0, 10_500, 11_500, 12_500])
    #expect(pace.timeUntilDue(now: start + .seconds(4)) == .milliseconds(6_500))
    #expect(pace.timeUntilDue(now: start + .seconds(11)) == nil)
  }

  @Test func anArchivePlaysFastAndSaysSo() async throws {
    let stage = try RecordingStage()
    let recorder = try stage.startTimeLapse(.seconds(2))
    var description = ArchiveStreamDescription(streamID: "device", hasAudio: false)
    description.timeLapse = TimeLapse(interval: .seconds(2))
    description.history = .nothing
    let inbox = try recorder.addStream(description) {}
    let video = try SampleMedia.video()
    let keyFrame = try #require(video.first { $0.isKeyFrame })
    for index in Int64(0)..<60 {
      let isPushed = inbox.push(header(index * 1_000), payload: keyFrame.payload.span.bytes)
      #expect(isPushed)
    }
    let manifest = await recorder.stop()
    #expect(manifest.timeLapseInterval == 2_000)
    #expect(manifest.files.map(\.stopTimeOffset) == [999])
    #expect(manifest.endedAt - manifest.createdAt == 60_000)
    #expect(try stage.store.verify(RecordingStage.id) == [])
    let path = try stage.path("device.webm")
    #expect(try MediaInspection.decodeWarnings(path) == "")
    #expect(try MediaInspection.packets(path).map(\.milliseconds) == (0..<30).map { $0 * 1_000 / 30 })
  }
}
