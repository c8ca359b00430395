import MediaCore
import Signalling

/// Decides which fixes of a receiver are plausible: those that it can have reached since the last one, at a time that
/// the clock bears out.
///
/// Receivers in a bad place report, among good fixes, single ones far away or of another year. A fix that contradicts the
/// last is left out, until a few agree with each other: then it was the last that was wrong, or the device was carried
/// while there was no fix. Does no I/O and reads no clock.
struct PositionFilter: Sendable {
  /// Why a fix is left out.
  enum Doubt: Sendable, Equatable {
    /// So many seconds ahead of the trusted clock, or behind it.
    case time(seconds: Int64)
    /// So many metres from the last fix, or at a time that does not follow its time.
    case jump(metres: Double)
    /// The receiver's time stands still.
    case frozen
  }

  /// Metres a second: faster than any train.
  static let maximumSpeed = 100.0
  /// Metres a second: how far fixes that contradict the last one may be from each other, which allows for aircraft.
  static let maximumCarriedSpeed = 350.0
  /// Metres that two fixes of one place may differ by, beyond their estimated errors.
  static let margin = 50.0
  /// Metres: an estimated error above this excuses no more.
  static let maximumError = 1_000.0
  /// So many fixes that agree, over this time at least, outweigh the last one.
  static let quorum = 5
  static let quorumSpan = TimeSpan.seconds(3)
  /// Seconds between the receiver's time and the clock, or between what passed by either.
  static let clockTolerance: Int64 = 60
  /// How long the receiver's time may stand still; it is told in whole seconds.
  static let frozenAfter = TimeSpan.seconds(5)
  /// After this without a plausible fix the position is not published any longer.
  static let staleAfter = TimeSpan.seconds(300)

  private struct Sighting {
    var fix: PositionFix
    var at: MonotonicInstant
  }

  private struct Contradiction {
    var since: MonotonicInstant
    var newest: Sighting
    var count: Int
  }

  private var last: Sighting?
  private var contradiction: Contradiction?
  private var receiverTime: (value: Int64, since: MonotonicInstant)?
  /// Whether the last plausible fix is too old.
  private(set) var isStale = false
  /// Fixes that were left out.
  private(set) var refusedCount = 0
  /// Why the newest fix was left out; nil if it was not.
  private(set) var doubt: Doubt?

  /// Takes a fix; returns whether it is plausible.
  ///
  /// - Parameter clock: seconds since 1970, if the clock can be trusted.
  mutating func passes(_ fix: PositionFix, now: MonotonicInstant, clock: Int64?) -> Bool {
    let sighting = Sighting(fix: fix, at: now)
    doubt = timeDoubt(sighting, clock) ?? placeDoubt(sighting)
    guard doubt == nil else {
      refusedCount += 1
      return false
    }
    last = sighting
    contradiction = nil
    isStale = false
    return true
  }

  // MARK: Age

  /// Seconds since the last plausible fix; nil if there was none.
  func age(now: MonotonicInstant) -> Int? { last.map { Int(clamping: (now - $0.at).milliseconds / 1_000) } }

  /// When the last plausible fix will be too old; nil if there is none, or if it is and that has been told.
  var staleAt: MonotonicInstant? { isStale ? nil : last.map { $0.at + Self.staleAfter } }

  /// Whether the position has just become too old.
  mutating func becomesStale(now: MonotonicInstant) -> Bool {
    guard let staleAt, staleAt <= now else { return false }
    isStale = true
    return true
  }

  // MARK: Doubts

  private mutating func timeDoubt(_ sighting: Sighting, _ clock: Int64?) -> Doubt? {
    guard let time = sighting.fix.time else { return nil }
    if let clock, !Self.isNear(time, clock) { return .time(seconds: time.saturatingSubtracting(clock)) }
    guard let known = receiverTime, known.value == time else {
      receiverTime = (time, sighting.at)
      return nil
    }
    return sighting.at - known.since > Self.frozenAfter ? .frozen : nil
  }

  private mutating func placeDoubt(_ sighting: Sighting) -> Doubt? {
    guard let last, !Self.agree(last, sighting, speed: Self.maximumSpeed) else { return nil }
    var current = Contradiction(since: sighting.at, newest: sighting, count: 1)
    if let known = contradiction, Self.agree(known.newest, sighting, speed: Self.maximumCarriedSpeed) {
      current.since = known.since
      current.count = min(known.count + 1, Self.quorum)
    }
    contradiction = current
    let isOutweighed = current.count >= Self.quorum && sighting.at - current.since >= Self.quorumSpan
    return isOutweighed ? nil : .jump(metres: Self.distance(last, sighting))
  }

  private static func agree(_ earlier: Sighting, _ later: Sighting, speed: Double) -> Bool {
    let passed = later.at - earlier.at
    if let before = earlier.fix.time, let after = later.fix.time {
      guard isNear(after, before.saturatingAdding(passed.milliseconds / 1_000)) else { return false }
    }
    let reach = speed * Double(passed.milliseconds) / 1_000 + error(earlier) + error(later) + margin
    return distance(earlier, later) <= reach
  }

  private static func isNear(_ time: Int64, _ other: Int64) -> Bool {
    (other.saturatingSubtracting(clockTolerance)...other.saturatingAdding(clockTolerance)).contains(time)
  }

  private static func error(_ sighting: Sighting) -> Double { min(sighting.fix.horizontalError ?? 0, maximumError) }

  private static func distance(_ one: Sighting, _ other: Sighting) -> Double {
    UserLocation(one.fix).distance(to: UserLocation(other.fix))
  }
}

extension UserLocation {
  init(_ fix: PositionFix) {
    self.init(latitude: fix.latitude, longitude: fix.longitude, horizontalAccuracy: fix.horizontalError)
  }
}

extension PositionFilter.Doubt: CustomStringConvertible {
  var description: String {
    switch self {
    case .time(let seconds):
      "its time is \(seconds.magnitude) s \(seconds > 0 ? "ahead of" : "behind") the clock"
    case .jump(let metres):
      "it is \(Int64(saturating: metres)) m from the one before, farther than the device can have come"
    case .frozen: "the receiver's time stands still"
    }
  }
}
