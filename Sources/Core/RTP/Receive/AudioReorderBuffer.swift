public import MediaCore

/// One Opus packet taken from an ``AudioReorderBuffer``.
public struct AudioPacket: Sendable, Hashable {
  /// The packet's sequence number.
  public var sequenceNumber: SequenceNumber
  /// On the 48 kHz RTP clock.
  public var timestamp: UInt32
  /// Octets written to the caller's buffer.
  public var byteCount: Int
  /// Packets given up right before this one: conceal them.
  public var lostBefore: Int
  /// When it came, on the local clock.
  public var arrival: MonotonicInstant
}

/// Puts the packets of one audio stream in order and waits a bounded time for late ones.
///
/// How long follows from how late packets are that others overtake: a stream that never arrives out of order waits so
/// briefly that the packet after a lost one still comes in time to restore it (RFC 6716 §2.1.7).
/// The memory is allocated once. This is no playout buffer: packets that come in order leave at once.
public struct AudioReorderBuffer: ~Copyable {
  private struct Slot {
    /// Extended sequence number, or -1.
    var number: Int64 = -1
    var timestamp: UInt32 = 0
    var byteCount = 0
    var arrival = MonotonicInstant(nanoseconds: 0)
    /// When it was first known that the packet before this one is missing.
    var gapSince = MonotonicInstant(nanoseconds: 0)
  }

  /// No packet is waited for longer.
  public let maximumWait: TimeSpan
  /// How long a missing packet is waited for now, from the arrival of a later one.
  public var wait: TimeSpan { lateness.wait(atMost: maximumWait) }
  private var lateness = ReorderLateness()
  /// Packets given up so far.
  public private(set) var lostCount = 0
  private var memory: PacketMemory
  private var slots: [Slot]
  private var validator = SequenceValidator()
  private var next: Int64?
  /// The packet after the last one popped.
  private var poppedEnd: Int64?
  private var storedCount = 0

  /// - Parameters:
  ///   - slotCount: rounded up to a power of two; the maximum number of waiting packets.
  ///   - slotSize: the longest payload; an Opus packet has at most 1,275 octets a frame.
  public init(maximumWait: TimeSpan = .milliseconds(120), slotCount: Int = 32, slotSize: Int = 1_500) {
    self.maximumWait = maximumWait
    memory = PacketMemory(slotCount: slotCount, slotSize: slotSize)
    slots = Array(repeating: Slot(), count: memory.slotCount)
  }

  /// What becomes of a packet.
  public enum Insertion: Sendable {
    case stored
    /// It is waited for no longer.
    case late
    /// It came twice, is too long, or has a number that is far from the others'.
    case rejected
  }

  /// Keeps a copy of a packet's payload.
  @discardableResult
  public mutating func insert(_ header: RTPHeader, packet: RawSpan, now: MonotonicInstant) -> Insertion {
    guard header.payloadRange.upperBound <= packet.byteCount else { return .rejected }
    let number: Int64
    switch validator.check(header.sequenceNumber) {
    case .rejected: return .rejected
    case .accepted(let extended): number = extended
    case .restarted(let extended):
      clear()
      number = extended
    }
    let first = next ?? number
    next = first
    poppedEnd = poppedEnd ?? first
    guard number >= first else {
      lateness.noteLate(number, now: now)
      return .late
    }
    makeRoom(for: number)
    let isStored = store(number, header, payload: packet.extracting(header.payloadRange), now: now)
    return isStored ? .stored : .rejected
  }

  private mutating func store(_ number: Int64, _ header: RTPHeader, payload: RawSpan, now: MonotonicInstant) -> Bool {
    let slot = memory.slot(of: number)
    guard slots[slot].number != number, memory.store(payload, in: slot) else { return false }
    let gapSince = firstStored(after: number).map { min($0.gapSince, now) } ?? now
    lateness.note(now - gapSince)
    slots[slot] = Slot(
      number: number, timestamp: header.timestamp, byteCount: payload.byteCount, arrival: now,
      gapSince: gapSince)
    storedCount += 1
    return true
  }

  /// Gives up the oldest places when `number` lies beyond the last slot.
  private mutating func makeRoom(for number: Int64) {
    guard let first = next, number - first >= Int64(slots.count) else { return }
    let limit = number - Int64(slots.count) + 1
    for number in first..<min(limit, first + Int64(slots.count)) { remove(number) }
    next = limit
  }

  private mutating func remove(_ number: Int64) {
    let slot = memory.slot(of: number)
    guard slots[slot].number == number else { return }
    slots[slot].number = -1
    storedCount -= 1
  }

  private mutating func clear() {
    for index in slots.indices { slots[index].number = -1 }
    storedCount = 0
    next = nil
    poppedEnd = nil
  }

  private func firstStored(after number: Int64) -> Slot? {
    guard storedCount > 0 else { return nil }
    for candidate in number + 1...number + Int64(slots.count) {
      let slot = slots[memory.slot(of: candidate)]
      if slot.number == candidate { return slot }
    }
    return nil
  }

  /// When ``popFirst(now:into:)`` gives up waiting for a missing packet; nil when none is missed.
  public var deadline: MonotonicInstant? {
    guard let next, storedCount > 0, slots[memory.slot(of: next)].number != next else { return nil }
    return firstStored(after: next).map { $0.gapSince + wait }
  }

  /// Writes the next packet in order to the front of `buffer`; nil when there is none, or it is still waited for.
  ///
  /// - Throws: `InsufficientSpace` when it does not fit; the call can then be repeated.
  public mutating func popFirst(
    now: MonotonicInstant, into buffer: inout MutableRawSpan
  ) throws(InsufficientSpace) -> AudioPacket? {
    guard let expected = next, let number = firstReady(from: expected, now: now) else { return nil }
    let index = memory.slot(of: number)
    let slot = slots[index]
    var writer = ByteWriter(overwriting: &buffer)
    try memory.write(index, count: slot.byteCount, to: &writer)
    let lost = Int(clamping: number - (poppedEnd ?? number))
    lostCount += lost
    if lost > 0 { lateness.noteGivenUp(number - Int64(lost)..<number, since: slot.gapSince) }
    remove(number)
    next = number + 1
    poppedEnd = next
    return AudioPacket(
      sequenceNumber: SequenceNumber(extended: number), timestamp: slot.timestamp,
      byteCount: slot.byteCount,
      lostBefore: lost, arrival: slot.arrival)
  }

  private func firstReady(from expected: Int64, now: MonotonicInstant) -> Int64? {
    if slots[memory.slot(of: expected)].number == expected { return expected }
    guard let slot = firstStored(after: expected), slot.gapSince + wait <= now else { return nil }
    return slot.number
  }
}
