internal import MediaCore

/// Received packets in the order of their timestamps. Allocates only when made.
struct StoredPackets: ~Copyable {
  struct Packet {
    /// Extended RTP timestamp of the first sample.
    var ticks: Int64
    var sequence: UInt16?
    var byteCount: Int
    fileprivate var slot: Int
  }

  enum Insertion { case stored, duplicate, tooLong }

  /// 1.28 s of the usual 20 ms.
  static let capacity = 64
  /// What fits a datagram.
  static let slotBytes = 1_500

  /// In order up to ``count``; those behind it are free slots.
  private var packets: [Packet]
  private(set) var count = 0
  private var memory: [UInt8]

  init() {
    packets = (0..<Self.capacity).map { Packet(ticks: 0, sequence: nil, byteCount: 0, slot: $0) }
    memory = [UInt8](repeating: 0, count: Self.capacity * Self.slotBytes)
  }

  var isFull: Bool { count == Self.capacity }

  var first: Packet? { count > 0 ? packets[0] : nil }

  var last: Packet? { count > 0 ? packets[count - 1] : nil }

  private var firstRange: Range<Int> {
    let start = packets[0].slot * Self.slotBytes
    return start..<start + packets[0].byteCount
  }

  /// Decodes ``first``, which has to be there; returns the samples of each channel.
  func decodeFirst<Decoder: JitterBufferDecoder & ~Copyable>(
    into samples: inout [Int16], _ decoder: inout Decoder
  ) -> Int {
    var output = samples.mutableSpan
    return unsafe decoder.decodePacket(memory.span.bytes.extracting(firstRange), into: &output)
  }

  /// Whether ``first`` carries a copy of the packet before it.
  var firstHasCopy: Bool {
    guard count > 0 else { return false }
    return unsafe OpusRedundancy.hasCopy(memory.span.bytes.extracting(firstRange))
  }

  /// Restores what came before ``first``, which has to be there.
  func recoverBeforeFirst<Decoder: JitterBufferDecoder & ~Copyable>(
    _ length: Int, into samples: inout [Int16], _ decoder: inout Decoder
  ) -> Int {
    var output = samples.mutableSpan
    return unsafe decoder.decodeFEC(
      of: memory.span.bytes.extracting(firstRange), samplesPerChannel: length, into: &output)
  }

  /// Copies a packet in; there has to be room.
  mutating func insert(_ ticks: Int64, _ sequence: UInt16?, _ payload: RawSpan) -> Insertion {
    guard payload.byteCount <= Self.slotBytes else { return .tooLong }
    var place = count
    while place > 0, packets[place - 1].ticks > ticks { place -= 1 }
    guard place == 0 || packets[place - 1].ticks != ticks else { return .duplicate }
    let slot = packets[count].slot
    for index in stride(from: count, to: place, by: -1) { packets[index] = packets[index - 1] }
    packets[place] = Packet(ticks: ticks, sequence: sequence, byteCount: payload.byteCount, slot: slot)
    count += 1
    let start = slot * Self.slotBytes
    unsafe payload.withUnsafeBytes { bytes in
      for index in 0..<bytes.count { memory[start + index] = unsafe bytes[index] }
    }
    return .stored
  }

  mutating func removeFirst() {
    guard let removed = first else { return }
    for index in 1..<count { packets[index - 1] = packets[index] }
    count -= 1
    packets[count] = removed
  }

  mutating func removeAll() { count = 0 }
}
