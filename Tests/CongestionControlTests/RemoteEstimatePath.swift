import CongestionControl
import MediaCore
import TestSupport

/// A path with one queue, and behind it a receiver that answers by REMB as libwebrtc's and aiortc's receivers do: increase by 8 %
/// a second, decrease to 0.85 of what it receives when a queue grows, never more than one and a half times what it receives.
struct RemoteEstimatePath: ~Copyable {
  var estimator = SendRateEstimator(
    feedback: .receiverEstimate, start: .kilobits(500), limits: .kilobits(30)...(.kilobits(1_200)))
  /// In bits a second.
  var capacity: Double
  /// There and back, without the queue.
  var delay = TimeSpan.milliseconds(20)
  /// The share of packets that the path loses whatever is sent, 0 to 1.
  var inherentLoss = 0.0
  /// What the sender has to send, in bits a second, as a function of what it may.
  var demand: (Double) -> Double = { min($0, 950_000) }
  /// A receiver that takes no more by its own will; nil for one that estimates.
  var wish: Double?
  private(set) var now = MonotonicInstant(nanoseconds: 1_000_000_000)
  private(set) var longestQueue = TimeSpan.zero
  private var tick = 0
  private var generator: SeededGenerator
  /// Whether receiver reports come each second, or after half a second to one and a half, as RFC 3550 §6.2 has it.
  var reportsRegularly = true
  private var nextReport = 0
  /// Packets since the last receiver report.
  private var sent = 0
  private var lost = 0
  private var freeAt = MonotonicInstant(nanoseconds: 0)
  private var arrivals: [(at: MonotonicInstant, octets: Int)] = []
  private var checks: [(sent: MonotonicInstant, due: MonotonicInstant)] = []
  private var pausedUntil = MonotonicInstant(nanoseconds: 0)
  private var estimate = 300_000.0
  private var isHolding = false
  private var owed = 0.0
  private let began = MonotonicInstant(nanoseconds: 1_000_000_000)
  private var probeOctets = 0.0
  private var probeRate = 0.0

  init(kilobits: Double, seed: UInt64 = 7) {
    capacity = kilobits * 1_000
    generator = SeededGenerator(seed: seed)
  }

  var estimateKilobits: Int { estimator.estimate.bitsPerSecond / 1_000 }

  /// The receiver's program stands still; packets wait in its socket.
  mutating func pause(_ span: TimeSpan) { pausedUntil = now + span }

  mutating func forgetQueue() { longestQueue = .zero }

  mutating func run(seconds: Double) {
    for _ in 0..<Int(seconds * 100) { runTick() }
  }

  /// Ten milliseconds.
  mutating func runTick() {
    now = now + .milliseconds(10)
    send()
    if tick % 50 == 0 { answer() }
    if tick % 10 == 0 { sendCheck() }
    answerChecks()
    if tick == nextReport {
      report()
      nextReport += reportsRegularly ? 100 : Int.random(in: 50...150, using: &generator)
    }
    tick += 1
  }

  /// Connectivity checks wait in the queue and in the receiver's socket as all packets do.
  private mutating func sendCheck() {
    if let oldest = checks.first { estimator.notePendingRoundTrip(now - oldest.sent, now: now) }
    checks.append((now, now + queue + delay))
  }

  private mutating func answerChecks() {
    guard now >= pausedUntil else { return }
    while let check = checks.first, check.due <= now {
      checks.removeFirst()
      estimator.notePathRoundTrip(now - check.sent, now: now)
    }
  }

  private mutating func send() {
    if estimator.probeDeadline <= now, let probe = estimator.takeProbe(now: now) {
      (probeOctets, probeRate) = (Double(probe.byteCount), Double(probe.rate.bitsPerSecond))
    }
    let media = demand(Double(estimator.estimate.bitsPerSecond))
    owed += max(media, probeOctets > 0 ? probeRate : 0) / 100 / 8
    while owed >= 500 {
      owed -= 500
      probeOctets = max(0, probeOctets - 500)
      estimator.sendUnnumbered(byteCount: 500, now: now)
      sent += 1
      if Double.random(in: 0..<1, using: &generator) < inherentLoss {
        lost += 1
        continue
      }
      freeAt = max(freeAt, now) + TimeSpan(nanoseconds: Int64(4_000 / capacity * 1e9))
      arrivals.append((freeAt, 500))
    }
    longestQueue = max(longestQueue, queue)
  }

  private var queue: TimeSpan { max(freeAt - now, .zero) }

  private mutating func answer() {
    guard now >= pausedUntil, now - began >= .seconds(1) else { return }
    arrivals.removeAll { $0.at < now - .seconds(1) }
    let hasPaused = now - pausedUntil < .milliseconds(600) && pausedUntil > MonotonicInstant(nanoseconds: 0)
    let received = Double(arrivals.filter { $0.at <= now }.reduce(0) { $0 + $1.octets }) * 8
    if queue > .milliseconds(40) || hasPaused {
      // What waited in the socket counts as late and as little.
      estimate = min(estimate, 0.85 * received * (hasPaused ? 0.5 : 1))
      isHolding = true
    } else if isHolding {
      isHolding = false
    } else {
      estimate = min(estimate * 1.04, 1.5 * received + 10_000)
    }
    let told = min(estimate, wish ?? .infinity)
    estimator.noteReceiverEstimate(Bitrate(bitsPerSecond: Int(told)), now: now)
  }

  private var isLateReportPossible: Bool { !reportsRegularly && tick % 2 == 0 }

  private mutating func reportedLoss() -> UInt8 {
    defer { (sent, lost) = (0, 0) }
    return sent == 0 ? 0 : UInt8(min(255, 256 * lost / sent))
  }

  private mutating func report() {
    guard now >= pausedUntil else { return }
    var roundTrip = queue + delay
    // A sender report may have waited in the socket as well.
    if now - pausedUntil < .seconds(1), isLateReportPossible { roundTrip = roundTrip + .milliseconds(250) }
    estimator.noteReportedLoss(reportedLoss(), now: now)
    estimator.noteRoundTrip(roundTrip, sample: roundTrip, now: now)
  }
}
