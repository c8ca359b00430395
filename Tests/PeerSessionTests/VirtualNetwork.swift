import MediaCore

/// A datagram on its way.
struct FlyingDatagram {
  var bytes: [UInt8]
  var source: TransportAddress
  var target: TransportAddress
  var arrival: MonotonicInstant
}

/// A link of limited rate with a queue before it; what finds the queue full is lost.
struct Bottleneck {
  var rate: Bitrate
  /// Of time, not of octets.
  var queueLimit = TimeSpan.milliseconds(800)
  /// How long each datagram waited and took to leave.
  private(set) var delays: [(at: MonotonicInstant, delay: TimeSpan)] = []
  private(set) var droppedCount = 0
  private(set) var octets: [(at: MonotonicInstant, count: Int)] = []
  private var isFreeAt = MonotonicInstant(nanoseconds: 0)

  init(rate: Bitrate) { self.rate = rate }

  /// When a datagram that comes now has left the link; nil when it is lost.
  mutating func pass(_ byteCount: Int, now: MonotonicInstant) -> MonotonicInstant? {
    octets.append((now, byteCount))
    let start = max(now, isFreeAt)
    guard start - now <= queueLimit else {
      droppedCount += 1
      return nil
    }
    isFreeAt = start + TimeSpan(nanoseconds: Int64(byteCount) * 8_000_000_000 / Int64(rate.bitsPerSecond))
    delays.append((now, isFreeAt - now))
    return isFreeAt
  }

  /// The longest delay between two instants.
  func longestDelay(_ range: Range<MonotonicInstant>) -> TimeSpan {
    delays.filter { range.contains($0.at) }.map(\.delay).max() ?? .zero
  }

  /// What came to the link between two instants, in kbit/s.
  func offeredKilobits(_ range: Range<MonotonicInstant>) -> Double {
    let sum = octets.filter { range.contains($0.at) }.reduce(0) { $0 + $1.count }
    return Double(sum) * 8 / 1_000 / (range.upperBound - range.lowerBound).seconds
  }
}

/// The network between two parties in virtual time: delay, loss, bursts of loss, reordering, duplicates and limited
/// rates, all repeatable by the seed.
struct VirtualNetwork {
  var oneWay = TimeSpan.milliseconds(10)
  /// Each datagram takes up to so much longer, at random, but overtakes none.
  var jitter = TimeSpan.zero
  var lossPercent: UInt64 = 0
  /// Of what goes to the session.
  var returnLossPercent: UInt64 = 0
  var duplicatePercent: UInt64 = 0
  /// With this probability a datagram and the seven after it are lost.
  var burstPercent: UInt64 = 0
  /// So much later does one datagram in twenty arrive, so that others overtake it.
  var reordering = TimeSpan.zero
  /// The link from the session to the peer; nil for one without limit.
  var uplink: Bottleneck?
  /// Says between which addresses nothing passes.
  var isCut: (TransportAddress, TransportAddress) -> Bool = { _, _ in false }
  private var burstLeft = 0
  private var lastArrival: [TransportAddress: MonotonicInstant] = [:]
  private var generator: SeededGenerator
  /// By arrival, the earliest last.
  private var inFlight: [FlyingDatagram] = []

  init(seed: UInt64) { generator = SeededGenerator(state: seed) }

  mutating func carry(
    _ bytes: [UInt8], from source: TransportAddress, to target: TransportAddress, now: MonotonicInstant
  ) {
    guard !isCut(source, target) else { return }
    let isReturning = target == Call.sessionAddress
    let loss = isReturning ? max(lossPercent, returnLossPercent) : lossPercent
    let copies = generator.happens(duplicatePercent) ? 2 : 1
    for _ in 0..<copies where !isInBurst() && !generator.happens(loss) {
      let isLimited = source == Call.sessionAddress && uplink != nil
      guard let departure = isLimited ? uplink?.pass(bytes.count, now: now) : now else { continue }
      let lateness = reordering > .zero && generator.happens(5) ? reordering : .zero
      let arrival = jittered(departure + oneWay, to: target) + lateness
      insert(FlyingDatagram(bytes: bytes, source: source, target: target, arrival: arrival))
    }
  }

  /// Carries octets of a stream: nothing is lost and nothing overtaken.
  mutating func carryReliably(
    _ bytes: [UInt8], from source: TransportAddress, to target: TransportAddress, now: MonotonicInstant
  ) {
    insert(FlyingDatagram(bytes: bytes, source: source, target: target, arrival: now + oneWay))
  }

  private mutating func isInBurst() -> Bool {
    if burstLeft > 0 {
      burstLeft -= 1
      return true
    }
    guard generator.happens(burstPercent) else { return false }
    burstLeft = 7
    return true
  }

  private mutating func jittered(_ arrival: MonotonicInstant, to target: TransportAddress) -> MonotonicInstant {
    guard jitter > .zero else { return arrival }
    let extra = TimeSpan(nanoseconds: Int64(generator.next() % UInt64(jitter.nanoseconds)))
    let result = max(arrival + extra, lastArrival[target] ?? arrival)
    lastArrival[target] = result
    return result
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
