import MotionDetection
import Testing

@Suite struct CameraTamperingTests {
  /// What is told, look by look: 7 s of the scene, 6 s of what is done to it, 5 s of the scene again.
  private func states(seed: UInt64, _ change: (PaintedScene, Int, Int, Double) -> Double) -> [CameraTampering?] {
    var detector = MotionDetector(grid: CellGrid(frameWidth: 640, frameHeight: 480))
    var scene = PaintedScene(seed: seed)
    return (0..<180).map { look in
      let original = scene
      scene.paint { 70..<130 ~= look ? change(original, $0, $1, $2) : $2 }
      detector.analyze(at: scene.cells.span)
      return detector.tampering
    }
  }

  /// Told within five seconds, once, and over within five seconds.
  private func expect(_ tampering: CameraTampering, _ states: [CameraTampering?]) {
    #expect(states.prefix(70).allSatisfy { $0 == nil })
    let first = states.firstIndex { $0 != nil } ?? 0
    #expect(70...120 ~= first)
    #expect(states[first..<130].allSatisfy { $0 == tampering })
    #expect(states.suffix(10).allSatisfy { $0 == nil })
  }

  @Test func covered() { expect(.covered, states(seed: 1) { _, _, _, _ in 22 }) }

  /// Of stark contrasts the detector's mean of the last pictures keeps something for longest.
  @Test func coveredWithoutAnyNoise() {
    var detector = MotionDetector(grid: CellGrid(frameWidth: 640, frameHeight: 480))
    var scene = PaintedScene(seed: 4)
    let states = (0..<180).map { look -> CameraTampering? in
      scene.paint { column, row, _ in
        70..<130 ~= look || (column / 8 + row / 8) % 2 == 0 ? -10 : 250
      }
      detector.analyze(at: scene.cells.span)
      return detector.tampering
    }
    expect(.covered, states)
    #expect(states[70..<115].contains(.covered))
  }

  @Test func moved() { expect(.moved, states(seed: 2) { scene, column, row, _ in scene.turned(column, row) }) }

  /// Textures as fine as a cell may be told as another kind.
  @Test func outOfFocus() {
    let scene = PaintedScene(seed: 3)
    let blurred = (0..<PaintedScene.width * PaintedScene.height).map { index in
      scene.blurred(index % PaintedScene.width, index / PaintedScene.width)
    }
    let found = states(seed: 3) { _, column, row, _ in blurred[row * PaintedScene.width + column] }
    let first = found.firstIndex { $0 != nil } ?? 0
    #expect(70...120 ~= first)
    #expect(found[first..<130].allSatisfy { $0 == found[first] })
    #expect(found.suffix(10).allSatisfy { $0 == nil })
  }
}
