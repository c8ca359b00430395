import CTestSupport
import EventDetection
import MediaCore
import MotionDetection
import VideoOverlay
import PixelConversion
import Signalling
import TestSupport
import Testing

@testable import MediaPipeline

@Suite struct SceneWatchTests {
  /// A camera of 80 by 60 before a yard with pillars, watched in virtual time.
  private final class Camera {
    static let (width, height) = (80, 60)
    let steps = EventStepQueue()
    let watch: MotionMonitor
    private(set) var now = MonotonicInstant(nanoseconds: 0)
    private var picture = I420Buffer(width: width, height: height)
    private var random = SeededGenerator(seed: 7)
    private let backdrop: [UInt8]

    init(_ sources: [SceneWatchSettings.Source], overlay: FrameOverlay? = nil) {
      var generator = SeededGenerator(seed: 8)
      backdrop = (0..<Self.width * Self.height).map { index in
        let isPillar = index % Self.width / 10 % 2 == 0 && index / Self.width / 15 % 2 == 0
        return UInt8((isPillar ? 130 : 90) + Int.random(in: -8...8, using: &generator))
      }
      watch = MotionMonitor(
        SceneWatchSettings(motion: MotionSettings(), sources: sources), overlay: overlay, steps: steps)
    }

    /// Shows pictures, 10 a second; `change` makes each sample's luma of picture, column, row and backdrop.
    func show(_ count: Int, _ change: (Int, Int, Int, UInt8) -> UInt8 = { $3 }) {
      for number in 0..<count {
        paint { change(number, $0, $1, $2) }
        watch.offer(picture, at: now)
        pass(.milliseconds(100))
      }
    }

    /// Time without pictures.
    func pass(_ span: TimeSpan) {
      let end = now + span
      while now < end {
        now = now + .milliseconds(100)
        if now.nanoseconds % 1_000_000_000 == 0 { watch.tick(now: now) }
      }
    }

    private func paint(_ luma: (Int, Int, UInt8) -> UInt8) {
      let stride = picture.yStride
      for row in 0..<Self.height {
        for column in 0..<Self.width {
          let value = luma(column, row, backdrop[row * Self.width + column])
          let noise = Int.random(in: -1...1, using: &random)
          picture.withUnsafeMutablePlanes { y, _, _ in y[row * stride + column] = UInt8(clamping: Int(value) + noise) }
        }
      }
    }
  }

  private static let timing = EventTiming(post: .seconds(2))
  private static let yard = SceneWatchSettings.Source(id: 4, detector: MotionEvents(MotionZone(), timing))
  private static let camera = SceneWatchSettings.Source(id: 5, detector: TamperEvents())

  /// A bright box of 8 by 20 samples that goes right by half a sample a picture.
  private func walker(_ number: Int, _ column: Int, _ row: Int, _ luma: UInt8) -> UInt8 {
    number / 2..<number / 2 + 8 ~= column && 20..<40 ~= row ? 190 : luma
  }

  private func names(_ steps: [EventStep]) -> [String] {
    steps.compactMap { step in
      switch step.step {
      case .began: "began \(step.source)"
      case .peaked: nil
      case .ended: "ended \(step.source)"
      }
    }
  }

  @Test func whatMovesBeginsAndEndsWithPictures() throws {
    let camera = Camera([Self.camera, Self.yard])
    camera.show(80)
    #expect(camera.steps.takeAll().isEmpty)
    camera.show(60, walker)
    camera.show(40)
    let steps = camera.steps.takeAll()
    #expect(names(steps) == ["began 4", "ended 4"])
    let began = try #require(steps.first)
    #expect(began.image?.prefix(2) == [0xFF, 0xD8])
    #expect(began.detail == nil)
    guard case .ended(let span) = try #require(steps.last).step else { return #expect(Bool(false)) }
    #expect(span.peak.place != nil)
    #expect(span.peak.score > 30)
  }

  @Test func darkFramesBeginAndEndAnEventOfTheirOwn() throws {
    let dark = DarknessEvents(level: 20, EventTiming(minimumDuration: .seconds(2), post: .seconds(1)))
    let camera = Camera([SceneWatchSettings.Source(id: 7, detector: dark)])
    camera.show(30)
    camera.show(10) { _, _, _, luma in luma / 4 }
    camera.show(20)
    #expect(camera.steps.takeAll().isEmpty, "it was not dark for long enough")
    camera.show(40) { _, _, _, luma in luma / 4 }
    let began = camera.steps.takeAll()
    #expect(names(began) == ["began 7"])
    #expect(began.first?.image?.prefix(2) == [0xFF, 0xD8])
    #expect(began.first?.detail == "4 %")
    camera.show(40)
    #expect(names(camera.steps.takeAll()) == ["ended 7"])
  }

