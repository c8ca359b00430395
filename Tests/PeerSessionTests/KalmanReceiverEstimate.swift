import Foundation
import MediaCore
import RTP

/// The estimate (REMB) of a receiver that looks at arrival times: Kalman filter, over-use detector and AIMD rate control, as
/// aiortc 1.16 (`rate.py`) has taken them from earlier libwebrtc (draft-ietf-rmcat-gcc-02 §5).
///
/// It counts the payloads of the pictures' packets alone, and after a decrease climbs by a packet a response time.
struct KalmanReceiverEstimate {
  private static let interval: Int64 = 500

  private var incoming = SlidingRate()
  private var arrivals = ArrivalGroupDeltas()
  private var filter = GradientFilter()
  private var detector = OveruseThreshold()
  private var control = AdditiveRateControl()
  private var lastUpdate: Int64?

  /// Takes a packet; returns the estimate in bits a second to report, if it is time.
  mutating func receive(_ header: RTPHeader, packet: RawSpan, now: MonotonicInstant) -> Bitrate? {
    guard let time = header.absoluteSendTime(OfferTemplate.sendTime, in: packet) else { return nil }
    let milliseconds = now.nanoseconds / 1_000_000
    let byteCount = packet.byteCount - header.payloadRange.lowerBound
    incoming.add(byteCount, at: milliseconds)
    if let delta = arrivals.add(time.rawValue << 8, at: milliseconds, byteCount: byteCount) {
      filter.update(delta, isOverusing: detector.state == .overusing, isUnderusing: detector.state == .underusing)
      detector.detect(filter.offset, delta: delta.sent, count: filter.count, at: milliseconds)
    }
    let isDue = lastUpdate.map { milliseconds - $0 > Self.interval } ?? true
    guard isDue || detector.state == .overusing else { return nil }
    guard let target = control.update(detector.state, incoming.rate(at: milliseconds), at: milliseconds) else {
      return nil
    }
    lastUpdate = milliseconds
    return Bitrate(bitsPerSecond: Int(target))
  }
}

private enum PathUse { case normal, underusing, overusing }

/// What came within the last second, in bits a second.
private struct SlidingRate {
  private var arrivals: [(at: Int64, octets: Int)] = []
  private var began: Int64?

  mutating func add(_ octets: Int, at time: Int64) {
    began = began ?? time
    arrivals.append((time, octets))
  }

  mutating func rate(at time: Int64) -> Double? {
    arrivals.removeAll { $0.at <= time - 1_000 }
    let window = min(time - (began ?? time) + 1, 1_000)
    guard !arrivals.isEmpty, window > 1 else { return nil }
    return Double(8_000 * arrivals.reduce(0) { $0 + $1.octets }) / Double(window)
  }
}

private struct GroupDelta {
  /// Milliseconds.
  var sent: Double
  var arrived: Double
  var octets: Double
}

/// Compares groups of packets that left within 5 ms.
private struct ArrivalGroupDeltas {
  private struct Group {
    var first: UInt32
    var last: UInt32
    var arrived: Int64 = 0
    var octets = 0
  }

  private static let milliseconds = 1_000.0 / Double(1 << 26)
  private static let length: UInt32 = (5 << 26) / 1_000

  private var current: Group?
  private var previous: Group?

  mutating func add(_ time: UInt32, at arrival: Int64, byteCount: Int) -> GroupDelta? {
    var delta: GroupDelta?
    guard var group = current else {
      current = Group(first: time, last: time, arrived: arrival, octets: byteCount)
      return nil
    }
    guard time &- group.first < 0x8000_0000 else { return nil }
    if isNew(time, arrival, group) {
      if let previous {
        delta = GroupDelta(
          sent: Double(group.last &- previous.last) * Self.milliseconds,
          arrived: Double(group.arrived - previous.arrived), octets: Double(group.octets - previous.octets))
      }
      previous = group
      group = Group(first: time, last: time)
    } else if time &- group.last < 0x8000_0000 {
      group.last = time
    }
    group.octets += byteCount
    group.arrived = arrival
    current = group
    return delta
  }

  private func isNew(_ time: UInt32, _ arrival: Int64, _ group: Group) -> Bool {
    let sent = Int64((Double(Int32(bitPattern: time &- group.last)) * Self.milliseconds).rounded())
    let arrived = arrival - group.arrived
    let isBurst = sent == 0 || arrived - sent < 0 && arrived <= 5
    return !isBurst && time &- group.first > Self.length
  }
}

/// The Kalman filter of the delay gradient.
private struct GradientFilter {
  private(set) var offset = 0.0
  private(set) var count = 0
  private var previousOffset = 0.0
  private var slope = 1.0 / 64
  private var covariance = (100.0, 0.0, 0.0, 0.1)
  private var history: [Double] = []
  private var meanNoise = 0.0
  private var noise = 50.0

