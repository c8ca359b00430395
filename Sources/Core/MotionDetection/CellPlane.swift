/// Owns one value for each cell of a grid, which are read and written singly or by eight; indices are checked.
///
/// There is room for eight more cells before the first and behind the last, so that rows may be worked through by eight,
/// regardless of their length; the content there is undefined.
///
/// Compound assignment (`plane[index] += 1`) is not used: Swift 6.3 miscompiles it for the thread sanitizer, since the
/// value that owns the memory cannot be copied and has no address.
@safe
struct CellPlane<Value: BitwiseCopyable>: ~Copyable {
  let count: Int
  private let memory: UnsafeMutablePointer<Value>
  private let cells: UnsafeMutablePointer<Value>

  private static var margin: Int { 8 }

  init(repeating value: Value, count: Int) {
    let whole = count + 2 * Self.margin
    self.count = count
    unsafe memory = .allocate(capacity: whole)
    unsafe memory.initialize(repeating: value, count: whole)
    unsafe cells = unsafe memory + Self.margin
  }

  /// Cells that must be written before they are read: those that never are take no memory.
  @unsafe init(uninitialized count: Int) {
    self.count = count
    unsafe memory = .allocate(capacity: count + 2 * Self.margin)
    unsafe cells = unsafe memory + Self.margin
  }

  deinit { unsafe memory.deallocate() }

  subscript(index: Int) -> Value {
    get {
      precondition(index >= 0 && index < count)
      return unsafe cells[index]
    }
    nonmutating set {
      precondition(index >= 0 && index < count)
      unsafe cells[index] = newValue
    }
  }
}

extension CellPlane where Value: SIMDScalar {
  /// The cell with that index and the seven that follow.
  subscript(octet index: Int) -> Octet<Value> {
    get {
      precondition(index >= -8 && index <= count)
      return unsafe UnsafeRawPointer(cells + index).loadUnaligned(as: Octet<Value>.self)
    }
    nonmutating set {
      precondition(index >= -8 && index <= count)
      unsafe UnsafeMutableRawPointer(cells + index).storeBytes(of: newValue, as: Octet<Value>.self)
    }
  }
}

extension CellPlane {
  /// For one-byte cells: whether eight cells from there on are all 0.
  func isZero(octet index: Int) -> Bool {
    precondition(MemoryLayout<Value>.size == 1 && index >= -8 && index <= count)
    return unsafe UnsafeRawPointer(cells + index).loadUnaligned(as: UInt64.self) == 0
  }

  func fill(_ value: Value) { unsafe cells.update(repeating: value, count: count) }
}

extension CellPlane<UInt8> {
  /// The rows from the first with a cell that is not 0 to the last one, or a few of their neighbours more; empty when all
  /// cells are 0.
  func markedRows(_ grid: CellGrid) -> Range<Int> {
    var (first, last) = (count, -1)
    for index in stride(from: 0, to: count, by: 8) where !isZero(octet: index) {
      first = min(first, index)
      last = index + 7
    }
    return first > last ? 0..<0 : first / grid.width..<min(last / grid.width + 1, grid.height)
  }

  /// Takes as many bytes as there are cells.
  func copy(_ bytes: Span<UInt8>) {
    precondition(bytes.count == count)
    unsafe bytes.withUnsafeBufferPointer { unsafe cells.update(from: $0.baseAddress!, count: count) }
  }
}
