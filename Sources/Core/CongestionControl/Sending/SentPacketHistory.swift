import MediaCore

/// The packets that left lately, by their transport-wide number.
struct SentPacketHistory {
  struct Packet {
    var number: Int64 = -1
    var sent = MonotonicInstant(nanoseconds: 0)
    var byteCount = 0
    /// The probe that the packet is part of; 0 for none.
    var probe: UInt16 = 0
    var state = State.unknown
  }

  enum State {
    case unknown, lost, received
  }

  /// At 5 Mbit/s, two seconds of packets.
  static let capacity: Int64 = 1_024
  private var packets = [Packet](repeating: Packet(), count: Int(capacity))

  subscript(number: Int64) -> Packet? {
    let packet = packets[Self.slot(number)]
    return packet.number == number ? packet : nil
  }

  mutating func add(_ packet: Packet) { packets[Self.slot(packet.number)] = packet }

  mutating func mark(_ number: Int64, _ state: State) { packets[Self.slot(number)].state = state }

  private static func slot(_ number: Int64) -> Int { Int(number & (capacity - 1)) }
}
