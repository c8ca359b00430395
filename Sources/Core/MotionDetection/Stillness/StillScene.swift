internal import MediaCore

/// What is known of one block.
struct StillBlock {
  /// Frames since it moved.
  var calm: UInt16 = 0
  /// Samples in the sums; 1: the given sample alone, without sums.
  var count: UInt8 = 1
  /// Samples in the mean that the encoder was given.
  var given: UInt8 = 1
  /// That it was encoded with last.
  var quantizer: UInt8 = 63
}

/// The blocks of a scene that is mostly still.
@safe
struct StillScene: ~Copyable {
  private(set) var activeMap: [UInt8]
  private(set) var movingCount = 0
  private(set) var blocks: [StillBlock]
  private(set) var estimate = NoiseEstimate()

  private let columns: Int
  private let rows: Int
  private let sums: BlockKernels.Sums
  private var frame = 0

  /// With a larger share of moving blocks, the whole frame is encoded.
  private static let largestMovingShare = 0.6
  /// Samples that are averaged.
  private static let fullCount = 1 << fullShift
  private static let fullShift: UInt16 = 5
  /// A block is encoded in this many frames after it has moved, at least in one of each temporal layer.
  private static let settling = 4
  /// After that, in one frame of this many, all that need it together. Odd, so that it meets every temporal layer.
  private static let batch = 7
  /// Until it was encoded as finely as this.
  var finest = 12
  /// All blocks are encoded after this many frames, for light that changes slowly.
  private static let refresh = 300

  init(columns: Int, rows: Int, sampleCount: Int) {
    (self.columns, self.rows) = (columns, rows)
    activeMap = Array(repeating: 1, count: columns * rows)
    blocks = Array(repeating: StillBlock(), count: columns * rows)
    unsafe sums = .allocate(capacity: sampleCount)
    unsafe sums.initialize(repeating: 0, count: sampleCount)
  }

  deinit { unsafe sums.deallocate() }

  var meanQuantizer: Int { blocks.reduce(0) { $0 + Int($1.quantizer) } / blocks.count }

  mutating func noteEncoded(quantizer: UInt8, isKeyFrame: Bool) {
    for index in blocks.indices where isKeyFrame || activeMap[index] != 0 { blocks[index].quantizer = quantizer }
  }

  mutating func noteDropped() {
    for index in blocks.indices where activeMap[index] != 0 { blocks[index].calm = 0 }
  }

  // MARK: - The first two frames

  func copy(_ image: borrowing I420Buffer, _ given: inout I420Buffer) {
    unsafe BlockPlanes.with(image, &given, sums) { $0.copyAll() }
  }

  /// - Parameter confirms: the frame follows one that was compared before.
  /// - Returns: whether the frame shows what was given, but for noise.
  mutating func learn(from image: borrowing I420Buffer, _ given: inout I420Buffer, confirms: Bool) -> Bool {
    unsafe BlockPlanes.with(image, &given, sums) { planes in
      var compared = 0
      for row in 0..<rows {
        var column = row & 1
        while column < columns {
          let block = planes.block(column, row)
          estimate.notePair(block.lumaDifference, bin: NoiseEstimate.bin(of: block.brightness))
          estimate.notePair(block.chromaDifference, bin: NoiseEstimate.chroma)
          compared += 1
          column += 2
        }
      }
      return confirms ? estimate.confirmPair(blocks: compared) : estimate.learnPair(blocks: compared)
    }
  }

  /// Begins with what was given; all of it was just encoded.
  mutating func begin() {
    for index in blocks.indices { blocks[index] = StillBlock() }
  }

  // MARK: - Later frames

  /// - Returns: how many blocks are active; nil when most of the scene moves.
  mutating func update(_ image: borrowing I420Buffer, _ given: inout I420Buffer, refreshesAll: Bool) -> Int? {
    frame &+= 1
    movingCount = 0
    let active = unsafe BlockPlanes.with(image, &given, sums) { planes in
      var active = 0
      for row in 0..<rows {
        for column in 0..<columns {
          let isActive = update(planes.block(column, row), row * columns + column, refreshesAll: refreshesAll)
          activeMap[row * columns + column] = isActive ? 1 : 0
          if isActive { active += 1 }
        }
      }
      return active
    }
    estimate.update()
    return Double(movingCount) > Self.largestMovingShare * Double(blocks.count) ? nil : active
  }

  /// - Returns: whether the block is to be encoded.
  @inline(__always)
  private mutating func update(_ place: PlacedBlock, _ index: Int, refreshesAll: Bool) -> Bool {
    guard isStill(place, given: blocks[index].given) else {
      place.copy()
      blocks[index] = StillBlock()
      movingCount += 1
      return true
    }
    var block = blocks[index]
    average(place, &block)
    block.calm &+= block.calm < .max ? 1 : 0
    let isActive = isDue(block) || refreshesAll
    if isActive, block.count > block.given || block.count == Self.fullCount {
      place.giveMeans(of: Int(block.count))
      block.given = block.count
    }
    blocks[index] = block
    return isActive
  }

  private func isDue(_ block: StillBlock) -> Bool {
    if Int(block.calm) <= Self.settling { return true }
    guard frame % Self.batch == 0 else { return false }
    let isCoarse = Int(block.quantizer) > finest
    let isNoisy = block.count >= 2 * block.given
    return isCoarse || isNoisy || frame % Self.refresh < Self.batch
  }

  @inline(__always)
  private func average(_ place: PlacedBlock, _ block: inout StillBlock) {
    if block.count == 1 {
      place.beginSums()
      block.count = 2
    } else if block.count < Self.fullCount {
      place.add()
      block.count += 1
    } else if frame & 3 == 0 {
      place.follow(shift: Self.fullShift)
    }
  }

  /// Differences are judged by what the noise of a frame and that of the given mean explain.
  @inline(__always)
  private mutating func isStill(_ place: PlacedBlock, given: UInt8) -> Bool {
    let luma = place.lumaDifference
    let bin = NoiseEstimate.bin(of: place.brightness)
    let factor = Self.noiseFactors[Int(given)]
    guard estimate.explains(luma, bin: bin, factor: factor) else { return false }
    let chroma = place.chromaDifference
    guard estimate.explains(chroma, bin: NoiseEstimate.chroma, factor: factor) else { return false }
    if given >= 8 {
      estimate.note(luma, bin: bin)
      estimate.note(chroma, bin: NoiseEstimate.chroma)
    }
    return true
  }

  /// The noise of the difference between a sample and a mean of n of them, over a sample's.
  private static let noiseFactors: [Float] = (0...fullCount).map { (1 + 1 / Float(max($0, 1))).squareRoot() }
}
