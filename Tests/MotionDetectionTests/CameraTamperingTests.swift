import MotionDetection
import Testing

@Suite struct CameraTamperingTests {
  /// What is told, look by look: 10 s of the scene, 7 s of what is done to it, 6 s of the scene again.
  private func states(seed: UInt64, _ change: (PaintedScene, Int, Int, Double) -> Double) -> [CameraTampering?] {
    var detector = MotionDetector(grid: CellGrid(pictureWidth: 640, pictureHeight: 480))
    var scene = PaintedScene(seed: seed)
    return (0..<230).map { look in
      let original = scene
      scene.paint { 100..<170 ~= look ? change(original, $0, $1, $2) : $2 }
      detector.look(at: scene.cells.span)
      return detector.tampering
    }
  }

  /// Told within five seconds, once, and over within five seconds.
  private func expect(_ tampering: CameraTampering, _ states: [CameraTampering?]) {
    #expect(states.prefix(100).allSatisfy { $0 == nil })
    let first = states.firstIndex { $0 != nil } ?? 0
    #expect(100...150 ~= first)
    #expect(states[first..<170].allSatisfy { $0 == tampering })
    #expect(states.suffix(10).allSatisfy { $0 == nil })
  }

  @Test func covered() { expect(.covered, states(seed: 1) { _, _, _, _ in 22 }) }
}
