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
  /// What later frames refer to does not show it yet.
  var isPending = false
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
  /// Since still blocks were encoded together.
  private var framesSinceBatch = 0
  /// Since all were encoded.
  private var framesSinceRefresh = 0
  private var dueBlocks = DueBlocks.pending

  /// Which blocks the frame is for, apart from those that move.
  private enum DueBlocks {
    /// That no reference shows.
    case pending
    /// And those that have moved a moment ago.
    case settling
    /// And those that are coarse or noisy.
    case coarse
    case all
  }

  /// With a larger share of moving blocks, the whole frame is encoded.
  private static let largestMovingShare = 0.6
  /// Samples that are averaged.
  private static let fullCount: UInt8 = 32
  /// Of frames, in which a block's mean is followed and its noise is noted.
  private static let interval = 16
  /// A block is encoded in this many frames after it has moved.
  private static let settling = 4
  /// After that, in one frame of this many, all that need it together.
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

  private var count: Int { columns * rows }

  /// Of all blocks, as they were encoded last.
  var meanQuantizer: Int {
    var sum = 0
    for index in 0..<count { sum += Int(blocks[index].quantizer) }
    return sum / count
  }

  /// The active blocks were encoded in a frame that later ones refer to.
  mutating func noteEncoded(quantizer: UInt8, isKeyFrame: Bool) {
    for index in 0..<count where isKeyFrame || activeMap[index] != 0 {
      blocks[index].quantizer = quantizer
      blocks[index].isPending = false
    }
  }

  mutating func noteDropped() {
    for index in 0..<count where activeMap[index] != 0 { blocks[index].isPending = true }
  }

  // MARK: - The first frames

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

  /// Begins with what was given, which is encoded now.
  mutating func begin() {
    for index in 0..<count {
      blocks[index] = StillBlock(isPending: true)
      activeMap[index] = 1
    }
    (framesSinceBatch, framesSinceRefresh) = (0, 0)
  }

  // MARK: - Later frames

  /// - Parameters:
  ///   - refreshesAll: every block is going to be encoded, as in a key frame.
  ///   - isReference: later frames, in every layer, refer to this one.
  /// - Returns: how many blocks are active; nil when most of the scene moves.
  mutating func update(
    _ image: borrowing I420Buffer, _ given: inout I420Buffer, refreshesAll: Bool, isReference: Bool
  ) -> Int? {
    frame &+= 1
    movingCount = 0
    chooseDueBlocks(refreshesAll: refreshesAll, isReference: isReference)
    let active = unsafe BlockPlanes.with(image, &given, sums) { planes in
      var (active, index) = (0, 0)
      for row in 0..<rows {
        for column in 0..<columns {
          let isActive = update(planes.block(column, row), index)
          activeMap[index] = isActive ? 1 : 0
          active &+= isActive ? 1 : 0
          index &+= 1
        }
      }
      return active
    }
    if frame & 3 == 0 { estimate.update() }
    return Double(movingCount) > Self.largestMovingShare * Double(count) ? nil : active
  }

  private mutating func chooseDueBlocks(refreshesAll: Bool, isReference: Bool) {
    framesSinceBatch += 1
    framesSinceRefresh += 1
    guard isReference else { return dueBlocks = .pending }
    let isRefresh = refreshesAll || framesSinceRefresh >= Self.refresh
    if isRefresh { framesSinceRefresh = 0 }
    let isBatch = isRefresh || framesSinceBatch >= Self.batch
    if isBatch { framesSinceBatch = 0 }
    dueBlocks = isRefresh ? .all : isBatch ? .coarse : .settling
  }

  /// - Returns: whether the block is to be encoded.
  @inline(__always)
  private mutating func update(_ place: PlacedBlock, _ index: Int) -> Bool {
    var block = blocks[index]
    let isObserved = (frame &+ index) % Self.interval == 0
    guard isStill(place, given: block.given, isObserved: isObserved) else {
      place.copy()
      blocks[index] = StillBlock(isPending: true)
      movingCount &+= 1
      return true
    }
    average(place, &block, isObserved: isObserved)
    block.calm &+= block.calm < .max ? 1 : 0
    let isActive = isDue(block)
    if isActive, block.count > block.given || block.count == Self.fullCount {
      place.giveMeans(of: Int(block.count))
      block.given = block.count
    }
    blocks[index] = block
    return isActive
  }

  @inline(__always)
  private func isDue(_ block: StillBlock) -> Bool {
    if block.isPending { return true }
    switch dueBlocks {
    case .pending: return false
    case .settling: return Int(block.calm) <= Self.settling
    case .coarse:
      return Int(block.calm) <= Self.settling || Int(block.quantizer) > finest || block.count >= 2 &* block.given
    case .all: return true
    }
  }

  @inline(__always)
  private func average(_ place: PlacedBlock, _ block: inout StillBlock, isObserved: Bool) {
    if block.count == Self.fullCount {
      if isObserved { place.follow() }
    } else if block.count == 1 {
      place.beginSums()
      block.count = 2
    } else {
      place.add()
      block.count += 1
    }
  }

  /// Differences are judged by what the noise of a frame and that of the given mean explain.
  @inline(__always)
  private mutating func isStill(_ place: PlacedBlock, given: UInt8, isObserved: Bool) -> Bool {
    let luma = place.lumaDifference
    let bin = NoiseEstimate.bin(of: place.brightness)
    guard estimate.explains(luma, bin: bin, count: given) else { return false }
    let chroma = place.chromaDifference
    guard estimate.explains(chroma, bin: NoiseEstimate.chroma, count: given) else { return false }
    if isObserved, given >= 8 {
      estimate.note(luma, bin: bin)
      estimate.note(chroma, bin: NoiseEstimate.chroma)
    }
    return true
  }
}