  private func apply(_ sources: [SceneWatchSettings.Source], _ motion: MotionSettings, to camera: Camera) {
    camera.watch.apply(SceneWatchSettings(motion: motion, sources: sources))
  }

  /// From the left edge to this fraction of the width.
  private static func left(_ width: Double) -> FramePolygon {
    FramePolygon(corners: [.init(x: 0, y: 0), .init(x: width, y: 0), .init(x: width, y: 1), .init(x: 0, y: 1)])!
  }

  @Test func whatIsLearnedAndGoesOnStaysWhenAnotherSourceComes() {
    let camera = Camera([Self.yard])
    camera.show(80)
    camera.show(30, walker)
    #expect(names(camera.steps.takeAll()) == ["began 4"])
    let zone = MotionZone(area: Self.left(0.5))
    let other = SceneWatchSettings.Source(id: 6, detector: MotionEvents(zone, Self.timing))
    apply([other, Self.yard], MotionSettings(), to: camera)
    camera.show(30) { walker($0 + 30, $1, $2, $3) }
    camera.show(40)
    let told = names(camera.steps.takeAll())
    #expect(told.sorted() == ["began 6", "ended 4", "ended 6"], "nothing is learned anew for it")
  }

  @Test func whatGoesOnAtASourceThatIsGoneEnds() {
    let camera = Camera([Self.yard, Self.camera])
    camera.show(80)
    camera.show(30, walker)
    apply([Self.camera], MotionSettings(zones: []), to: camera)
    #expect(names(camera.steps.takeAll()) == ["began 4", "ended 4"])
    camera.show(30) { walker($0 + 30, $1, $2, $3) }
    #expect(camera.steps.takeAll().isEmpty)
  }

  @Test func aMaskHoldsAtOnce() {
    let camera = Camera([Self.yard])
    camera.show(80)
    apply([Self.yard], MotionSettings(masks: [Self.left(1)]), to: camera)
    camera.show(60, walker)
    #expect(camera.steps.takeAll().isEmpty)
    apply([Self.yard], MotionSettings(), to: camera)
    camera.show(60, walker)
    #expect(names(camera.steps.takeAll()) == ["began 4"])
  }

  @Test func aCameraThatWasClosedIsNotMissedWhenSomebodyLooksAgain() {
    let camera = Camera([])
    camera.show(10)
    camera.pass(.seconds(60))
    apply([Self.camera], MotionSettings(zones: []), to: camera)
    camera.pass(.seconds(9))
    #expect(camera.steps.takeAll().isEmpty, "it opens")
    camera.pass(.seconds(5))
    #expect(names(camera.steps.takeAll()) == ["began 5"])
  }

  private struct NoDecoder: Error {}

  @Test func thePictureOfAnEventShowsTheOverlay() throws {
    let overlay = FrameOverlay(
      FrameOverlaySettings(title: Array("Yard".utf8), showsTime: false, showsPosition: false, size: .small))
    let camera = Camera([Self.yard], overlay: overlay)
    camera.show(80)
    camera.show(60, walker)
    let jpeg = try #require(camera.steps.takeAll().first?.image)
    var picture = I420Buffer(width: 80, height: 60)
    guard var decoder = JPEGDecoder(width: 80, height: 60) else { throw NoDecoder() }
    try decoder.decode(jpeg.span.bytes, into: &picture)
    // The blank above the title, and what is below its box.
    #expect((0..<24).allSatisfy { picture.view.luma(x: $0, y: 0) < 60 })
    #expect((0..<24).allSatisfy { picture.view.luma(x: $0, y: 16) > 60 })
  }

  @Test func aCoveredCameraIsToldOnceAndItsEnd() throws {
    let camera = Camera([Self.camera])
    camera.show(80)
    let covered = camera.now
    camera.show(70) { _, _, _, _ in 22 }
    camera.show(60)
    let steps = camera.steps.takeAll()
    #expect(names(steps) == ["began 5", "ended 5"])
    #expect(steps.first?.detail == "covered")
    guard case .began(let span) = try #require(steps.first).step else { return #expect(Bool(false)) }
    #expect(span.start - covered < .seconds(5))
  }

