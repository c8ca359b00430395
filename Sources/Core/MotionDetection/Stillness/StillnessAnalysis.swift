public import MediaCore

/// Tells the still parts of a camera's scene from the moving ones, and averages away the noise of the still ones.
///
/// A frame is compared, in macroblocks of 16 by 16 samples, with what the encoder was given last for each: a block moves
/// when it differs by more than the camera's noise explains. While it is still, its samples are averaged, and the
/// encoder is given the mean in a few frames, after which the block is left alone. When most of the scene moves (a pan, a
/// cut, lights that flicker or change) frames go to the encoder as they are, and every few frames are checked.
///
/// Allocates nothing after it is made. Use from one thread at a time.
@safe
public struct StillnessAnalysis: ~Copyable {
  /// What to encode of a frame.
  public enum Verdict: Sendable, Hashable {
    /// The frame itself, all of it.
    case everything
    /// This many blocks of ``StillnessAnalysis/given``, which ``StillnessAnalysis/activeMap`` names.
    case blocks(Int)
  }

  /// The image to encode: samples of the last frame where it moves, means elsewhere.
  public private(set) var given: I420Buffer
  private var scene: StillScene
  private var state = State.unknown
  private var frame = 0
  /// Frames between two checks while the scene moves.
  private var pause = Self.shortestPause
  private var stillSince = 0

  private enum State {
    /// No earlier frame is there to compare with.
    case unknown
    /// Everything moves; the next check begins with this frame.
    case moving(until: Int)
    /// The given image is a copy of the last frame, to be compared with the next one.
    case comparing
    /// The frame after the copied one looked alike, but for noise.
    case confirming
    case still
  }

  private static let shortestPause = 2
  private static let longestPause = 32
  /// A scene that was still for this many frames is checked again soon.
  private static let longStillness = 60

  /// - Parameters:
  ///   - width: of the frames, in pixels.
  ///   - height: likewise.
  public init(width: Int, height: Int) {
    given = I420Buffer(width: width, height: height)
    scene = StillScene(
      columns: (width + 15) / 16, rows: (height + 15) / 16,
      sampleCount: given.yStride * height + 2 * given.chromaStride * given.chromaHeight)
  }

  /// A byte for each block, row by row: 1 for those to be encoded.
  public var activeMap: [UInt8] { scene.activeMap }
  /// The share of blocks that were still in the last frame, 0 to 1.
  public var stillShare: Double { isStill ? 1 - share(of: scene.movingCount) : 0 }

  /// Of all blocks, 0 to 1.
  public func share(of count: Int) -> Double { Double(count) / Double(scene.blocks.count) }

  /// The standard deviation of a luma sample's noise.
  public var noise: Double { Double(scene.estimate.deviation) }
  /// The mean quantizer of the blocks, as they were encoded last.
  public var meanQuantizer: Int { scene.meanQuantizer }

  /// Blocks are refined until they were encoded with this quantizer, 0 (finest) to 63.
  public var finest: Int {
    get { scene.finest }
    set { scene.finest = newValue }
  }

  private var isStill: Bool {
    switch state {
    case .still: true
    case .unknown, .moving, .comparing, .confirming: false
    }
  }

  /// Forgets the scene, for another source.
  public mutating func reset() {
    state = .unknown
    pause = Self.shortestPause
  }

  /// Compares the next frame.
  ///
  /// - Parameters:
  ///   - image: of the size that the analysis was made for.
  ///   - refreshesAll: every block is going to be encoded, as in a key frame.
  ///   - isReference: later frames of every temporal layer refer to this one. In others only what moves is encoded.
  public mutating func analyze(
    _ image: borrowing I420Buffer, refreshesAll: Bool, isReference: Bool = true
  ) -> Verdict {
    precondition(image.width == given.width && image.height == given.height)
    frame &+= 1
    switch state {
    case .unknown: begin(image)
    case .moving(let until): if frame >= until { begin(image) }
    case .comparing: state = scene.learn(from: image, &given, confirms: false) ? .confirming : paused()
    case .confirming: confirm(image)
    case .still:
      if let count = scene.update(image, &given, refreshesAll: refreshesAll, isReference: isReference) {
        return .blocks(count)
      }
      if frame &- stillSince >= Self.longStillness { pause = Self.shortestPause }
      state = paused()
    }
    return .everything
  }

  /// Takes note of how finely the active blocks were encoded, in a frame that later ones of every layer refer to.
  ///
  /// - Parameter quantizer: of the frame, 0 (finest) to 63.
  public mutating func noteEncoded(quantizer: Int, isKeyFrame: Bool) {
    guard isStill else { return }
    scene.noteEncoded(quantizer: UInt8(clamping: quantizer), isKeyFrame: isKeyFrame)
  }

  /// The active blocks were not encoded after all.
  public mutating func noteDropped() { scene.noteDropped() }

  private mutating func begin(_ image: borrowing I420Buffer) {
    scene.copy(image, &given)
    state = .comparing
  }

  private mutating func confirm(_ image: borrowing I420Buffer) {
    guard scene.learn(from: image, &given, confirms: true) else { return state = paused() }
    scene.copy(image, &given)
    scene.begin()
    stillSince = frame
    state = .still
  }

  private mutating func paused() -> State {
    defer { pause = min(pause * 2, Self.longestPause) }
    return .moving(until: frame &+ pause)
  }
}
