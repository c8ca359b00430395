/// Bytes of a stream that belong to no finished frame yet, at the beginning of memory that grows.
struct StreamBuffer: ~Copyable {
  private var memory = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.initialSize, alignment: 16)
  private(set) var byteCount = 0

  private static let initialSize = 65_536

  deinit { memory.deallocate() }

  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: memory[..<byteCount]) }

  /// What can be filled, see ``append(_:)``. Allocates when it is full, up to `capacity` in all.
  mutating func room(capacity: Int) -> UnsafeMutableRawBufferPointer {
    if byteCount == memory.count, byteCount < capacity { grow(to: min(capacity, max(byteCount * 2, Self.initialSize))) }
    return UnsafeMutableRawBufferPointer(rebasing: memory[byteCount...])
  }

  private mutating func grow(to count: Int) {
    let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 16)
    larger.copyMemory(from: bytes)
    memory.deallocate()
    memory = larger
  }

  /// So many bytes of the room were filled.
  mutating func append(_ count: Int) { byteCount += count }

  mutating func removeFirst(_ count: Int) {
    guard count > 0, let base = memory.baseAddress else { return }
    byteCount -= count
    base.copyMemory(from: base + count, byteCount: byteCount)
  }
}
