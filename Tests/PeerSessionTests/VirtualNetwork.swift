import MediaCore

/// A datagram on its way.
struct FlyingDatagram {
  var bytes: [UInt8]
  var source: TransportAddress
  var target: TransportAddress
  var arrival: MonotonicInstant
}

/// The network between two parties in virtual time: delay, loss, reordering and duplicates, all repeatable by the seed.
struct VirtualNetwork {
  var oneWay = TimeSpan.milliseconds(10)
  var lossPercent: UInt64 = 0
  var duplicatePercent: UInt64 = 0
  /// So much later does one datagram in twenty arrive, so that others overtake it.
  var reordering = TimeSpan.zero
  private var generator: SeededGenerator
  /// By arrival, the earliest last.
  private var inFlight: [FlyingDatagram] = []

  init(seed: UInt64) { generator = SeededGenerator(state: seed) }

  mutating func carry(
    _ bytes: [UInt8], from source: TransportAddress, to target: TransportAddress, now: MonotonicInstant
  ) {
    let copies = generator.happens(duplicatePercent) ? 2 : 1
    for _ in 0..<copies where !generator.happens(lossPercent) {
      let lateness = reordering > .zero && generator.happens(5) ? reordering : .zero
      insert(FlyingDatagram(bytes: bytes, source: source, target: target, arrival: now + oneWay + lateness))
    }
  }

  private mutating func insert(_ datagram: FlyingDatagram) {
    let place = inFlight.lastIndex { $0.arrival > datagram.arrival }.map { $0 + 1 } ?? 0
    inFlight.insert(datagram, at: place)
  }

  var nextArrival: MonotonicInstant { inFlight.last?.arrival ?? .distantFuture }

  mutating func takeArrived(now: MonotonicInstant) -> FlyingDatagram? {
    guard nextArrival <= now else { return nil }
    return inFlight.removeLast()
  }
}
