import MediaCore
import TestSupport
import RealtimeRuntime
import Signalling
import Testing

@testable import Archive

@Suite(.timeLimit(.minutes(3))) struct PreRollTests {
  /// Publishes the samples' frames that begin in a stretch of time, in the order in which threads would.
  private func publish(_ milliseconds: Range<Int64>, on bus: FrameBus) throws {
    let sounds = try SampleMedia.audio().enumerated().map { (kind: MediaKind.audio, number: $0, frame: $1) }
    let pictures = try SampleMedia.video().enumerated().map { (kind: MediaKind.video, number: $0, frame: $1) }
    let all = (sounds + pictures).filter { milliseconds.contains($0.frame.milliseconds) }
    for item in all.sorted(by: { $0.frame.milliseconds < $1.frame.milliseconds }) {
      let header = EncodedFrameHeader(
        kind: item.kind, timestamp: RecordingStage.start + .milliseconds(item.frame.milliseconds),
        duration: item.kind == .audio ? .milliseconds(20) : .milliseconds(33), isKeyFrame: item.frame.isKeyFrame,
        number: UInt32(item.number))
      bus.publish(header, payload: item.frame.payload.span.bytes)
    }
  }

  /// Publishes a stretch of time as fast as the pre-roll takes it: its inbox holds less than seven seconds of sound, and its
  /// thread looks twice a second, or whenever it gets to.
  private func publish(_ milliseconds: Range<Int64>, on bus: FrameBus, to preRoll: PreRoll) throws {
    for start in stride(from: milliseconds.lowerBound, to: milliseconds.upperBound, by: 1_000) {
      try publish(start..<min(start + 1_000, milliseconds.upperBound), on: bus)
      _ = preRoll.keptFrames(before: nil)
    }
    #expect(preRoll.inbox.audio.dropped + preRoll.inbox.video.dropped == 0)
  }

  /// Two recordings begin with the same pre-roll; frames come between asking and attaching, and some are in both.
  @Test func recordingsBeginWithWholeGroupsWithoutGapOrDuplicate() async throws {
    let stage = try RecordingStage()
    let bus = FrameBus()
    let preRoll = try PreRoll(span: .milliseconds(2_500)) {}
    bus.attach(preRoll.inbox)
    try publish(0..<7_000, on: bus, to: preRoll)
    let ids = [RecordingStage.id, ArchiveID("second")]
    let recorders = try ids.map { try stage.startRecorder($0, start: RecordingStage.start + .milliseconds(7_100)) }
    let inboxes = try recorders.map { try stage.addStream("device", to: $0, preRoll: preRoll) }
    try publish(7_000..<7_200, on: bus)
    for inbox in inboxes { bus.attach(inbox) }
    try publish(7_200..<8_200, on: bus)
    for recorder in recorders {
      try await eventually { recorder.statistics.byteCount != 0 }
    }
    try publish(8_200..<12_000, on: bus, to: preRoll)
    for (recorder, id) in zip(recorders, ids) {
      let manifest = await recorder.stop()
      // The key frame at 4 s is the last one that is 2.5 s older than the inbox's first frame.
      #expect(manifest.files.map(\.startTimeOffset) == [0])
      #expect(manifest.createdAt == RecordingStage.createdAt - 3_100)
      #expect(manifest.duration == 8)
      #expect(try stage.store.verify(id) == [])
      let path = try stage.store.path(id) + "/" + "device.webm"
      #expect(try MediaInspection.decodeWarnings(path) == "")
      let packets = try MediaInspection.packets(path)
      let video = try SampleMedia.video().map(\.milliseconds).filter { $0 >= 4_000 }
      let audio = try SampleMedia.audio().map(\.milliseconds).filter { (4_000..<12_000).contains($0) }
      #expect(packets.filter { $0.stream == 0 }.map { $0.milliseconds + 4_000 } == video)
      // The packet of the key frame's own moment goes with the groups before it if these were left already.
      let written = packets.filter { $0.stream == 1 }.map { $0.milliseconds + 4_007 }
      #expect(written == audio || written == Array(audio.dropFirst()))
    }
  }

  @Test func recordingThatEndsAtOnceStillHasThePreRoll() async throws {
    let stage = try RecordingStage()
    let bus = FrameBus()
    let preRoll = try PreRoll(span: .seconds(60)) {}
    bus.attach(preRoll.inbox)
    try publish(0..<3_000, on: bus, to: preRoll)
    let recorder = try stage.startRecorder(start: RecordingStage.start + .seconds(3))
    _ = try stage.addStream("device", to: recorder, preRoll: preRoll)
    let manifest = await recorder.stop()
    #expect(manifest.duration == 3)
    #expect(manifest.createdAt == RecordingStage.createdAt - 3_000)
  }

  @Test func soundAloneIsKeptForItsSpan() async throws {
    let preRoll = try PreRoll(span: .seconds(2)) {}
    for (number, frame) in try SampleMedia.audio().prefix(300).enumerated() {
      preRoll.inbox.push(.audio, frame, number: number)
    }
    let kept = preRoll.keptFrames(before: nil).frames
    #expect(kept.count == 101)
    #expect(kept.last?.header.timestamp == RecordingStage.start + .milliseconds(5_980))
  }

  @Test func aTakerGetsAsMuchAsItAsksFor() throws {
    let preRoll = try PreRoll(span: .seconds(5)) {}
    for (number, frame) in try SampleMedia.audio().prefix(300).enumerated() {
      preRoll.inbox.push(.audio, frame, number: number)
    }
    let since = RecordingStage.start + .seconds(4)
    #expect(preRoll.keptFrames(.since(since), before: nil).frames.first?.header.timestamp == since)
    #expect(preRoll.keptFrames(.span(.seconds(1)), before: nil).frames.count == 51)
    #expect(preRoll.keptFrames(.nothing, before: nil).frames.isEmpty)
    #expect(preRoll.keptFrames(.since(RecordingStage.start), before: nil).frames.count == 251, "no more than is kept")
  }

  @Test func anotherSpanLeavesWhatIsThere() throws {
    let preRoll = try PreRoll(span: .seconds(2)) {}
    let audio = try SampleMedia.audio().prefix(300)
    for (number, frame) in audio.prefix(150).enumerated() { preRoll.inbox.push(.audio, frame, number: number) }
    #expect(preRoll.keptFrames(before: nil).frames.count == 101)
    preRoll.keep(.seconds(4))
    for (number, frame) in audio.enumerated().dropFirst(150) { preRoll.inbox.push(.audio, frame, number: number) }
    #expect(preRoll.keptFrames(before: nil).frames.count == 201)
    preRoll.keep(.seconds(1))
    #expect(preRoll.keptFrames(before: nil).frames.count == 51)
  }

  @Test func picturesBeginWithTheKeyFrameBefore() throws {
    var history = FrameHistory(span: .seconds(60), byteLimit: 4 << 20)
    let video = try SampleMedia.video()
    for frame in video {
      let header = EncodedFrameHeader(
        kind: .video, timestamp: RecordingStage.start + .milliseconds(frame.milliseconds), duration: .milliseconds(33),
        isKeyFrame: frame.isKeyFrame, number: 0)
      history.push(header, frame.payload.span.bytes)
    }
    let keyFrames = video.filter(\.isKeyFrame).map { RecordingStage.start + .milliseconds($0.milliseconds) }
    let second = try #require(keyFrames.dropFirst().first)
    let kept = history.copy(.since(second + .milliseconds(100)), before: nil)
    #expect(kept.frames.first?.header.timestamp == second)
    #expect(history.copy(before: nil).frames.first?.header.timestamp == keyFrames.first, "the rest is still there")
  }

  @Test func aThinnedStreamTakesTheLowestLayerAlone() throws {
    let inbox = FrameInbox(audioBytes: 64 * 1024, videoBytes: 1024 * 1024, wake: try EventDescriptor())
    var description = ArchiveStreamDescription(streamID: "device")
    description.isThinned = true
    var intake = FrameIntake(
      ArchiveStreamRequest(description: description, inbox: inbox, preRoll: nil, requestKeyFrame: {}))
    var taken: [UInt32] = []
    let payload: [UInt8] = [1, 2, 3]
    for (number, layer) in [0, 2, 1, 2, 0, 2, 1, 2, 0].enumerated() {
      let header = EncodedFrameHeader(
        kind: .video, timestamp: RecordingStage.start + .milliseconds(Int64(number) * 33), duration: .milliseconds(33),
        isKeyFrame: number == 0, temporalLayer: UInt8(layer), number: UInt32(number))
      let isPushed = inbox.push(header, payload: payload.span.bytes)
      #expect(isPushed)
      intake.take(.video, now: header.timestamp) { header, _ in taken.append(header.number) }
    }
    #expect(taken == [0, 4, 8])
    #expect(intake.dropped == 0)
  }

  @Test func whatEndedLongAgoIsLeftOut() throws {
    let preRoll = try PreRoll(span: .seconds(5)) {}
    for (number, frame) in try SampleMedia.video().enumerated() { preRoll.inbox.push(.video, frame, number: number) }
    #expect(!preRoll.keptFrames(before: nil).frames.isEmpty)
    #expect(preRoll.keptFrames(before: RecordingStage.start + .seconds(60)).frames.isEmpty)
  }

  @Test func memoryStaysWithinItsLimit() throws {
    var history = FrameHistory(span: .seconds(60), byteLimit: 100_000)
    var most = 0
    for round in 0..<5 {
      for frame in try SampleMedia.video() {
        let header = EncodedFrameHeader(
          kind: .video,
          timestamp: RecordingStage.start + .milliseconds(frame.milliseconds + Int64(round) * SampleMedia.duration),
          duration: .milliseconds(33), isKeyFrame: frame.isKeyFrame, number: 0)
        history.push(header, frame.payload.span.bytes)
        most = max(most, history.byteCount)
      }
    }
    #expect((30_000...100_000).contains(most))
    let kept = history.copy(before: nil)
    #expect(kept.frames.first?.header.isKeyFrame == true)
    #expect(kept.frames.count > 30)
  }

  @Test func lostFrameAsksForAKeyFrame() async throws {
    let (requests, request) = AsyncStream.makeStream(of: Void.self)
    let preRoll = try PreRoll(span: .seconds(5)) { request.yield() }
    let video = try SampleMedia.video()
    for number in [0, 1, 2, 4, 5] { preRoll.inbox.push(.video, video[number], number: number) }
    for await _ in requests { break }
    #expect(preRoll.keptFrames(before: nil).frames.count == 3)
  }
}
