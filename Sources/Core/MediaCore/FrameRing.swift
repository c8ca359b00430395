import Synchronization

/// A bounded queue of encoded frames between one producing and one consuming thread.
///
/// Frames are copied in and read in place; nothing allocates after `init` and neither side waits. When a
/// frame does not fit, it is refused and counted: a slow consumer loses frames and stalls no one. A consumer that keeps
/// up touches twice as much memory as its largest frame takes, and an eighth at most, so that the rest never becomes resident.
///
/// Safety: `head` is written only by the consumer. `tail` is written by the producer, and by the consumer only to move
/// an empty ring to the front of the memory; a producer that was about to push then finds `tail` changed and starts
/// again. Each publishes the bytes behind it with release ordering and reads the other's with acquire ordering. Use
/// from exactly one producer and one consumer at a time.
@safe
public final class FrameRing: @unchecked Sendable {
  private struct Record {
    var header: EncodedFrameHeader
    var payloadCount: UInt32
    /// Bytes from this record's start to the next one's.
    var stride: UInt32
    /// The rest of the memory is unused: the next record starts at offset 0.
    var wraps: Bool
  }

  private let memory: UnsafeMutableRawPointer
  private let capacity: Int
  // Positions count the bytes of all frames so far, which 32 bits cannot hold.
  private let head = Atomic<Int64>(0)
  private let tail = Atomic<Int64>(0)
  private let droppedCount = Atomic<Int>(0)
  /// The largest size of a frame so far. Only for the consumer.
  private var largestStride = 0

  private static var alignment: Int { 16 }
  /// Less is not worth a return to the front.
  private static var leastTouched: Int { 16 << 10 }
  private static var recordSize: Int { roundUp(MemoryLayout<Record>.size) }
  private static func roundUp(_ size: Int) -> Int { (size + alignment - 1) / alignment * alignment }

  /// Creates a ring that holds frames and their records in `byteCount` bytes, rounded up to 16; at most 1 GiB.
  public init(byteCount: Int) {
    capacity = Self.roundUp(min(max(byteCount, 4 * Self.recordSize), 1 << 30))
    unsafe memory = .allocate(byteCount: capacity, alignment: Self.alignment)
  }

  deinit { unsafe memory.deallocate() }

  /// Frames refused so far because the ring was full.
  public var dropped: Int { droppedCount.load(ordering: .relaxed) }

  /// Whether no frame waits.
  public var isEmpty: Bool { head.load(ordering: .acquiring) == tail.load(ordering: .acquiring) }

  /// Where the newest frame ends, counted from the first ever; for ``hasFrame(before:)``.
  public var end: Int64 { tail.load(ordering: .acquiring) }

  /// Whether a frame waits that had come when ``end`` was this. Consumer's side.
  public func hasFrame(before end: Int64) -> Bool { head.load(ordering: .relaxed) < end && !isEmpty }

  /// Whether frames take more than half of the memory; a momentary view.
  public var isMoreThanHalfFull: Bool {
    tail.load(ordering: .relaxed) - head.load(ordering: .relaxed) > Int64(capacity / 2)
  }

  /// Copies a frame in. Producer's side. Returns false, and counts it, when it does not fit.
  @discardableResult
  public func push(_ header: EncodedFrameHeader, payload: RawSpan) -> Bool {
    let stride = Self.recordSize + Self.roundUp(payload.byteCount)
    while true {
      let tail = tail.load(ordering: .acquiring)
      let head = head.load(ordering: .acquiring)
      guard let start = place(stride, head: head, tail: tail) else {
        droppedCount.add(1, ordering: .relaxed)
        return false
      }
      let record = Record(
        header: header, payloadCount: UInt32(clamping: payload.byteCount), stride: UInt32(clamping: stride),
        wraps: false)
      store(record, payload, at: start)
      let isPublished = self.tail.compareExchange(
        expected: tail, desired: start + Int64(stride), successOrdering: .releasing, failureOrdering: .relaxed
      ).exchanged
      if isPublished { return true }
    }
  }

  private func store(_ record: Record, _ payload: RawSpan, at start: Int64) {
    let offset = offset(of: start)
    unsafe (memory + offset).storeBytes(of: record, as: Record.self)
    unsafe payload.withUnsafeBytes { source in
      guard let base = source.baseAddress else { return }
      unsafe (memory + offset + Self.recordSize).copyMemory(from: base, byteCount: source.count)
    }
  }

  private func offset(of position: Int64) -> Int { Int(truncatingIfNeeded: position % Int64(capacity)) }

  /// Finds contiguous space, leaving a wrap mark when the end of the memory is too short.
  private func place(_ stride: Int, head: Int64, tail: Int64) -> Int64? {
    let offset = offset(of: tail)
    let untilEnd = capacity - offset
    if stride <= untilEnd {
      return tail + Int64(stride) - head <= Int64(capacity) ? tail : nil
    }
    guard tail + Int64(untilEnd + stride) - head <= Int64(capacity) else { return nil }
    if untilEnd >= Self.recordSize {
      let mark = Record(
        header: EncodedFrameHeader(
          kind: .audio, timestamp: MonotonicInstant(nanoseconds: 0), duration: .zero, isKeyFrame: false, number: 0),
        payloadCount: 0, stride: UInt32(clamping: untilEnd), wraps: true)
      unsafe (memory + offset).storeBytes(of: mark, as: Record.self)
    }
    return tail + Int64(untilEnd)
  }

  /// Describes the oldest frame; nil when none waits. Consumer's side.
  public var firstHeader: EncodedFrameHeader? { first()?.record.header }

  /// Hands the oldest frame to `body` and removes it afterwards. Consumer's side.
  ///
  /// The payload is valid only during the call. Returns nil when no frame waits.
  public func popFirst<Result, Failure: Error>(
    _ body: (EncodedFrameHeader, RawSpan) throws(Failure) -> Result
  ) throws(Failure) -> Result? {
    guard let (start, record) = first() else { return nil }
    let payload = unsafe UnsafeRawBufferPointer(
      start: memory + offset(of: start) + Self.recordSize, count: Int(clamping: record.payloadCount))
    defer {
      let next = start + Int64(record.stride)
      largestStride = max(largestStride, Int(clamping: record.stride))
      head.store(next, ordering: .releasing)
      returnToFront(from: next)
    }
    return try unsafe body(record.header, payload.bytes)
  }

  /// Moves an empty ring to the front of its memory. Between the two stores the producer sees less space than there is:
  /// never less than an eighth, or than two frames like the largest.
  private func returnToFront(from position: Int64) {
    let offset = offset(of: position)
    guard offset >= min(capacity / 8, max(Self.leastTouched, 2 * largestStride)) else { return }
    let front = position + Int64(capacity - offset)
    let isMoved = tail.compareExchange(
      expected: position, desired: front, successOrdering: .acquiringAndReleasing, failureOrdering: .relaxed
    ).exchanged
    if isMoved { head.store(front, ordering: .releasing) }
  }

  private func first() -> (start: Int64, record: Record)? {
    var start = head.load(ordering: .relaxed)
    let tail = tail.load(ordering: .acquiring)
    while start != tail {
      let offset = offset(of: start)
      let untilEnd = capacity - offset
      guard untilEnd >= Self.recordSize else {
        start += Int64(untilEnd)
        continue
      }
      let record = unsafe (memory + offset).load(as: Record.self)
      guard record.wraps else { return (start, record) }
      start += Int64(record.stride)
    }
    return nil
  }
}