  mutating func update(_ delta: GroupDelta, isOverusing: Bool, isUnderusing: Bool) {
    let period = min(history.min() ?? delta.sent, delta.sent)
    if history.count >= 60 { history.removeFirst() }
    history.append(delta.sent)
    count = min(count + 1, 1_000)
    covariance.0 += 1e-13
    covariance.3 += 1e-3
    if isOverusing && offset < previousOffset || isUnderusing && offset > previousOffset { covariance.3 += 1e-2 }
    let size = delta.octets
    let gain = (covariance.0 * size + covariance.1, covariance.2 * size + covariance.3)
    let residual = delta.arrived - delta.sent - slope * size - offset
    if !isOverusing, !isUnderusing {
      let limit = 3 * noise.squareRoot()
      noteNoise(abs(residual) < limit ? residual : residual < 0 ? -limit : limit, period)
    }
    let scale = noise + size * gain.0 + gain.1
    let (first, second) = (gain.0 / scale, gain.1 / scale)
    let old = covariance
    covariance.0 = old.0 * (1 - first * size) - old.2 * first
    covariance.1 = old.1 * (1 - first * size) - old.3 * first
    covariance.2 = -old.0 * second * size + old.2 * (1 - second)
    covariance.3 = -old.1 * second * size + old.3 * (1 - second)
    previousOffset = offset
    slope += first * residual
    offset += second * residual
  }

  private mutating func noteNoise(_ residual: Double, _ period: Double) {
    let alpha = count > 300 ? 0.002 : 0.01
    let beta = pow(1 - alpha, period * 30 / 1_000)
    meanNoise = beta * meanNoise + (1 - beta) * residual
    noise = max(1, beta * noise + (1 - beta) * (meanNoise - residual) * (meanNoise - residual))
  }
}

private struct OveruseThreshold {
  private(set) var state = PathUse.normal
  private var threshold = 12.5
  private var count = 0
  private var time: Double?
  private var previous = 0.0
  private var lastUpdate: Int64?

  mutating func detect(_ offset: Double, delta: Double, count deltas: Int, at now: Int64) {
    guard deltas >= 2 else { return }
    let modified = Double(min(deltas, 60)) * offset
    if modified > threshold {
      time = time.map { $0 + delta } ?? delta / 2
      count += 1
      if time! > 10, count > 1, offset >= previous {
        (count, time) = (0, 0)
        state = .overusing
      }
    } else {
      (count, time) = (0, nil)
      state = modified < -threshold ? .underusing : .normal
    }
    previous = offset
    adapt(modified, at: now)
  }

  private mutating func adapt(_ modified: Double, at now: Int64) {
    let elapsed = min(now - (lastUpdate ?? now), 100)
    lastUpdate = now
    guard abs(modified) <= threshold + 15 else { return }
    let gain = abs(modified) < threshold ? 0.039 : 0.0087
    threshold = min(max(threshold + gain * (abs(modified) - threshold) * Double(elapsed), 6), 600)
  }
}

private struct AdditiveRateControl {
  private enum State { case hold, increase }

  private var current = 30_000_000.0
  private var isInitialized = false
  private var firstThroughput: Int64?
  private var lastThroughput = 30_000_000.0
  private var lastChange: Int64?
  private var isNearMaximum = false
  /// In kbit/s.
  private var maximum: Double?
  private var variance = 0.4
  private var state = State.hold

  mutating func update(_ use: PathUse, _ measured: Double?, at now: Int64) -> Double? {
    if !isInitialized, let measured {
      let first = firstThroughput ?? now
      firstThroughput = first
      if now - first > 3_000 { (current, isInitialized) = (measured, true) }
    }
    guard isInitialized || use == .overusing else { return nil }
    let throughput = measured ?? lastThroughput
    lastThroughput = throughput
    var next = current
    switch use {
    case .overusing: next = decrease(throughput, at: now)
    case .underusing: state = .hold
    case .normal:
      if state == .hold { (state, lastChange) = (.increase, now) }
      next = increase(throughput, at: now)
    }
    current = min(next, max(1.5 * throughput + 10_000, current))
    return current
  }

  private mutating func increase(_ throughput: Double, at now: Int64) -> Double {
    if let maximum, throughput / 1_000 >= maximum + 3 * (variance * maximum).squareRoot() {
      isNearMaximum = false
      self.maximum = nil
    }
    let elapsed = Double(now - (lastChange ?? now))
    lastChange = now
    guard isNearMaximum else { return current + max((pow(1.08, min(elapsed, 1_000) / 1_000) - 1) * current, 1_000) }
    let frame = current / 30
    let packet = frame / (frame / 9_600).rounded(.up)
    return current + elapsed * max(4_000, packet * 1_000 / 300) / 1_000
  }

  private mutating func decrease(_ throughput: Double, at now: Int64) -> Double {
    let kilobits = throughput / 1_000
    if let maximum, kilobits < maximum - 3 * (variance * maximum).squareRoot() { self.maximum = nil }
    let mean = maximum.map { 0.95 * $0 + 0.05 * kilobits } ?? kilobits
    maximum = mean
    variance = min(max(0.95 * variance + 0.05 * (mean - kilobits) * (mean - kilobits) / max(1, mean), 0.4), 2.5)
    (isNearMaximum, state, lastChange) = (true, .hold, now)
    // As aiortc: what it had before does not matter.
    return (0.85 * throughput).rounded()
  }
}
