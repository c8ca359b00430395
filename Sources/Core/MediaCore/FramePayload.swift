/// The octets of one encoded frame, which several streams send from one copy.
///
/// Reference counted: they stay, unchanged, for as long as a stream keeps the frame to send it again. Made by a
/// ``FramePayloadPool``; confined to its thread.
@safe
public final class FramePayload {
  private let memory: UnsafeMutableRawPointer
  fileprivate let capacity: Int
  /// Octets of the frame. It changes only while nothing but the pool refers to this, so access needs no check.
  @exclusivity(unchecked) public private(set) var byteCount = 0

  fileprivate init(capacity: Int) {
    self.capacity = capacity
    unsafe memory = .allocate(byteCount: capacity, alignment: 16)
  }

  deinit { unsafe memory.deallocate() }

  /// The frame.
  public var bytes: RawSpan {
    @_lifetime(borrow self)
    get {
      let span = unsafe RawSpan(_unsafeStart: memory, byteCount: byteCount)
      return unsafe _overrideLifetime(span, borrowing: self)
    }
  }

  /// Only while nothing but the pool refers to it.
  fileprivate func fill(with bytes: RawSpan) {
    unsafe byteCount = bytes.byteCount
    unsafe bytes.withUnsafeBytes { source in
      guard let base = source.baseAddress else { return }
      unsafe memory.copyMemory(from: base, byteCount: source.count)
    }
  }
}

/// Makes ``FramePayload``s, in the memory of those to which nothing refers any more.
///
/// Frames of like sizes that come and go allocate nothing after warm-up. How many there are is bounded by those who keep
/// them. Confined to one thread.
public struct FramePayloadPool: ~Copyable {
  /// The maximum of unused ones that wait for frames of their size.
  private static var maximumUnused: Int { 16 }
  private static var leastCapacity: Int { 1_024 }

  private var payloads: [FramePayload] = []

  /// Nothing is allocated before the first frame.
  public init() {}

  /// Copies a frame.
  public mutating func copy(_ bytes: RawSpan) -> FramePayload {
    let payload = takeUnused(for: bytes.byteCount) ?? make(for: bytes.byteCount)
    payload.fill(with: bytes)
    return payload
  }

  private mutating func make(for byteCount: Int) -> FramePayload {
    let payload = FramePayload(capacity: Self.capacity(for: byteCount))
    payloads.append(payload)
    return payload
  }

  /// The smallest unused one that the frame fits into and fills at least by half. Of those left over, one is freed when
  /// there are too many.
  private mutating func takeUnused(for byteCount: Int) -> FramePayload? {
    var best: Int?
    var leftover: Int?
    var unusedCount = 0
    for index in payloads.indices where isKnownUniquelyReferenced(&payloads[index]) {
      unusedCount += 1
      let capacity = payloads[index].capacity
      let fits = capacity >= byteCount && capacity <= max(2 * byteCount, Self.leastCapacity)
      guard fits, best.map({ capacity < payloads[$0].capacity }) ?? true else {
        leftover = index
        continue
      }
      leftover = best ?? leftover
      best = index
    }
    let taken = best.map { payloads[$0] }
    if unusedCount > Self.maximumUnused, let leftover { free(leftover) }
    return taken
  }

  private mutating func free(_ index: Int) {
    payloads.swapAt(index, payloads.count - 1)
    payloads.removeLast()
  }

  /// A quarter more at most, so that frames of about one size fit into each other's memory.
  private static func capacity(for byteCount: Int) -> Int {
    var step = leastCapacity / 4
    while step * 8 < byteCount { step *= 2 }
    return max(leastCapacity, (byteCount + step - 1) / step * step)
  }
}
