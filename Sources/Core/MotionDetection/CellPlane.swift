/// Owns one value for each cell of a grid; indices are checked.
@safe
struct CellPlane<Value: BitwiseCopyable>: ~Copyable {
  let count: Int
  private let memory: UnsafeMutablePointer<Value>

  init(repeating value: Value, count: Int) {
    self.count = count
    unsafe memory = .allocate(capacity: max(count, 1))
    unsafe memory.initialize(repeating: value, count: max(count, 1))
  }

  deinit { unsafe memory.deallocate() }

  subscript(index: Int) -> Value {
    get {
      precondition(index >= 0 && index < count)
      return unsafe memory[index]
    }
    nonmutating set {
      precondition(index >= 0 && index < count)
      unsafe memory[index] = newValue
    }
  }
}
