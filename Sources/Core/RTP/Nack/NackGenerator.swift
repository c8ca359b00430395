public import MediaCore

/// Finds the packets that a received stream misses and says when to ask for them (RFC 4585 §6.2.1).
///
/// Hand it each packet that arrives, retransmissions included; call ``takeRequests(roundTrip:now:into:)`` after that
/// and at ``deadline``. A packet is requested again after each round trip, until it comes or is given up: then
/// ``takeKeyFrameRequest()`` turns true.
public struct NackGenerator: Sendable {
  private struct Missing {
    var number: Int64
    var requestCount: Int
    var nextRequest: MonotonicInstant
  }

  /// How often a packet is requested.
  public let maximumRequests: Int
  /// The maximum of pending requests; when more are missing, a key frame is better.
  public let maximumMissing: Int

  private var validator = SequenceValidator()
  private var missing: [Missing] = []
  private var needsKeyFrame = false

  /// Brings both to 1 at least; allocates for `maximumMissing` packets, and not later.
  public init(maximumMissing: Int = 256, maximumRequests: Int = 10) {
    self.maximumMissing = max(1, maximumMissing)
    self.maximumRequests = max(1, maximumRequests)
    missing.reserveCapacity(self.maximumMissing)
  }

  /// The number of pending requests.
  public var missingCount: Int { missing.count }

  /// When the next request is due.
  public var deadline: MonotonicInstant? {
    var earliest: MonotonicInstant?
    for entry in missing where earliest.map({ entry.nextRequest < $0 }) ?? true {
      earliest = entry.nextRequest
    }
    return earliest
  }

  /// Notes that a packet arrived.
  public mutating func receive(_ number: SequenceNumber, now: MonotonicInstant) {
    let previous = validator.highest
    switch validator.check(number) {
    case .rejected: break
    case .restarted: missing.removeAll(keepingCapacity: true)
    case .accepted(let extended): note(extended, previous: previous, now: now)
    }
  }

  private mutating func note(_ extended: Int64, previous: Int64?, now: MonotonicInstant) {
    guard let previous else { return }
    if extended <= previous {
      if let index = missing.firstIndex(where: { $0.number == extended }) {
        missing.remove(at: index)
      }
      return
    }
    let gap = extended - previous - 1
    guard missing.count + Int(clamping: gap) <= maximumMissing else {
      missing.removeAll(keepingCapacity: true)
      needsKeyFrame = true
      return
    }
    for offset in 0..<gap {
      missing.append(Missing(number: previous + 1 + offset, requestCount: 0, nextRequest: now))
    }
  }

  /// Writes the numbers to ask for now, in order, to the front of `numbers`, and returns how many.
  ///
  /// Those that do not fit are due at once at the next call.
  public mutating func takeRequests(
    roundTrip: TimeSpan, now: MonotonicInstant, into numbers: inout MutableSpan<SequenceNumber>
  ) -> Int {
    let interval = min(max(roundTrip + roundTrip / 8, .milliseconds(15)) + .milliseconds(5), .milliseconds(1_200))
    var count = 0
    var kept = 0
    for index in missing.indices {
      var entry = missing[index]
      if entry.nextRequest <= now, count < numbers.count {
        guard entry.requestCount < maximumRequests else {
          needsKeyFrame = true
          continue
        }
        numbers[count] = SequenceNumber(extended: entry.number)
        count += 1
        entry.requestCount += 1
        entry.nextRequest = now + interval
      }
      missing[kept] = entry
      kept += 1
    }
    missing.removeLast(missing.count - kept)
    return count
  }

  /// Whether packets were given up since the last call, so that only a key frame helps.
  public mutating func takeKeyFrameRequest() -> Bool {
    defer { needsKeyFrame = false }
    return needsKeyFrame
  }

  /// Stops asking for packets before `number`: a later key frame made them useless.
  public mutating func forget(before number: SequenceNumber) {
    guard let highest = validator.highest else { return }
    let limit = highest + Int64(SequenceNumber(extended: highest).distance(to: number))
    missing.removeAll { $0.number < limit }
  }
}
