import MediaCore
import Testing

@testable import MotionDetection

private let (width, height) = (192, 96)
private let blockCount = 12 * 6

/// Noise that is the same in each run.
private struct Noise: RandomNumberGenerator {
  private var state: UInt64

  init(_ seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }

  mutating func next() -> UInt64 {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return state
  }

  /// About normally distributed, with this deviation.
  mutating func sample(_ deviation: Double) -> Double {
    let bits = next()
    // The sum of eight octets has a deviation of 209.
    let sum = (0..<8).reduce(0) { $0 + Int(bits >> (8 * $1) & 255) }
    return Double(sum - 1_020) / 209 * deviation
  }
}

/// A scene with texture, a camera's noise, and what happens in it.
private struct Scene {
  var gain = 1.0
  /// Samples that the camera has panned.
  var pan = 0
  /// The left edge of a square of 48 by 48 samples that walks through the scene.
  var square: Int?
  private var generator = Noise(7)
  /// Samples of noise, of which each row begins somewhere.
  private let noise: [Double]

  init(deviation: Double = 2) {
    var generator = Noise(11)
    noise = (0..<8_192 + width).map { _ in generator.sample(deviation) }
  }

  func clean(_ column: Int, _ row: Int) -> Double {
    if let square, (square..<square + 48).contains(column), (32..<80).contains(row) { return 200 }
    let x = column + pan
    return (60 + Double((x / 9 * 37 + row / 7 * 53) % 80) + Double(x % 9 * 3)) * gain
  }

  mutating func draw(into frame: inout I420Buffer) {
    let (stride, chroma) = (frame.yStride, frame.chromaStride)
    frame.withUnsafeMutablePlanes { y, u, v in
      for row in 0..<height {
        let begin = Int(generator.next() % 8_192)
        for column in 0..<width {
          y[row * stride + column] = octet(clean(column, row) + noise[begin + column])
        }
      }
      for row in 0..<height / 2 {
        let begin = Int(generator.next() % 8_192)
        for column in 0..<width / 2 {
          u[row * chroma + column] = octet(120 + noise[begin + column] / 2)
          v[row * chroma + column] = octet(132 + noise[begin + column + width / 2] / 2)
        }
      }
    }
  }

  private func octet(_ value: Double) -> UInt8 { UInt8(min(max(value.rounded(), 0), 255)) }
}

/// An analysis that is fed with a scene.
private struct Watched: ~Copyable {
  var scene: Scene
  var analysis = StillnessAnalysis(width: width, height: height)
  private var frame = I420Buffer(width: width, height: height)

  init(deviation: Double) { scene = Scene(deviation: deviation) }

  /// The next frame's verdict; what is active is encoded finely.
  @discardableResult
  mutating func next(refreshesAll: Bool = false) -> StillnessAnalysis.Verdict {
    scene.draw(into: &frame)
    let verdict = analysis.analyze(frame, refreshesAll: refreshesAll)
    analysis.noteEncoded(quantizer: 0, isKeyFrame: refreshesAll)
    return verdict
  }

  mutating func verdicts(_ count: Int) -> [StillnessAnalysis.Verdict] {
    var verdicts: [StillnessAnalysis.Verdict] = []
    for _ in 0..<count { verdicts.append(next()) }
    return verdicts
  }

  mutating func run(_ count: Int) { for _ in 0..<count { next() } }

  /// Of the image given to the encoder, against the scene without noise: the mean of squared differences.
  var error: Double {
    let view = analysis.given.view
    var sum = 0.0
    for row in 0..<height {
      for column in 0..<width {
        let difference = Double(view.luma(x: column, y: row)) - scene.clean(column, row)
        sum += difference * difference
      }
    }
    return sum / Double(width * height)
  }
}

@Suite struct StillnessTests {
  @Test(arguments: [0.0, 1, 2, 4]) func findsAStillSceneWhateverItsNoise(deviation: Double) {
    var watched = Watched(deviation: deviation)
    watched.run(40)
    let verdicts = watched.verdicts(60)
    #expect(verdicts.filter { $0 == .blocks(0) }.count >= 48)
    let (share, noise) = (watched.analysis.stillShare, watched.analysis.noise)
    #expect(share == 1)
    #expect(abs(noise - deviation) < 0.3 + deviation * 0.1)
  }

  @Test func givesTheEncoderLessNoiseThanTheCameraHas() {
    var watched = Watched(deviation: 4)
    watched.run(120)
    let error = watched.error
    // A mean of 32 samples has a 32nd of 16, and rounding adds a sixth.
    #expect(error < 1.2)
  }

  @Test func encodesWhatMovesAndNothingElse() {
    var watched = Watched(deviation: 2)
    watched.run(60)
    for step in 0..<40 {
      watched.scene.square = step * 4
      guard case .blocks(let count) = watched.next() else {
        Issue.record("all of frame \(step) is encoded")
        return
      }
      #expect((9..<60).contains(count))
    }
    // The square is seen where it is, not where it was.
    let error = watched.error
    #expect(error < 3)
  }

  @Test func aCutIsEncodedWholeAtOnce() {
    var watched = Watched(deviation: 2)
    watched.run(60)
    watched.scene.gain = 0.4
    let verdict = watched.next()
    #expect(verdict == .everything)
    watched.run(12)
    let share = watched.analysis.stillShare
    #expect(share > 0.9)
  }

  @Test func aPanIsEncodedWhole() {
    var watched = Watched(deviation: 2)
    watched.run(60)
    var whole = 0
    for _ in 0..<60 {
      watched.scene.pan += 3
      if watched.next() == .everything { whole += 1 }
    }
    #expect(whole == 60)
  }

  @Test func flickeringLightIsEncodedWhole() {
    var watched = Watched(deviation: 2)
    var whole = 0
    for index in 0..<90 {
      watched.scene.gain = [1, 1.06, 0.97, 1.03, 0.95][index % 5]
      if watched.next() == .everything { whole += 1 }
    }
    #expect(whole >= 88)
  }

  /// Slow light is neither noise nor lost: what the encoder is given follows it.
  @Test func followsLightThatChangesSlowly() {
    var watched = Watched(deviation: 2)
    watched.run(60)
    for _ in 0..<200 {
      watched.scene.gain -= 0.002
      if case .blocks = watched.next() {
        let error = watched.error
        #expect(error < 8)
      }
    }
    let noise = watched.analysis.noise
    #expect(noise < 3.2)
  }

  @Test func aKeyFrameHasEveryBlock() {
    var watched = Watched(deviation: 2)
    watched.run(60)
    let verdict = watched.next(refreshesAll: true)
    #expect(verdict == .blocks(blockCount))
  }

  @Test func whatWasNotEncodedIsActiveAgain() {
    var watched = Watched(deviation: 2)
    watched.run(60)
    watched.scene.square = 100
    watched.next()
    watched.analysis.noteDropped()
    guard case .blocks(let count) = watched.next() else {
      Issue.record("the whole frame is encoded")
      return
    }
    #expect(count >= 9)
  }

  @Test func startsAgainWithAnotherSource() {
    var watched = Watched(deviation: 2)
    watched.run(60)
    watched.analysis.reset()
    let verdicts = watched.verdicts(3)
    #expect(verdicts == [.everything, .everything, .everything])
  }
}
