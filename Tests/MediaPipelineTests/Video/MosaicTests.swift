import CTestSupport
import MediaCore
import RealtimeRuntime
import Testing

@testable import MediaPipeline

@Suite("Mosaic", .timeLimit(.minutes(1))) struct MosaicTests {
  private let start = MonotonicClock.now()

  private func picture(_ width: Int, _ height: Int, luma: UInt8) -> I420Buffer {
    var picture = I420Buffer(width: width, height: height)
    picture.fill(picture.area, with: YUVColour(y: luma))
    return picture
  }

  private func source(_ taps: [FrameTap], width: Int = 640, height: Int = 480) -> MosaicSource {
    let names = ["device", "yard", "gate", "cellar"]
    return MosaicSource(
      zip(names, taps).map { MosaicCamera(name: $0, tap: $1) },
      SourceRequest(selection: .testBars, width: width, height: height, frameRate: 15))
  }

  /// The luma of a source's picture at some places.
  private func samples(_ source: MosaicSource, _ places: [(x: Int, y: Int)], now: MonotonicInstant) throws -> [UInt8] {
    source.update(now: now)
    let slot = FrameSlot(width: source.description.width, height: source.description.height)
    #expect(source.next(into: slot, until: try EventDescriptor()) != .end)
    return samples(of: slot.image, places)
  }

  private func samples(of picture: borrowing I420Buffer, _ places: [(x: Int, y: Int)]) -> [UInt8] {
    let view = picture.view
    var samples: [UInt8] = []
    for place in places { samples.append(view.luma(x: place.x, y: place.y)) }
    return samples
  }

  @Test func fieldsStandSideBySideOrTwoByTwo() {
    let half = MosaicLayout(width: 640, height: 480, count: 2)
    #expect(
      half.fields == [
        FrameArea(x: 0, y: 0, width: 320, height: 480), FrameArea(x: 320, y: 0, width: 320, height: 480),
      ])
    let quarters = MosaicLayout(width: 642, height: 483, count: 4)
    #expect((quarters.width, quarters.height) == (640, 480))
    #expect(
      quarters.fields.map { [$0.x, $0.y, $0.width, $0.height] }
        == [[0, 0, 320, 240], [320, 0, 320, 240], [0, 240, 320, 240], [320, 240, 320, 240]])
    #expect(MosaicLayout(width: 640, height: 480, count: 3).fields == Array(quarters.fields[..<3]))
    #expect(MosaicLayout(width: 640, height: 480, count: 7).fields.count == 4)
  }

  @Test(arguments: [
    (640, 480, FrameArea(x: 320, y: 120, width: 320, height: 240)),
    (1_280, 720, FrameArea(x: 320, y: 150, width: 320, height: 180)),
    (480, 640, FrameArea(x: 320, y: 26, width: 320, height: 426)),
    (100, 1_000, FrameArea(x: 456, y: 0, width: 48, height: 480)),
    (1_000, 3, FrameArea(x: 320, y: 238, width: 320, height: 2)),
  ])
  func framesKeepTheirProportions(width: Int, height: Int, expected: FrameArea) {
    let field = FrameArea(x: 320, y: 0, width: 320, height: 480)
    #expect(MosaicLayout.fit(width: width, height: height, into: field) == expected)
  }

  @Test func eachPictureIsInItsField() throws {
    let taps = (0..<3).map { _ in FrameTap() }
    let source = source(taps)
    taps[0].offer(picture(640, 480, luma: 100), at: start)
    taps[1].offer(picture(1_280, 720, luma: 150), at: start)
    taps[2].offer(picture(321, 241, luma: 200), at: start)
    let places = [(160, 120), (480, 120), (480, 10), (160, 360), (480, 360)].map { (x: $0.0, y: $0.1) }
    #expect(try samples(source, places, now: start) == [100, 150, 24, 200, 24])
    // Of another size: nothing of the one before is left.
    taps[0].offer(picture(640, 120, luma: 90), at: start)
    #expect(
      try samples(source, [(160, 120), (160, 10), (160, 230)].map { (x: $0.0, y: $0.1) }, now: start) == [90, 24, 24])
  }

  @Test func aCameraThatGivesNoPicturesHasADarkFieldWithItsName() throws {
    let tap = FrameTap()
    let source = source([tap, FrameTap()], width: 320, height: 240)
    let named = try picture(of: source)
    tap.offer(picture(320, 240, luma: 180), at: start)
    #expect(try samples(source, [(x: 80, y: 120)], now: start) == [180])
    // No new ones: the last is shown for a while, and not for ever.
    #expect(try samples(source, [(x: 80, y: 120)], now: start + .seconds(3)) == [180])
    source.update(now: start + .milliseconds(3_001))
    #expect(try picture(of: source) == named)
    #expect(named.contains(235) && named.contains(24))
    tap.offer(picture(320, 240, luma: 180), at: start + .seconds(9))
    #expect(try samples(source, [(x: 80, y: 120)], now: start + .seconds(9)) == [180])
  }

  private func picture(of source: MosaicSource) throws -> [UInt8] {
    let slot = FrameSlot(width: source.description.width, height: source.description.height)
    _ = source.next(into: slot, until: try EventDescriptor())
    let (width, height) = (source.description.width, source.description.height)
    return samples(of: slot.image, (0..<height).flatMap { y in (0..<width).map { (x: $0, y: y) } })
  }

  @Test func aTapTakesWhatIsWantedAlone() {
    let tap = FrameTap()
    tap.offer(picture(64, 48, luma: 50), at: start)
    let first = tap.begin()
    #expect(!tap.take(first) { _, _ in })
    tap.offer(picture(64, 48, luma: 60), at: start)
    // The one before was not taken.
    tap.offer(picture(64, 48, luma: 70), at: start)
    var seen: [UInt8] = []
    #expect(tap.take(first) { picture, _ in seen.append(picture.view.luma(x: 3, y: 3)) })
    #expect(!tap.take(first) { _, _ in })
    tap.offer(picture(64, 48, luma: 80), at: start)
    tap.end(first)
    #expect(!tap.take(first) { _, _ in })
    let second = tap.begin()
    tap.offer(picture(32, 24, luma: 90), at: start)
    #expect(tap.take(second) { picture, _ in seen.append(picture.view.luma(x: 3, y: 3)) })
    #expect(seen == [60, 90])
  }

  @Test func aMosaicThatWasGivenUpTakesNothingFromTheNext() {
    let tap = FrameTap()
    let abandoned = tap.begin()
    tap.offer(picture(64, 48, luma: 50), at: start)
    let next = tap.begin()
    #expect(!tap.take(next) { _, _ in })
    tap.offer(picture(64, 48, luma: 60), at: start)
    #expect(!tap.take(abandoned) { _, _ in })
    tap.end(abandoned)
    var seen: [UInt8] = []
    #expect(tap.take(next) { picture, _ in seen.append(picture.view.luma(x: 3, y: 3)) })
    #expect(seen == [60])
  }

  /// For ThreadSanitizer, too.
  @Test func camerasAndMosaicsMeetInATap() async {
    let tap = FrameTap()
    await withTaskGroup(of: Void.self) { group in
      group.addTask { for luma in 0..<2_000 { tap.offer(picture(64, 48, luma: UInt8(luma % 200)), at: start) } }
      for _ in 0..<2 {
        group.addTask {
          for _ in 0..<500 {
            let use = tap.begin()
            for _ in 0..<4 { _ = tap.take(use) { picture, _ in _ = picture.view.luma(x: 3, y: 3) } }
            tap.end(use)
          }
        }
      }
    }
    let use = tap.begin()
    tap.offer(picture(64, 48, luma: 77), at: start)
    #expect(tap.take(use) { _, _ in })
  }

  @Test func nothingIsAllocatedForAPicture() throws {
    let taps = [FrameTap(), FrameTap()]
    let source = source(taps)
    let first = picture(640, 480, luma: 90)
    let second = picture(1_280, 720, luma: 120)
    let slot = FrameSlot(width: 640, height: 480)
    let stop = try EventDescriptor()
    var before = 0
    for round in 0..<20 {
      if round == 5 { before = callocation_count() }
      taps[0].offer(first, at: start)
      taps[1].offer(second, at: start)
      _ = source.next(into: slot, until: stop)
    }
    #expect(callocation_count() == before)
  }

  @Test func itsPipelineEncodesWhatCamerasOffer() throws {
    let tap = FrameTap()
    let (bus, inbox) = (FrameBus(), try FrameInbox())
    bus.attach(inbox)
    let pipeline = MediaPipeline(
      mosaic: [MosaicCamera(name: "device", tap: tap), MosaicCamera(name: "yard", tap: FrameTap())],
      configuration: MediaPipelineConfiguration(width: 320, height: 240, frameRate: 30), bus: bus)
    try pipeline.start([.video])
    var (frames, taken) = (0, 0)
    let camera = picture(160, 120, luma: 90)
    let begin = MonotonicClock.now()
    while MonotonicClock.now() - begin < .seconds(2) {
      tap.offer(camera, at: MonotonicClock.now())
      _ = inbox.wake.wait(timeout: .milliseconds(10))
      inbox.wake.drain()
      while let header = inbox.video.popFirst({ header, _ in header }) {
        frames += 1
        if header.width == 320, header.height == 240 { taken += 1 }
      }
    }
    pipeline.stop([.video])
    #expect(frames == taken && (15...32).contains(frames))
    #expect(pipeline.waitUntilIdle(timeout: .seconds(5)))
    // The tap takes nothing any more.
    tap.offer(camera, at: start)
    let use = tap.begin()
    #expect(!tap.take(use) { _, _ in })
  }
}
