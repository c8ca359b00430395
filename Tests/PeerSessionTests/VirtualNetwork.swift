import MediaCore
import TestSupport

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

/// Loss in bursts by the model of Gilbert and Elliott: a good state without loss, and a bad one.
struct BurstLoss {
  /// For each datagram, of ``scale``.
  var entering: UInt64
  var leaving: UInt64
  var loss: UInt64 = 80
  var scale: UInt64 = 100
  private var isBad = false

  init(entering: UInt64, leaving: UInt64) {
    self.entering = entering
    self.leaving = leaving
  }

  /// Bursts of so many datagrams on the average, so many of a thousand lost in all.
  init(ofLength length: UInt64, perThousand share: UInt64) {
    scale = 100_000
    loss = scale
    leaving = scale / length
    entering = leaving * share / (1_000 - share)
  }

  mutating func takes(_ generator: inout SeededGenerator) -> Bool {
    isBad = isBad ? !generator.happens(leaving, of: scale) : generator.happens(entering, of: scale)
    return isBad && generator.happens(loss, of: scale)
  }
}

/// A network address translator before one party.
struct Translator {
  /// The party's own address.
  var inside: TransportAddress
  /// Under which the other one sees it; what goes to an earlier one is lost.
  var outside: TransportAddress
}

/// The network between two parties in virtual time: delay, loss, bursts of loss, reordering, duplicates, limited rates,
/// translated addresses and dead paths, all repeatable by the seed.
struct VirtualNetwork {
  var oneWay = TimeSpan.milliseconds(10)
  /// Each datagram takes up to so much longer, at random, but overtakes none.
  var jitter = TimeSpan.zero
  /// One datagram in a hundred takes 50 ms to so much longer, and those after it wait for it.
  var hiccup = TimeSpan.zero
  /// Nothing gets through for `length` in each `period`; then all comes at once.
  var stall: (length: TimeSpan, period: TimeSpan)?
  var lossPercent: UInt64 = 0
  /// Of what goes to the session.
  var returnLossPercent: UInt64 = 0
  var duplicatePercent: UInt64 = 0
  /// One for each direction.
  var bursts: (BurstLoss, BurstLoss)?
  /// So much later does one datagram in twenty arrive, so that others overtake it.
  var reordering = TimeSpan.zero
  /// Each datagram takes up to so much longer, at random, and may overtake others.
  var scatter = TimeSpan.zero
  var translator: Translator?
  /// Nothing comes from there or gets there.
  var darkAddresses: Set<TransportAddress> = []
  /// The link from the session to the peer; nil for one without limit.
  var uplink: Bottleneck?
  /// Says between which addresses nothing passes.
  var isCut: (TransportAddress, TransportAddress) -> Bool = { _, _ in false }
  private var lastArrival: [TransportAddress: MonotonicInstant] = [:]
  private var generator: SeededGenerator
  /// By arrival, the earliest last.
  private var inFlight: [FlyingDatagram] = []

  init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

  mutating func carry(
    _ bytes: [UInt8], from source: TransportAddress, to target: TransportAddress, now: MonotonicInstant
  ) {
    guard !isCut(source, target), let (source, target) = translated(source, target) else { return }
    let isReturning = target == Call.sessionAddress
    let loss = isReturning ? max(lossPercent, returnLossPercent) : lossPercent
    let copies = generator.happens(duplicatePercent) ? 2 : 1
    for _ in 0..<copies where !isInBurst(isReturning) && !generator.happens(loss) {
      let isLimited = source == Call.sessionAddress && uplink != nil
      guard let departure = isLimited ? uplink?.pass(bytes.count, now: now) : now else { continue }
      let lateness = reordering > .zero && generator.happens(5) ? reordering : .zero
      let arrival = jittered(departure + oneWay, to: target) + lateness + random(below: scatter)
      insert(FlyingDatagram(bytes: bytes, source: source, target: target, arrival: arrival))
    }
  }

  /// Carries octets of a stream: nothing is lost and nothing overtaken.
  mutating func carryReliably(
    _ bytes: [UInt8], from source: TransportAddress, to target: TransportAddress, now: MonotonicInstant
  ) {
    insert(FlyingDatagram(bytes: bytes, source: source, target: target, arrival: now + oneWay))
  }

  /// The addresses between which the datagram flies; nil when it gets nowhere.
  private func translated(
    _ source: TransportAddress, _ target: TransportAddress
  ) -> (TransportAddress, TransportAddress)? {
    guard darkAddresses.isDisjoint(with: [source, target]) else { return nil }
    guard let translator else { return (source, target) }
    if source == translator.inside { return (translator.outside, target) }
    if target == translator.outside { return (source, translator.inside) }
    return target == translator.inside ? nil : (source, target)
  }

  private mutating func isInBurst(_ isReturning: Bool) -> Bool {
    isReturning ? bursts?.0.takes(&generator) == true : bursts?.1.takes(&generator) == true
  }

  private mutating func random(below limit: TimeSpan) -> TimeSpan {
    limit > .zero ? TimeSpan(nanoseconds: Int64(generator.next() % UInt64(limit.nanoseconds))) : .zero
  }

  private mutating func jittered(_ arrival: MonotonicInstant, to target: TransportAddress) -> MonotonicInstant {
    guard jitter > .zero || stall != nil else { return arrival }
    let isLate = hiccup > .zero && generator.happens(1)
    let lateness = isLate ? .milliseconds(50) + random(below: hiccup - .milliseconds(50)) : random(below: jitter)
    let result = max(stalled(arrival) + lateness, lastArrival[target] ?? arrival)
    lastArrival[target] = result
    return result
  }

  private func stalled(_ arrival: MonotonicInstant) -> MonotonicInstant {
    guard let stall else { return arrival }
    let phase = TimeSpan(nanoseconds: arrival.nanoseconds % stall.period.nanoseconds)
    return arrival + max(.zero, stall.length - phase)
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

extension SeededGenerator {
  /// Whether an event happens that happens so many times of `scale`.
  mutating func happens(_ count: UInt64, of scale: UInt64 = 100) -> Bool { count > 0 && next() % scale < count }
}
