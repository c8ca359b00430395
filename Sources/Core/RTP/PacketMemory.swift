import MediaCore

/// Slots of equal size in one piece of memory, allocated once: the one place of this module that owns raw memory.
///
/// Memory becomes resident only when a slot is first used.
@safe
@usableFromInline struct PacketMemory: ~Copyable {
  let slotCount: Int
  let slotSize: Int
  @usableFromInline let memory: UnsafeMutableRawPointer

  /// - Parameter slotCount: rounded up to a power of two of at most 32,768, so that the low bits of a sequence number
  ///   choose a slot.
  init(slotCount: Int, slotSize: Int) {
    var count = 1
    while count < slotCount, count < 0x8000 { count *= 2 }
    self.slotCount = count
    self.slotSize = max(slotSize, 64)
    unsafe memory = .allocate(byteCount: self.slotCount * self.slotSize, alignment: 16)
  }

  @inlinable deinit { unsafe memory.deallocate() }

  /// The slot of a sequence number, extended or not.
  func slot(of number: Int64) -> Int { Int(truncatingIfNeeded: number) & (slotCount - 1) }

  /// Copies `bytes` to the front of a slot; false when they are longer than a slot.
  mutating func store(_ bytes: RawSpan, in slot: Int) -> Bool {
    precondition(slot >= 0 && slot < slotCount)
    guard bytes.byteCount <= slotSize else { return false }
    unsafe bytes.withUnsafeBytes { source in
      guard let base = source.baseAddress else { return }
      unsafe (memory + slot * slotSize).copyMemory(from: base, byteCount: source.count)
    }
    return true
  }

  /// Lends a slot to `body`, which returns how many octets it wrote to the front.
  mutating func write<Result>(
    in slot: Int, _ body: (inout MutableRawSpan) throws(InsufficientSpace) -> Result
  ) throws(InsufficientSpace) -> Result {
    precondition(slot >= 0 && slot < slotCount)
    let buffer = unsafe UnsafeMutableRawBufferPointer(start: memory + slot * slotSize, count: slotSize)
    var bytes = unsafe buffer.mutableBytes
    return try body(&bytes)
  }

  /// The front of a slot; must not outlive this value or the next ``store(_:in:)``.
  func unsafeBytes(of slot: Int, count: Int) -> UnsafeRawBufferPointer {
    precondition(slot >= 0 && slot < slotCount && count >= 0 && count <= slotSize)
    return unsafe UnsafeRawBufferPointer(start: memory + slot * slotSize, count: count)
  }

  /// Appends the front of a slot to `writer`.
  func write(_ slot: Int, count: Int, to writer: inout ByteWriter) throws(InsufficientSpace) {
    let buffer = unsafe unsafeBytes(of: slot, count: count)
    try unsafe writer.write(buffer.bytes)
  }
}
