import ICE
import MediaCore

/// The relays of a session. Confined to its thread.
final class TURNAllocations {
  /// More are not opened: of each server the one in use, its successor, and one that gives way to another successor.
  static let limit = 3 * ICEServerList.limit

  private(set) var all: [TURNAllocation] = []
  /// ``ICEAgent/pairCount`` when the peer's addresses were last permitted.
  var permittedPairCount: UInt32 = 0

  subscript(link: TURNConnectionID) -> TURNAllocation? { all.first { $0.link == link } }

  /// The relay through which what leaves from a relayed address has to go.
  func relay(at local: TransportAddress) -> TURNAllocation? {
    guard !all.isEmpty else { return nil }
    return all.firstIndex { $0.address == local }.map { all[$0] }
  }

  var isAllocating: Bool { all.contains { $0.isAllocating } }

  /// Whether the path begins at a relay that is to be given back.
  var hasRetired: Bool { all.contains { $0.isRetired } }

  /// When a client has something to do.
  var deadline: MonotonicInstant {
    var deadline = MonotonicInstant.distantFuture
    for relay in all { deadline = min(deadline, relay.client.deadline) }
    return deadline
  }

  func add(_ relay: TURNAllocation) { all.append(relay) }

  func remove(_ relay: TURNAllocation) { all.removeAll { $0 === relay } }

  func removeAll() { all.removeAll() }
}
