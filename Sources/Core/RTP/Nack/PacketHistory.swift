public import MediaCore

/// The last packets that a stream sent, before protection, for retransmission.
///
/// The memory is allocated once. A packet is found until `slotCount` later ones have been stored.
public struct PacketHistory: ~Copyable {
  private struct Entry {
    var number: SequenceNumber
    var byteCount: Int
    /// From when on a round trip passes until it is sent again.
    var resentAt: MonotonicInstant?
    var isResent = false
  }

  private var memory: PacketMemory
  private var entries: [Entry]

  /// - Parameters:
  ///   - slotCount: rounded up to a power of two.
  ///   - slotSize: the longest packet that can be kept.
  public init(slotCount: Int = 1_024, slotSize: Int = 1_500) {
    memory = PacketMemory(slotCount: slotCount, slotSize: slotSize)
    entries = Array(repeating: Entry(number: SequenceNumber(0), byteCount: 0, resentAt: nil), count: memory.slotCount)
  }

  /// Keeps a copy of a packet; returns false, keeping nothing, when it is longer than a slot.
  @discardableResult
  public mutating func store(_ packet: RawSpan, number: SequenceNumber) -> Bool {
    let slot = memory.slot(of: Int64(number.rawValue))
    let isStored = memory.store(packet, in: slot)
    entries[slot] = Entry(number: number, byteCount: isStored ? packet.byteCount : 0, resentAt: nil)
    return isStored
  }

  /// Lets `write` make a packet in its place and returns the length; keeps nothing when there is none.
  @inline(__always)
  public mutating func store(
    _ number: SequenceNumber, _ write: (inout MutableRawSpan) throws(InsufficientSpace) -> Int?
  ) throws(InsufficientSpace) -> Int? {
    let slot = memory.slot(of: Int64(number.rawValue))
    entries[slot].byteCount = 0
    guard let byteCount = try memory.write(in: slot, write) else { return nil }
    entries[slot] = Entry(number: number, byteCount: byteCount, resentAt: nil)
    return byteCount
  }

  /// Octets of a packet, or nil when it is not kept (any more).
  public func byteCount(of number: SequenceNumber) -> Int? { find(number).map { entries[$0].byteCount } }

  /// The RTP timestamp of a packet, or nil when it is not kept (any more).
  public func timestamp(of number: SequenceNumber) -> UInt32? {
    guard let slot = find(number) else { return nil }
    let packet = unsafe memory.unsafeBytes(of: slot, count: entries[slot].byteCount)
    return try? unsafe RTPHeader(parsing: packet.bytes).timestamp
  }

  /// Whether a packet that is kept was sent again.
  public func isResent(_ number: SequenceNumber) -> Bool { find(number).map { entries[$0].isResent } ?? false }

  /// Suppresses a second copy of a packet requested within a round trip from `instant` on.
  public mutating func holdBack(_ number: SequenceNumber, from instant: MonotonicInstant) {
    if let slot = find(number) { entries[slot].resentAt = instant }
  }

  /// Writes a packet with header extensions of this moment to the front of `buffer` and returns its length; nil when it
  /// is not kept (any more).
  public func copy(
    _ number: SequenceNumber, extensions: borrowing RTPHeaderExtensionBlock, into buffer: inout MutableRawSpan
  ) throws(InsufficientSpace) -> Int? {
    guard let slot = find(number) else { return nil }
    let packet = unsafe memory.unsafeBytes(of: slot, count: entries[slot].byteCount)
    let bytes = unsafe packet.bytes
    guard let header = try? RTPHeader(parsing: bytes) else { return nil }
    var writer = ByteWriter(overwriting: &buffer)
    try header.write(to: &writer, extensions: extensions)
    try writer.write(bytes.extracting(header.payloadRange))
    return writer.count
  }

  /// Writes the RTX packet that repeats packet `number` to the front of `buffer` and returns its length.
  ///
  /// Returns nil when the packet is not kept, or was resent just now.
  public mutating func retransmit(
    _ wanted: Retransmission, over rtx: inout RTXEncapsulation, extensions: borrowing RTPHeaderExtensionBlock,
    into buffer: inout MutableRawSpan
  ) throws(InsufficientSpace) -> Int? {
    guard let slot = find(wanted) else { return nil }
    let packet = unsafe memory.unsafeBytes(of: slot, count: entries[slot].byteCount)
    let length = try unsafe rtx.wrap(packet.bytes, extensions: extensions, into: &buffer)
    entries[slot].resentAt = wanted.now
    entries[slot].isResent = true
    return length
  }

  /// As ``retransmit(_:over:extensions:into:)`` for a peer without RTX: the packet itself again.
  public mutating func retransmit(
    _ wanted: Retransmission, extensions: borrowing RTPHeaderExtensionBlock, into buffer: inout MutableRawSpan
  ) throws(InsufficientSpace) -> Int? {
    guard let slot = find(wanted) else { return nil }
    let length = try copy(wanted.number, extensions: extensions, into: &buffer)
    entries[slot].resentAt = wanted.now
    entries[slot].isResent = true
    return length
  }

  private func find(_ number: SequenceNumber) -> Int? {
    let slot = memory.slot(of: Int64(number.rawValue))
    guard entries[slot].byteCount > 0, entries[slot].number == number else { return nil }
    return slot
  }

  private func find(_ wanted: Retransmission) -> Int? {
    guard let slot = find(wanted.number) else { return nil }
    if let resentAt = entries[slot].resentAt, wanted.now - resentAt < wanted.minimumInterval { return nil }
    return slot
  }
}

/// A packet that is to be sent again.
public struct Retransmission: Sendable {
  /// The number of the packet as first sent.
  public var number: SequenceNumber
  /// A peer that asks twice within such a time, a round trip, gets one copy.
  public var minimumInterval: TimeSpan
  /// When it was requested.
  public var now: MonotonicInstant

  /// - Parameter minimumInterval: the round trip.
  public init(_ number: SequenceNumber, minimumInterval: TimeSpan, now: MonotonicInstant) {
    self.number = number
    self.minimumInterval = minimumInterval
    self.now = now
  }
}
