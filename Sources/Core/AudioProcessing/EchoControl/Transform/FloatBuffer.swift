/// Eight neighbouring samples or bins.
typealias Lanes = SIMD8<Float>

/// Owned memory of floats, zero at first, that is read singly or by eight. Allocates only when made.
///
/// Indices are checked but within ``FourierTransform``. Compound assignment (`buffer[lanes: 0] *= 2`) is not used, as in
/// ``CellPlane``: Swift 6.3 miscompiles it for the thread sanitizer.
@safe
struct FloatBuffer: ~Copyable {
  /// The requested number of floats; ``laneCount`` rounds up.
  let count: Int
  let laneCount: Int
  private let memory: UnsafeMutablePointer<Lanes>

  init(count: Int, repeating value: Float = 0) {
    self.count = count
    laneCount = (count + 7) / 8
    unsafe memory = .allocate(capacity: max(laneCount, 1))
    unsafe memory.initialize(repeating: Lanes(repeating: value), count: max(laneCount, 1))
  }

  deinit { unsafe memory.deallocate() }

  /// All floats; valid while the buffer lives.
  @unsafe var start: UnsafeMutablePointer<Float> {
    unsafe UnsafeMutableRawPointer(memory).assumingMemoryBound(to: Float.self)
  }

  subscript(index: Int) -> Float {
    get {
      precondition(index >= 0 && index < laneCount * 8)
      return unsafe start[index]
    }
    nonmutating set {
      precondition(index >= 0 && index < laneCount * 8)
      unsafe start[index] = newValue
    }
  }

  /// The eight floats from `8 * index`.
  subscript(lanes index: Int) -> Lanes {
    get {
      precondition(index >= 0 && index < laneCount)
      return unsafe memory[index]
    }
    nonmutating set {
      precondition(index >= 0 && index < laneCount)
      unsafe memory[index] = newValue
    }
  }

  /// Eight floats from any index.
  func lanes(from index: Int) -> Lanes {
    precondition(index >= 0 && index + 8 <= laneCount * 8)
    return unsafe UnsafeRawPointer(start + index).loadUnaligned(as: Lanes.self)
  }

  /// The mean power of the first floats; a multiple of eight.
  func power(_ count: Int) -> Float {
    var sum = Lanes.zero
    for lane in 0..<count / 8 { sum += self[lanes: lane] * self[lanes: lane] }
    return sum.sum() / Float(count)
  }

  func fill(_ value: Float = 0) {
    for index in 0..<laneCount { self[lanes: index] = Lanes(repeating: value) }
  }

  /// Copies `count` floats from another buffer.
  func copy(_ other: borrowing FloatBuffer, from source: Int = 0, to target: Int = 0, count: Int) {
    precondition(source >= 0 && target >= 0 && count >= 0)
    precondition(source + count <= other.laneCount * 8 && target + count <= laneCount * 8)
    unsafe (start + target).update(from: other.start + source, count: count)
  }
}
