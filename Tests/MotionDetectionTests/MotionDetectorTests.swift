import MotionDetection
import Signalling
import Testing

@Suite struct MotionDetectorTests {
  /// Looks at a scene for a while, 10 times a second, and returns what is found in the first zone with each look.
  private func watch(
    _ looks: Int, _ detector: inout MotionDetector, _ scene: inout PaintedScene,
    _ change: (Int, Int, Int, Double) -> Double = { $3 }
  ) -> [MotionObservation?] {
    (0..<looks).map { look in
      scene.paint { change(look, $0, $1, $2) }
      detector.analyze(at: scene.cells.span)
      return detector.motion(inZone: 0)
    }
  }

  private func makeDetector(_ settings: MotionSettings = MotionSettings()) -> MotionDetector {
    MotionDetector(grid: CellGrid(frameWidth: 640, frameHeight: 480), settings: settings)
  }

  /// A bright box of 8 by 20 cells that goes right by half a cell a look.
  private func walker(_ look: Int, _ column: Int, _ row: Int, _ luma: Double) -> Double {
    let left = look / 2
    return left..<left + 8 ~= column && 50..<70 ~= row ? 190 : luma
  }

  @Test func theGridOfUsualFrames() {
    #expect(CellGrid(frameWidth: 640, frameHeight: 480).count == 160 * 120)
    let large = CellGrid(frameWidth: 1_920, frameHeight: 1_080)
    #expect((large.width, large.height, large.side) == (160, 90, 12))
    #expect(CellGrid(frameWidth: 1, frameHeight: 1).count == 1)
  }

  @Test(arguments: [(2, 1), (160, 3), (5, 120), (9, 9), (33, 7)])
  func picturesOfAnySizeAreTaken(width: Int, height: Int) {
    let grid = CellGrid(frameWidth: width, frameHeight: height)
    var detector = MotionDetector(grid: grid)
    for look in 0..<80 {
      let luma = (0..<grid.count).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ (look < 70 ? 0 : look &* $0)) }
      detector.analyze(at: luma.span)
    }
    #expect(grid.count == width * height)
  }

  @Test func whatCrossesIsFoundWhereItIs() throws {
    var detector = makeDetector()
    var scene = PaintedScene(seed: 1)
    #expect(watch(100, &detector, &scene).allSatisfy { $0 == nil })
    let found = watch(120, &detector, &scene, walker)
    #expect(found.prefix(40).contains { $0 != nil })
    let last = try #require(found[100])
    #expect(300...330 ~= last.region.x)
    #expect(400...420 ~= last.region.y)
    #expect(last.score > 40)
  }
}
