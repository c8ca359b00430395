import MediaCore

/// The packets that wait in a ``VideoFrameAssembler``, found by extended sequence number.
struct VideoPacketSlots: ~Copyable {
  struct Packet {
    /// Extended sequence number, or -1 for a free slot.
    var number: Int64 = -1
    var timestamp: UInt32 = 0
    var marker = false
    /// Octets of VP8 data; 0 for a packet of padding.
    var byteCount = 0
    var descriptor = VP8PayloadDescriptor(startsPartition: false)
    /// Known from the frame's first octet: only where the packet starts a frame.
    var isKeyFrame = false
    /// When packets before this one were first known to be late.
    var gapSince = MonotonicInstant(nanoseconds: 0)

    var isPadding: Bool { byteCount == 0 }
    var startsFrame: Bool { !isPadding && descriptor.startsFrame }
  }

  private var memory: PacketMemory
  private var packets: [Packet]
  /// How many packets that start key frames are stored.
  private(set) var keyFrameCount = 0

  init(slotCount: Int, slotSize: Int) {
    memory = PacketMemory(slotCount: slotCount, slotSize: slotSize)
    packets = Array(repeating: Packet(), count: memory.slotCount)
  }

  var count: Int { packets.count }

  subscript(number: Int64) -> Packet? {
    let packet = packets[memory.slot(of: number)]
    return packet.number == number ? packet : nil
  }

  /// Stores a packet with its VP8 data; false when that is longer than a slot.
  mutating func store(_ packet: Packet, data: RawSpan) -> Bool {
    let slot = memory.slot(of: packet.number)
    guard memory.store(data, in: slot) else { return false }
    free(slot)
    packets[slot] = packet
    packets[slot].byteCount = data.byteCount
    if packet.isKeyFrame { keyFrameCount += 1 }
    return true
  }

  /// Appends a packet's VP8 data to `writer`.
  func write(_ number: Int64, to writer: inout ByteWriter) throws(InsufficientSpace) {
    let slot = memory.slot(of: number)
    try memory.write(slot, count: packets[slot].byteCount, to: &writer)
  }

  mutating func remove(_ numbers: Range<Int64>) {
    guard numbers.count < packets.count else {
      for slot in packets.indices where numbers.contains(packets[slot].number) { free(slot) }
      return
    }
    for number in numbers where self[number] != nil { free(memory.slot(of: number)) }
  }

  mutating func removeAll() {
    for slot in packets.indices { free(slot) }
  }

  private mutating func free(_ slot: Int) {
    guard packets[slot].number >= 0 else { return }
    if packets[slot].isKeyFrame { keyFrameCount -= 1 }
    packets[slot].number = -1
  }

  /// The first stored packet in `numbers`.
  func first(in numbers: Range<Int64>) -> Packet? {
    for number in numbers {
      if let packet = self[number] { return packet }
    }
    return nil
  }
}
