/// A queue of bytes in blocks of equal size: it takes as much memory as it holds, and reuses that.
///
/// Bytes are named by their position, which counts from the first byte that was ever appended.
///
/// Safety: the blocks belong to this value alone.
struct ByteBlocks: ~Copyable, @unchecked Sendable {
  private static let blockByteCount = 32 * 1024
  /// Blocks that are empty and kept; more are given back.
  private static let spareLimit = 16

  private var blocks: [UnsafeMutableRawPointer] = []
  private var spare: [UnsafeMutableRawPointer] = []
  /// Position of the first block's first byte.
  private var base = 0
  /// Position behind the last byte.
  private(set) var end = 0

  init() {}

  deinit { for block in blocks + spare { block.deallocate() } }

  mutating func append(_ source: RawSpan) {
    source.withUnsafeBytes { source in
      var rest = source[...]
      while !rest.isEmpty {
        let offset = end - base
        if offset / Self.blockByteCount == blocks.count { blocks.append(takeBlock()) }
        let inBlock = offset % Self.blockByteCount
        let part = rest.prefix(Self.blockByteCount - inBlock)
        (blocks[offset / Self.blockByteCount] + inBlock).copyMemory(
          from: UnsafeRawBufferPointer(rebasing: part).baseAddress!, byteCount: part.count)
        end += part.count
        rest = rest.dropFirst(part.count)
      }
    }
  }

  /// Forgets the bytes before a position.
  mutating func removeBytes(before position: Int) {
    let count = min(blocks.count, (position - base) / Self.blockByteCount)
    guard count > 0 else { return }
    for block in blocks.prefix(count) {
      if spare.count < Self.spareLimit { spare.append(block) } else { block.deallocate() }
    }
    blocks.removeFirst(count)
    base += count * Self.blockByteCount
  }

  /// Copies bytes that have not been forgotten.
  func copyBytes(_ range: Range<Int>, to target: inout [UInt8]) {
    var position = range.lowerBound
    while position < range.upperBound {
      let inBlock = (position - base) % Self.blockByteCount
      let count = min(Self.blockByteCount - inBlock, range.upperBound - position)
      let block = blocks[(position - base) / Self.blockByteCount]
      target.append(contentsOf: UnsafeRawBufferPointer(start: block + inBlock, count: count))
      position += count
    }
  }

  private mutating func takeBlock() -> UnsafeMutableRawPointer {
    spare.popLast() ?? .allocate(byteCount: Self.blockByteCount, alignment: 16)
  }
}