  @Test func aCameraWithoutPicturesIsToldWithinFiveSeconds() throws {
    let camera = Camera([Self.camera, Self.yard])
    camera.show(80)
    camera.pass(.seconds(2))
    #expect(camera.steps.takeAll().isEmpty)
    camera.pass(.seconds(3))
    #expect(camera.steps.takeAll().map(\.detail) == ["disconnected"])
    camera.pass(.seconds(60))
    #expect(camera.steps.takeAll().isEmpty)
    camera.watch.beginSource()
    camera.show(1)
    #expect(names(camera.steps.takeAll()) == ["ended 5"])
  }

  @Test func aCameraThatNeverOpensIsTold() {
    let camera = Camera([Self.camera])
    camera.pass(.seconds(8))
    #expect(camera.steps.takeAll().isEmpty)
    camera.pass(.seconds(5))
    #expect(camera.steps.takeAll().map(\.detail) == ["disconnected"])
  }

  @Test func nothingIsMissedWhileMuted() {
    let camera = Camera([Self.camera])
    camera.show(80)
    camera.watch.setMuted(true)
    camera.pass(.seconds(60))
    camera.watch.setMuted(false)
    camera.pass(.seconds(1))
    camera.show(10)
    #expect(camera.steps.takeAll().isEmpty)
  }

  @Test func mutingEndsWhatGoesOn() {
    let camera = Camera([Self.camera])
    camera.show(80)
    camera.show(60) { _, _, _, _ in 22 }
    camera.watch.setMuted(true)
    #expect(names(camera.steps.takeAll()) == ["began 5", "ended 5"])
  }

  @Test(.enabled(if: callocation_count() >= 0)) func lookingAllocatesNothing() {
    let camera = Camera([Self.camera, Self.yard])
    camera.show(80)
    let before = callocation_count()
    camera.show(20)
    #expect(callocation_count() == before)
  }
}

@Suite struct EventStepQueueTests {
  private func step(_ source: Int, _ which: Int, image: [UInt8]? = nil) -> EventStep {
    var trigger = EventTrigger<FrameRegion>(EventTiming(minimumDuration: .zero, post: .seconds(1)))
    let instant = MonotonicInstant(nanoseconds: 0)
    var steps = trigger.take(EventTrigger.Signal(score: 10), at: instant)
    steps += trigger.take(EventTrigger.Signal(score: 20), at: instant + .milliseconds(100))
    steps += trigger.tick(now: instant + .seconds(9))
    return EventStep(source: source, step: steps[which], image: image)
  }

  @Test func peaksOfAnEventTakeEachOthersPlace() {
    let queue = EventStepQueue()
    queue.push(step(1, 0, image: [1]))
    queue.push(step(2, 0))
    queue.push(step(1, 1, image: [2]))
    queue.push(step(1, 1))
    queue.push(step(1, 2))
    let waiting = queue.takeAll()
    #expect(waiting.map(\.source) == [1, 2, 1, 1])
    #expect(waiting.map(\.image) == [[1], nil, [2], nil])
    #expect(queue.takeAll().isEmpty)
  }

  /// The media thread leaves a picture, which whoever takes the step encodes.
  @Test func picturesAreEncodedForTheOneWhoTakesThem() throws {
    let queue = EventStepQueue()
    let scene = SceneFrame(I420Buffer(width: 64, height: 48))
    for (source, which) in [(1, 0), (2, 0), (1, 1)] {
      var step = step(source, which)
      step.scene = scene
      #expect(step.image == nil)
      queue.push(step)
    }
    // A peak without a picture keeps that of the one before.
    queue.push(step(1, 1))
    let steps = queue.takeAll()
    let jpeg = try #require(scene.jpeg)
    #expect(jpeg.prefix(2) == [0xFF, 0xD8])
    #expect(steps.map(\.source) == [1, 2, 1])
    #expect(steps.allSatisfy { $0.image == jpeg && $0.scene == nil })
  }

  @Test func aReaderThatIsBehindMissesWholeEvents() {
    let queue = EventStepQueue()
    for source in 0..<100 { queue.push(step(source, 0)) }
    for source in 0..<100 {
      queue.push(step(source, 1))
      queue.push(step(source, 2))
    }
    let waiting = queue.takeAll()
    let begun = waiting.prefix { if case .began = $0.step { true } else { false } }.map(\.source)
    #expect(begun.count < 100)
    #expect(waiting.count == begun.count * 3)
    queue.push(step(99, 0))
    #expect(queue.takeAll().count == 1)
  }
}
