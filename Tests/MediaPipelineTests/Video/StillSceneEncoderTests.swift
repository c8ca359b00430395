import MediaCodecs
import MediaCore
import Testing

@testable import MediaPipeline

/// An encoder of a clip and a decoder of what it delivers, 30 frames a second of virtual time.
private struct Watched: ~Copyable {
  var clip: StillSceneClip
  private var encoder: StillSceneEncoder
  private var decoder: VP8Decoder
  private var index: Int64 = 0
  private(set) var sizes: [Int] = []
  private(set) var layers: [UInt8] = []
  private(set) var outcomes: [StillSceneEncoder.Outcome] = []
  /// Of what the decoder shows, as ``StillSceneClip/error(of:)`` measures it; of the last run.
  private(set) var errors: [Double] = []

  init(deviation: Double = 2, layers: Int = 1, findsStillness: Bool = true, kilobits: Int = 150) throws {
    let decoder = try VP8Decoder()
    let encoder = try StillSceneEncoder(
      VP8EncoderSettings(
        width: StillSceneClip.width, height: StillSceneClip.height, frameRate: 30, bitrate: .kilobits(kilobits),
        temporalLayers: layers, maximumKeyFrameInterval: nil),
      findsStillness: findsStillness)
    clip = StillSceneClip(deviation: deviation)
    self.decoder = decoder
    self.encoder = encoder
  }

  var stillShare: Double { encoder.stillShare }

  mutating func beginScene() { encoder.beginScene() }

  /// Encodes the next frames; the first of them as demanded.
  mutating func run(_ count: Int, keyFrame: KeyFrameDemand = .none, _ change: (inout StillSceneClip) -> Void = { _ in })
    throws
  {
    for number in 0..<count {
      change(&clip)
      clip.draw()
      index += 1
      var (payload, layer) = ([UInt8](), UInt8(0))
      let outcome = try encoder.encode(
        clip.frame, at: MonotonicInstant(nanoseconds: index * 33_333_333), duration: .milliseconds(33),
        keyFrame: number == 0 ? keyFrame : .none
      ) { info, bytes in
        (payload, layer) = (bytes.copiedToArray(), info.temporalLayer)
      }
      outcomes.append(outcome)
      sizes.append(payload.count)
      layers.append(layer)
      if !payload.isEmpty { try decode(payload) }
    }
  }

  private mutating func decode(_ payload: [UInt8]) throws {
    var error = 0.0
    try decoder.decode(payload.span.bytes) { error = clip.error(of: $0) }
    errors.append(error)
  }

  func repeats(_ count: Int) -> Int { outcomes.suffix(count).filter { $0 == .repeated }.count }
}

@Suite struct StillSceneEncoderTests {
  @Test(arguments: 1...3) func aStillSceneIsRepeatedInEveryLayer(layers: Int) throws {
    var watched = try Watched(layers: layers)
    try watched.run(1, keyFrame: .prompt)
    try watched.run(89)
    try watched.run(120)
    let (repeats, seen) = (watched.repeats(120), watched.layers.suffix(120))
    #expect(repeats >= 100)
    #expect(watched.stillShare == 1)
    let dropped = watched.outcomes.contains(.dropped)
    #expect(!dropped)
    // Of three layers the base has a quarter of the frames, the middle one as many.
    let base = seen.filter { $0 == 0 }.count
    #expect(base == [120, 60, 30][layers - 1])
  }

  /// Less noise than the camera has is shown for a fraction of the bits.
  @Test func takesLessAndShowsMore() throws {
    var still = try Watched(deviation: 4)
    var whole = try Watched(deviation: 4, findsStillness: false)
    try still.run(150)
    try whole.run(150)
    let (few, many) = (still.sizes.suffix(90).reduce(0, +), whole.sizes.suffix(90).reduce(0, +))
    #expect(few * 4 < many)
    let (near, far) = (still.errors.suffix(30).reduce(0, +), whole.errors.suffix(30).reduce(0, +))
    #expect(near < far)
  }

  @Test(arguments: 1...3) func whatMovesIsShownAtOnceAndNothingIsDropped(layers: Int) throws {
    var watched = try Watched(layers: layers)
    try watched.run(90)
    let before = watched.errors.last ?? .infinity
    watched.clip.square = 20
    try watched.run(1)
    let first = watched.outcomes.last
    #expect(first == .encoded)
    let shown = watched.errors.last ?? .infinity
    #expect(shown < before + 30)
    try watched.run(40) { $0.square = ($0.square ?? 0) + 2 }
    let isRepeated = watched.outcomes.suffix(40).contains(.repeated)
    #expect(!isRepeated)
    watched.clip.square = nil
    try watched.run(90)
    let (after, repeats) = (watched.errors.last ?? .infinity, watched.repeats(60))
    #expect(after < before * 1.3 + 1)
    #expect(repeats > 40)
    let dropped = watched.outcomes.contains(.dropped)
    #expect(!dropped)
  }

  @Test func aChangeOfLightIsEncodedWholeAtOnce() throws {
    var watched = try Watched()
    try watched.run(90)
    watched.clip.gain = 0.6
    try watched.run(1)
    #expect(watched.stillShare == 0)
    // Half a second of the rate at most: the path has to take it.
    let size = watched.sizes.last ?? 0
    #expect(size > 300 && size < 9_400)
  }

  /// A late viewer's key frame is small; a second later the scene is as it was.
  @Test(arguments: 1...3) func aLateViewerSeesTheSceneWithinASecond(layers: Int) throws {
    var watched = try Watched(layers: layers)
    try watched.run(150)
    let before = watched.errors.last ?? .infinity
    try watched.run(30, keyFrame: .prompt)
    let (size, after) = (watched.sizes[150], watched.errors.last ?? .infinity)
    // The rate of 300 ms.
    #expect(size < 5_600)
    #expect(after < before * 1.3 + 0.5)
    let dropped = watched.outcomes.contains(.dropped)
    #expect(!dropped)
  }

  /// Key frames that are due do not pulse, and half a second of the rate holds each.
  @Test func dueKeyFramesDoNotPulse() throws {
    var watched = try Watched()
    try watched.run(30, keyFrame: .prompt)
    for _ in 0..<2 {
      try watched.run(60)
      let before = watched.errors.last ?? 0
      try watched.run(15, keyFrame: .scheduled)
      let (worst, size) = (watched.errors.suffix(15).max() ?? .infinity, watched.sizes[watched.sizes.count - 15])
      // 2 dB.
      #expect(worst < before * 1.6)
      #expect(size < 150_000 / 8 / 2 + 1_000)
    }
  }

  @Test func anotherSourceIsAnotherScene() throws {
    var watched = try Watched()
    try watched.run(90)
    watched.beginScene()
    try watched.run(3)
    let isRepeated = watched.outcomes.suffix(3).contains(.repeated)
    #expect(!isRepeated)
  }
}
