import MediaCore
import RTP

/// Which video packets left under which transport-wide number, for the last ones.
///
/// Feedback names packets by that number, so a packet that got lost is known before the peer has asked for it, and so is a
/// loss of the packet that was sent again.
struct TransportSequenceNumberMap {
  /// The maximum reported in one feedback packet.
  private static var count: Int { 512 }

  private struct Departure: Equatable {
    var transportNumber: Int64
    var number: SequenceNumber

    static var none: Departure { Departure(transportNumber: .min, number: SequenceNumber(0)) }
  }

  /// By the transport-wide number, and by the packet's own: its last departure.
  private var byTransportNumber = InlineArray<512, Departure>(repeating: .none)
  private var byNumber = InlineArray<512, Departure>(repeating: .none)

  mutating func note(_ number: SequenceNumber, under transportNumber: Int64) {
    let departure = Departure(transportNumber: transportNumber, number: number)
    byTransportNumber[Self.slot(transportNumber)] = departure
    byNumber[Self.slot(Int64(number.rawValue))] = departure
  }

  /// The packet that left under a number; nil when it is not a video packet, forgotten, or has left again since.
  func lastDeparture(under transportNumber: Int64) -> SequenceNumber? {
    // Through spans: reading an element of the arrays themselves copies all of them.
    let (byTransportNumber, byNumber) = (byTransportNumber.span, byNumber.span)
    let found = byTransportNumber[Self.slot(transportNumber)]
    guard found.transportNumber == transportNumber, byNumber[Self.slot(Int64(found.number.rawValue))] == found else {
      return nil
    }
    return found.number
  }

  private static func slot(_ number: Int64) -> Int { Int(truncatingIfNeeded: number & Int64(count - 1)) }
}
