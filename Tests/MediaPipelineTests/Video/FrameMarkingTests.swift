import CTestSupport
import EventDetection
import MediaCore
import MotionDetection
import VideoOverlay
import PixelConversion
import RealtimeRuntime
import Synchronization
import TestSupport
import Testing
import MediaCodecs

@testable import MediaPipeline

/// What is covered, and what is written, in the pictures that somebody gets.
@Suite(.timeLimit(.minutes(1))) struct FrameMarkingTests {
  /// The lower right quarter.
  private static let quarter = FramePolygon(corners: [
    .init(x: 0.5, y: 0.5), .init(x: 1, y: 0.5), .init(x: 1, y: 1), .init(x: 0.5, y: 1),
  ])!

  private static let clock = StampClock(
    second: { $0.nanoseconds / 1_000_000_000 },
    time: { second in
      StampedTime(
        year: 2026, month: 11, day: 25, hour: 0, minute: 0, second: Int(clamping: second % 60), offsetMinutes: 0,
        isTrusted: true)
    })

  private static func overlay(_ size: TextSize = .medium) -> FrameOverlay {
    FrameOverlay(
      FrameOverlaySettings(title: Array("Gate".utf8), showsTime: true, showsPosition: true, size: size),
      clock: clock)
  }

  private func makeConfiguration(areas: [PrivacyArea], kilobits: Int = 600) -> MediaPipelineConfiguration {
    var configuration = MediaPipelineConfiguration(
      cameras: [.testBars], width: 320, height: 180, frameRate: 120, videoBitrate: .kilobits(kilobits))
    configuration.privacyAreas = areas
    return configuration
  }

  private func makeControls(areas: [PrivacyArea], observers: MediaObservers = MediaObservers()) -> PipelineControls {
    let (_, continuation) = AsyncStream.makeStream(of: MediaPipelineEvent.self)
    return PipelineControls(
      configuration: makeConfiguration(areas: areas), bus: FrameBus(), observers: observers, events: continuation)
  }

  /// Mean luma of a part of a picture, in fractions.
  private static func mean(_ view: borrowing I420View, _ x: Range<Double>, _ y: Range<Double>) -> Int {
    let columns = Int(x.lowerBound * Double(view.width))..<Int(x.upperBound * Double(view.width))
    let rows = Int(y.lowerBound * Double(view.height))..<Int(y.upperBound * Double(view.height))
    var sum = 0
    for row in rows { for column in columns { sum += Int(view.luma(x: column, y: row)) } }
    return sum / (columns.count * rows.count)
  }

  /// From the first picture on, and whatever the size that is encoded.
  @Test(arguments: [600, 40]) func noFrameShowsWhatIsCovered(kilobits: Int) throws {
    let bus = FrameBus()
    let reader = try InboxReader(on: bus)
    let pipeline = MediaPipeline(
      configuration: makeConfiguration(areas: [PrivacyArea(Self.quarter)], kilobits: kilobits), bus: bus)
    try pipeline.start([.video])
    #expect(reader.receive { $0.video.count >= 20 })
    pipeline.stop([.video])
    var decoder = try VP8Decoder()
    var widths: Set<Int> = []
    for frame in reader.video {
      try decoder.decode(frame.payload.span.bytes) { view in
        widths.insert(view.width)
        #expect(Self.mean(view, 0.53..<1, 0.55..<1) <= 18)
        #expect(Self.mean(view, 0..<0.45, 0.2..<0.45) > 60)
      }
    }
    #expect(reader.video.count >= 20)
    #expect(widths == [kilobits == 600 ? 320 : 240])
  }

  @Test func whatNobodyWantsIsNotEncoded() throws {
    let bus = FrameBus()
    let inbox = try FrameInbox()
    bus.attach(inbox, takesKeyFramesAlone: true)
    let (_, continuation) = AsyncStream.makeStream(of: MediaPipelineEvent.self)
    let controls = PipelineControls(configuration: makeConfiguration(areas: []), bus: bus, events: continuation)
    var stage = VideoStage(controls)
    var keyFrames: [Bool] = []
    for number in 0..<60 {
      if number % 20 == 7 { controls.video.isKeyFrameRequested.store(true, ordering: .relaxed) }
      var picture = I420Buffer(width: 320, height: 180)
      try stage.publish(&picture, at: MonotonicInstant(nanoseconds: Int64(number) * 100_000_000), frameRate: 10)
      while let isKeyFrame = inbox.video.popFirst({ header, _ in header.isKeyFrame }) { keyFrames.append(isKeyFrame) }
    }
    // The first, and those that were asked for.
    #expect(keyFrames == [true, true, true, true])
    #expect(controls.counters.framesEncoded.load(ordering: .relaxed) == 4)
  }

  @Test func theBufferThatIsHandedOverIsCovered() throws {
    let controls = makeControls(areas: [PrivacyArea(Self.quarter)])
    let source = try SystemSources.open(
      SourceRequest(selection: .testBars, width: 320, height: 180, frameRate: 240))
    let feed = try FrameQueue(id: 0, controls: controls, wake: EventDescriptor())
    feed.open(source, of: .testBars)
    for _ in 0..<5 {
      _ = try feed.takeFrame(from: source)
      _ = feed.takeFirst { picture, _ in
        for y in 90..<180 { for x in 160..<320 { #expect(picture.view.luma(x: x, y: y) == 16) } }
        #expect(picture.view.luma(x: 0, y: 60) == 180)
      }
    }
  }

  private struct NoDecoder: Error {}

  @Test func aStillPictureHasMaskAndOverlay() async throws {
    let stills = SnapshotEncoder()
    let pipeline = MediaPipeline(
      configuration: makeConfiguration(areas: [PrivacyArea(Self.quarter)]), bus: FrameBus(),
      observers: MediaObservers(overlay: Self.overlay(), stills: stills))
    try pipeline.start([.video])
    let jpeg = try #require(await stills.next(within: .seconds(20)))
    pipeline.stop([.video])
    var picture = I420Buffer(width: 320, height: 180)
    guard var decoder = JPEGDecoder(width: 320, height: 180) else { throw NoDecoder() }
    try decoder.decode(jpeg.span.bytes, into: &picture)
    #expect(Self.mean(picture.view, 0.53..<1, 0.55..<1) <= 18)
    let text = TextBox.size(columns: StampedTime.longest, lines: 3, scale: 1)
    // Where the frame code of the bars is, and their white, there is the dark of the box, with some ink.
    let box = Self.mean(picture.view, 0..<Double(text.width) / 320, 0..<Double(text.height) / 180)
    #expect((30..<90).contains(box))
    #expect(Self.mean(picture.view, 0..<0.12, 0.25..<0.45) > 150)
  }

  @Test func aMaskIsForItsCameraAlone() throws {
    let other = VideoSourceSelection.camera(path: "/dev/video9")
    let controls = makeControls(areas: [PrivacyArea(Self.quarter, camera: other)])
    for (selection, isCovered) in [(VideoSourceSelection.testBars, false), (other, true)] {
      let source = try SystemSources.open(
        SourceRequest(selection: .testBars, width: 320, height: 180, frameRate: 240))
      let feed = try FrameQueue(id: 0, controls: controls, wake: EventDescriptor())
      feed.open(source, of: selection)
      _ = try feed.takeFrame(from: source)
      _ = feed.takeFirst { picture, _ in #expect((picture.view.luma(x: 170, y: 100) == 16) == isCovered) }
    }
  }

  @Test func theOverlayIsDrawnAndReadable() {
    var picture = I420Buffer(width: 320, height: 240)
    picture.fill(FrameArea(x: 0, y: 0, width: 320, height: 240), with: YUVColour(y: 235))
    let overlay = Self.overlay()
    overlay.draw(into: &picture, at: MonotonicInstant(nanoseconds: 5_000_000_000))
    var expected = TextBox(columns: StampedTime.longest, lines: 3, scale: 1)
    for (line, text) in ["Gate", "2026-11-25 00:00:05+00:00", "no position"].enumerated() {
      let codes = Array(text.utf8)
      expected.write(codes.span, line: line)
    }
    var other = I420Buffer(width: 320, height: 240)
    other.fill(FrameArea(x: 0, y: 0, width: 320, height: 240), with: YUVColour(y: 235))
    expected.draw(into: &other, x: 0, y: 0)
    for y in 0..<240 { for x in 0..<320 { #expect(picture.view.luma(x: x, y: y) == other.view.luma(x: x, y: y)) } }
  }

  /// The samples of the line of the position.
  private func positionLine(_ overlay: FrameOverlay, second: Int64) -> [UInt8] {
    var picture = I420Buffer(width: 320, height: 240)
    overlay.draw(into: &picture, at: MonotonicInstant(nanoseconds: second * 1_000_000_000))
    let view = picture.view
    return (20..<30).flatMap { y in (0..<200).map { view.luma(x: $0, y: y) } }
  }

  @Test func aPositionIsShownForAsLongAsItCanBeBelieved() {
    let overlay = Self.overlay()
    let unknown = positionLine(overlay, second: 1)
    overlay.setPosition(
      StampedPosition(latitude: 1, longitude: 2), expires: MonotonicInstant(nanoseconds: 10_000_000_000))
    let known = positionLine(overlay, second: 2)
    #expect(known != unknown)
    #expect(positionLine(overlay, second: 10) == known)
    #expect(positionLine(overlay, second: 11) == unknown)
    overlay.setPosition(StampedPosition(latitude: 1, longitude: 2))
    #expect(positionLine(overlay, second: 99_999) == known)
    overlay.setPosition(nil)
    #expect(positionLine(overlay, second: 100_000) == unknown)
  }

  @Test(.enabled(if: callocation_count() >= 0)) func drawingAllocatesNothing() {
    let overlay = Self.overlay()
    var picture = I420Buffer(width: 320, height: 240)
    let seconds = (0..<100).map { MonotonicInstant(nanoseconds: $0 * 1_000_000_000) }
    for index in 0..<3 { overlay.draw(into: &picture, at: seconds[index]) }
    let before = callocation_count()
    for index in 3..<100 { overlay.draw(into: &picture, at: seconds[index]) }
    #expect(callocation_count() == before)
  }

  /// A still yard of pillars whose overlay covers a third of the picture and changes each second.
  @Test func whatIsWrittenMovesNobody() {
    let steps = EventStepQueue()
    let overlay = Self.overlay(.large)
    let watch = MotionMonitor(
      SceneWatchSettings(
        motion: MotionSettings(sensitivity: 100),
        sources: [
          .init(id: 1, detector: MotionEvents(MotionZone(), EventTiming())), .init(id: 2, detector: TamperEvents()),
        ]), overlay: overlay,
      steps: steps)
    let controls = makeControls(areas: [], observers: MediaObservers(overlay: overlay, scene: watch))
    var stage = VideoStage(controls)
    var random = SeededGenerator(seed: 3)
    for number in 0..<150 {
      var picture = I420Buffer(width: 160, height: 120)
      for column in 0..<8 {
        picture.fill(
          FrameArea(x: column * 20, y: 0, width: 20, height: 120),
          with: YUVColour(y: UInt8(80 + column % 2 * 60 + Int.random(in: 0...1, using: &random))))
      }
      try? stage.publish(&picture, at: MonotonicInstant(nanoseconds: Int64(number) * 100_000_000), frameRate: 10)
    }
    #expect(steps.takeAll().isEmpty)
  }
}
