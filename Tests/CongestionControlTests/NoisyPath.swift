import CongestionControl
import MediaCore

/// What a path adds to the delay of its packets; none overtakes another.
enum PathNoise: Sendable, Hashable {
  /// Up to so many milliseconds for each packet.
  case jitter(Double)
  /// Nothing gets through for so many milliseconds, each so many seconds; then all comes at once.
  case stalls(Double, every: Double)
  /// A busy machine on the way: 2 to 25 ms of lateness, and 50 to 200 ms for one packet in a hundred.
  case scheduling

  /// In milliseconds, for a packet that leaves at `time`, in seconds.
  func delay(at time: Double, _ random: () -> Double) -> Double {
    switch self {
    case .jitter(let most): return most * random()
    case .stalls(let length, let period):
      let phase = time.truncatingRemainder(dividingBy: period) * 1_000
      return max(0, length - phase)
    case .scheduling: return random() < 0.01 ? 50 + 150 * random() : 2 + 23 * random()
    }
  }
}

/// One direction of a path: packets keep their order.
struct NoisyLink {
  /// In bits a second.
  var rate = Double.infinity
  /// In seconds.
  var delay = 0.02
  var noise: PathNoise?
  /// The noise arises before the limited link rather than behind it.
  var isNoiseFirst = false
  private var freeAt = 0.0
  private var lastNoisy = 0.0
  private var lastArrival = 0.0
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  private mutating func random() -> Double {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    var mixed = state ^ (state >> 33)
    mixed = mixed &* 0xFF51_AFD7_ED55_8CCD
    return Double((mixed ^ (mixed >> 33)) >> 11) / Double(1 << 53)
  }

  /// How long a packet waits that comes at `time`.
  func queue(at time: Double) -> Double { max(0, freeAt - time) }

  /// When a packet arrives that is sent at `time`; both in seconds.
  mutating func pass(_ byteCount: Int, at time: Double) -> Double {
    let entry = isNoiseFirst ? swing(time) : time
    freeAt = max(freeAt, entry) + Double(byteCount) * 8 / rate
    lastArrival = max(lastArrival, (isNoiseFirst ? freeAt : swing(freeAt)) + delay)
    return lastArrival
  }

  private mutating func swing(_ time: Double) -> Double {
    let late = noise.map { noise in noise.delay(at: time) { random() } } ?? 0
    lastNoisy = max(lastNoisy, time + late / 1_000)
    return lastNoisy
  }
}

/// Pictures and sound of up to 832 kbit/s, as an encoder that follows the estimate makes them, over a noisy path with
/// transport-wide feedback each 50 ms, or with an estimate by the receiver.
struct NoisyPath: ~Copyable {
  /// What the media need of the estimate.
  static let need = 890.0

  private struct Packet {
    var number: Int64
    var byteCount: Int
    var sent: Double
    var arrival: Double
  }

  var forward: NoisyLink
  var back: NoisyLink
  /// The estimate in kbit/s, a sample each 10 ms.
  private(set) var estimates: [Double] = []
  private let isByReceiver: Bool
  private var sender = SendRateEstimator(
    feedback: .transportWide, start: .kilobits(600), limits: .kilobits(30)...(.kilobits(2_500)))
  private var receiver = ReceiveRateEstimator(start: .kilobits(600), limits: .kilobits(30)...(.kilobits(2_500)))
  private var tick = 0
  private var number: Int64 = 0
  private var waiting = 0
  private var budget = 0.0
  private var padding: (left: Int, rate: Double, id: UInt16)?
  private var inFlight: [Packet] = []
  private var arrived: [Packet] = []
  private var reports: [(at: Double, packets: [Packet])] = []
  private(set) var limit = 600_000.0

  init(kilobits: Double = 2_000, noise: PathNoise?, seed: UInt64, isByReceiver: Bool = false) {
    forward = NoisyLink(seed: seed)
    forward.rate = kilobits * 1_000
    forward.noise = noise
    back = NoisyLink(seed: seed &+ 1_000)
    back.noise = noise
    self.isByReceiver = isByReceiver
  }

  private var time: Double { Double(tick) / 1_000 }
  private var now: MonotonicInstant { Self.instant(time) }

  private static func instant(_ time: Double) -> MonotonicInstant {
    MonotonicInstant(nanoseconds: Int64(time * 1e9) + 1_000_000_000)
  }

  /// How long a packet waits that is sent now, in seconds.
  var queue: Double { forward.queue(at: time) }

  /// The estimates of the last so many seconds.
  func last(_ seconds: Double) -> ArraySlice<Double> { estimates.suffix(Int(seconds * 100)) }

  mutating func run(seconds: Double) {
    let end = tick + Int(seconds * 1_000)
    while tick < end {
      step()
      tick += 1
    }
  }

  private mutating func step() {
    if tick % 33 == 0 { waiting += max(100, Int(min(800_000, 0.95 * limit - 45_000) / 8 * 0.033)) }
    if tick % 20 == 0 { send(80, probe: 0) }
    pace()
    while let packet = inFlight.first, packet.arrival <= time {
      inFlight.removeFirst()
      receive(packet)
    }
    if tick % 50 == 0, !arrived.isEmpty, !isByReceiver {
      reports.append((back.pass(80, at: time), arrived))
      arrived = []
    }
    while let report = reports.first, report.at <= time {
      reports.removeFirst()
      take(report.packets)
    }
    limit = Double((isByReceiver ? receiver.estimate : sender.estimate).bitsPerSecond)
    if tick % 10 == 0 { estimates.append(limit / 1_000) }
  }

  /// Pictures leave at 2.5 times the estimate, probes at theirs.
  private mutating func pace() {
    if !isByReceiver, padding == nil, let probe = sender.takeProbe(now: now) {
      padding = (max(probe.byteCount, 250 * probe.packetCount), Double(probe.rate.bitsPerSecond), probe.id)
      budget = 0
    }
    budget = min(budget + (padding?.rate ?? 2.5 * limit) / 8_000, 4_000)
    while budget > 0, let next = padding.map({ _ in 250 }) ?? (waiting > 0 ? min(waiting, 1_200) : nil) {
      budget -= Double(next)
      send(next, probe: padding?.id ?? 0)
      if padding == nil { waiting -= next }
      padding?.left -= next
      if let left = padding?.left, left <= 0 { padding = nil }
    }
  }

  private mutating func send(_ byteCount: Int, probe: UInt16) {
    let arrival = forward.pass(byteCount, at: time)
    inFlight.append(Packet(number: number, byteCount: byteCount, sent: time, arrival: arrival))
    if !isByReceiver { sender.send(number: number, byteCount: byteCount, probe: probe, now: now) }
    number += 1
  }

  private mutating func receive(_ packet: Packet) {
    guard isByReceiver else { return arrived.append(packet) }
    receiver.receive(
      sent: TimeSpan(nanoseconds: Int64(packet.sent * 1e9)), byteCount: packet.byteCount,
      roundTrip: .milliseconds(100), now: Self.instant(packet.arrival))
  }

  private mutating func take(_ packets: [Packet]) {
    sender.noteRoundTrip(.milliseconds(100), sample: .milliseconds(100), now: now)
    sender.beginFeedback()
    for packet in packets {
      sender.report(
        number: packet.number, arrival: TimeSpan(nanoseconds: Int64(packet.arrival * 1e9)), now: now)
    }
    sender.endFeedback(now: now)
  }
}
