public import MediaCore

/// The last packets that a stream of VP8 sent, before protection, for retransmission, and those that wait to be sent.
///
/// It keeps no packet, but the frames that they are made of, which other streams may share, and which numbers each frame
/// has in this stream. So a packet is written each time it leaves, the same octet by octet but for its header extensions.
/// Nothing allocates after warm-up.
public struct PacketHistory: ~Copyable {
  /// How many packets are kept, and in how many frames: 4 s at 30 a second.
  private static var packetLimit: Int { 512 }
  /// The maximum of frames that are kept.
  public static var frameLimit: Int { 128 }
  /// On the 90 kHz RTP clock. No peer asks for what is older: a frame that nothing else keeps would only take memory.
  private static var lifetime: UInt32 { 4 * 90_000 }

  private var frames: [VP8FramePackets] = []
  /// In the same places as their frames. Apart from them, since finding a packet counts no references so.
  private var payloads: [FramePayload?] = []
  /// Where the oldest frame is; the others follow.
  private var head = 0
  private var frameCount = 0
  private var packetCount = 0
  private var repetitions = RepetitionTable()

  /// Nothing is allocated before the first frame.
  public init() {}

  /// Keeps a frame whose numbers follow those of the last one, and gives up those that it has no more room for.
  ///
  /// - Parameter firstWaiting: the first packet that has not been sent; its frame and the ones after it are kept if
  ///   ``frameCount(from:)`` of them is less than ``frameLimit``. This frame's first if none waits.
  public mutating func append(_ packets: VP8FramePackets, of payload: FramePayload, firstWaiting: SequenceNumber) {
    guard packets.count > 0 else { return }
    if frames.isEmpty {
      frames = Array(repeating: packets, count: Self.frameLimit)
      payloads = Array(repeating: nil, count: Self.frameLimit)
    }
    while frameCount > 0, !hasRoom(for: packets, beside: frames[head], firstWaiting) { removeFirst() }
    let slot = slot(frameCount)
    frames[slot] = packets
    payloads[slot] = payload
    frameCount += 1
    packetCount += packets.count
    repetitions.forget(from: packets.firstSequenceNumber, count: packets.count)
  }

  private func hasRoom(
    for packets: VP8FramePackets, beside oldest: VP8FramePackets, _ firstWaiting: SequenceNumber
  ) -> Bool {
    guard frameCount < Self.frameLimit else { return false }
    let end = oldest.firstSequenceNumber.advanced(by: oldest.count)
    guard !end.isNewer(than: firstWaiting) else { return true }
    return packetCount + packets.count <= Self.packetLimit && packets.timestamp &- oldest.timestamp <= Self.lifetime
  }

  private mutating func removeFirst() {
    packetCount -= frames[head].count
    payloads[head] = nil
    head = slot(1)
    frameCount -= 1
  }

  /// Gives up everything.
  public mutating func removeAll() {
    while frameCount > 0 { removeFirst() }
  }
}

// MARK: - Finding packets

extension PacketHistory {
  /// Octets of a packet's payload, or nil when it is not kept (any more).
  public func payloadByteCount(of number: SequenceNumber) -> Int? {
    find(number).map { frames[$0.slot].payloadByteCount($0.index) }
  }

  /// The RTP timestamp of a packet, or nil when it is not kept (any more).
  public func timestamp(of number: SequenceNumber) -> UInt32? { find(number).map { frames[$0.slot].timestamp } }

  /// How many frames are kept from that of a packet on; 0 when it is not kept.
  public func frameCount(from number: SequenceNumber) -> Int { place(of: number).map { frameCount - $0 } ?? 0 }

  /// Where a packet's frame is, and which of its packets it is.
  private func find(_ number: SequenceNumber) -> (slot: Int, index: Int)? {
    guard let place = place(of: number) else { return nil }
    let slot = slot(place)
    return (slot, frames[slot].firstSequenceNumber.distance(to: number))
  }

  private func slot(_ place: Int) -> Int { (head + place) % Self.frameLimit }

  /// Which of the frames has a packet, counted from the oldest: often the last one; else, since numbers follow one
  /// another, the half that cannot have it is left out.
  private func place(of number: SequenceNumber) -> Int? {
    var (lower, upper, next) = (0, frameCount, frameCount - 1)
    while lower < upper {
      let packets = frames[slot(next)]
      let offset = packets.firstSequenceNumber.distance(to: number)
      if offset < 0 { upper = next } else if offset >= packets.count { lower = next + 1 } else { return next }
      next = (lower + upper) / 2
    }
    return nil
  }
}

// MARK: - Sending packets again

extension PacketHistory {
  /// Whether a packet that is kept was sent again.
  public func isResent(_ number: SequenceNumber) -> Bool { place(of: number) != nil && repetitions.isResent(number) }

  /// Suppresses a second copy of a packet requested within a round trip from `instant` on.
  public mutating func holdBack(_ number: SequenceNumber, from instant: MonotonicInstant) {
    if place(of: number) != nil { repetitions.holdBack(number, from: instant) }
  }

  /// Writes a packet with header extensions of this moment to the front of `buffer` and returns its length; nil when it
  /// is not kept (any more).
  public func write(
    _ number: SequenceNumber, extensions: borrowing RTPHeaderExtensionBlock, into buffer: inout MutableRawSpan
  ) throws(InsufficientSpace) -> Int? {
    guard let (slot, index) = find(number), let payload = payloads[slot] else { return nil }
    return try frames[slot].write(index, of: payload.bytes, extensions: extensions, into: &buffer)
  }

  /// Writes the RTX packet that repeats a packet to the front of `buffer` and returns its length.
  ///
  /// Returns nil when the packet is not kept, or was resent just now.
  public mutating func retransmit(
    _ wanted: Retransmission, over rtx: inout RTXEncapsulation, extensions: borrowing RTPHeaderExtensionBlock,
    into buffer: inout MutableRawSpan
  ) throws(InsufficientSpace) -> Int? {
    guard let (slot, index) = find(wanted.number), let payload = payloads[slot], repetitions.mayRepeat(wanted) else {
      return nil
    }
    let length = try rtx.wrap(index, frames[slot], of: payload.bytes, extensions: extensions, into: &buffer)
    repetitions.noteResent(wanted)
    return length
  }

  /// As ``retransmit(_:over:extensions:into:)`` for a peer without RTX: the packet itself again.
  public mutating func retransmit(
    _ wanted: Retransmission, extensions: borrowing RTPHeaderExtensionBlock, into buffer: inout MutableRawSpan
  ) throws(InsufficientSpace) -> Int? {
    guard place(of: wanted.number) != nil, repetitions.mayRepeat(wanted) else { return nil }
    let length = try write(wanted.number, extensions: extensions, into: &buffer)
    repetitions.noteResent(wanted)
    return length
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
