/// Interleaved samples that wait to be taken, in a row. Allocates only when made.
struct SampleQueue: ~Copyable {
  private let memory: UnsafeMutableBufferPointer<Int16>
  private var start = 0
  private(set) var count = 0

  init(capacity: Int) {
    memory = .allocate(capacity: capacity)
    memory.initialize(repeating: 0)
  }

  deinit { memory.deallocate() }

  /// The samples that wait, the oldest first.
  var waiting: UnsafeBufferPointer<Int16> { UnsafeBufferPointer(rebasing: memory[start..<(start + count)]) }

  /// Room for more behind them, of which ``commit(_:)`` tells how much was filled.
  mutating func reserve() -> UnsafeMutableBufferPointer<Int16> {
    if start > 0 {
      let kept = UnsafeMutableBufferPointer(rebasing: memory[..<count])
      _ = kept.update(fromContentsOf: waiting)
      start = 0
    }
    return UnsafeMutableBufferPointer(rebasing: memory[count...])
  }

  mutating func commit(_ added: Int) { count += added }

  mutating func removeFirst(_ taken: Int) {
    start += taken
    count -= taken
  }

  mutating func removeAll() { (start, count) = (0, 0) }
}
