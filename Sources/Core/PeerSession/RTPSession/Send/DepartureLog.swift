import MediaCore
import RTP

/// Which of the pictures' packets left under which transport-wide number, for the last ones.
///
/// Feedback names packets by that number, so a packet that got lost is known before the peer has asked for it, and so is a
/// loss of the packet that was sent again.
struct DepartureLog {
  /// At most as many are reported in one piece of feedback.
  private static var count: Int { 512 }

  private struct Departure {
    var transportNumber: Int64
    var number: SequenceNumber
  }

  private var departures = InlineArray<512, Departure>(
    repeating: Departure(transportNumber: .min, number: SequenceNumber(0)))

  mutating func note(_ number: SequenceNumber, under transportNumber: Int64) {
    departures[Self.slot(transportNumber)] = Departure(transportNumber: transportNumber, number: number)
  }

  /// The packet that left under a number; nil when it is none of the pictures', forgotten, or has left again since.
  func lastDeparture(under transportNumber: Int64) -> SequenceNumber? {
    let found = departures[Self.slot(transportNumber)]
    guard found.transportNumber == transportNumber else { return nil }
    for index in departures.indices
    where departures[index].number == found.number && departures[index].transportNumber > transportNumber {
      return nil
    }
    return found.number
  }

  private static func slot(_ transportNumber: Int64) -> Int {
    Int(truncatingIfNeeded: transportNumber & Int64(count - 1))
  }
}
