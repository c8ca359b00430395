import Glibc
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
    /// At 0° N 0° E, which is what receivers report that have no position.
    case origin
    /// The estimated error in metres.
    case imprecise(metres: Double)
    /// It is the first, it has no estimated error, and no second one has borne it out.
    case unconfirmed
    /// The receiver's time, this many seconds ahead of the trusted clock, or behind it.
    case time(Int64, seconds: Int64)
    /// This many metres from the last fix, or at a time that does not follow its time.
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
  /// Metres: an estimated error above this makes a fix worthless.
  static let worthlessError = 10_000.0
  /// Degrees, about a metre: how near to 0° N 0° E is no position.
  static let originRadius = 0.000_01
  /// After 1,024 weeks GPS counts weeks from 0 again, and old receivers begin an earlier year.
  static let rollover: Int64 = 1_024 * 7 * 86_400
  /// 2020-01-01: a receiver of today that has an earlier date is wrong about it.
  static let earliestTime: Int64 = 1_577_836_800
  /// This many consistent fixes, over this time at least, outweigh the last one.
  static let quorum = 5
  static let quorumSpan = TimeSpan.seconds(3)
  /// Seconds between the receiver's time and the clock, or between what passed by either.
  static let clockTolerance: Int64 = 60
  /// How long the receiver's time may stand still; it comes in whole seconds.
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
  /// The first fix, before one has borne it out.
  private var first: Sighting?
  private var contradiction: Contradiction?
  private var receiverTime: (value: Int64, since: MonotonicInstant)?
  /// Whether the last plausible fix is too old.
  private(set) var isStale = false
  /// Fixes that were left out.
  private(set) var refusedCount = 0
  /// Why the newest fix was left out; nil if it was not.
  private(set) var doubt: Doubt?
  /// The receiver's date where that is years behind, in seconds since 1970; positions are taken without it.
  private(set) var wrongDate: Int64?

  /// Takes a fix; returns it if it is plausible, without its time if that is of another year.
  ///
  /// - Parameter clock: seconds since 1970, if the clock can be trusted.
  mutating func take(_ fix: PositionFix, now: MonotonicInstant, clock: Int64?) -> PositionFix? {
    var sighting = Sighting(fix: fix, at: now)
    wrongDate = fix.time.flatMap { Self.isOfAnotherEra($0, clock) ? $0 : nil }
    if wrongDate != nil { sighting.fix.time = nil }
    doubt = timeDoubt(sighting, clock) ?? valueDoubt(sighting.fix) ?? placeDoubt(sighting)
    guard doubt == nil else {
      refusedCount += 1
      return nil
    }
    last = sighting
    contradiction = nil
    isStale = false
    return sighting.fix
  }

  // MARK: Age

  /// Seconds since the last plausible fix; nil if there was none.
  func age(now: MonotonicInstant) -> Int? { last.map { Int(clamping: (now - $0.at).milliseconds / 1_000) } }

  /// When the last plausible fix will be too old; nil if there is none, or if it is and that has been reported.
  var staleAt: MonotonicInstant? { isStale ? nil : last.map { $0.at + Self.staleAfter } }

  /// Whether the position has just become too old.
  mutating func becomesStale(now: MonotonicInstant) -> Bool {
    guard let staleAt, staleAt <= now else { return false }
    isStale = true
    return true
  }

  // MARK: Doubts

  /// Behind the clock by whole roll-overs of the week number, or before there was this program.
  private static func isOfAnotherEra(_ time: Int64, _ clock: Int64?) -> Bool {
    guard let clock else { return (0..<earliestTime).contains(time) }
    return (1...2).contains { isNear(time, clock.saturatingSubtracting($0 * rollover)) }
  }

  private func valueDoubt(_ fix: PositionFix) -> Doubt? {
    if max(abs(fix.latitude), abs(fix.longitude)) < Self.originRadius { return .origin }
    guard let error = fix.horizontalError, error > Self.worthlessError else { return nil }
    return .imprecise(metres: error)
  }

  private mutating func timeDoubt(_ sighting: Sighting, _ clock: Int64?) -> Doubt? {
    guard let time = sighting.fix.time else { return nil }
    if let clock, !Self.isNear(time, clock) { return .time(time, seconds: time.saturatingSubtracting(clock)) }
    guard let known = receiverTime, known.value == time else {
      receiverTime = (time, sighting.at)
      return nil
    }
    return sighting.at - known.since > Self.frozenAfter ? .frozen : nil
  }

  private mutating func placeDoubt(_ sighting: Sighting) -> Doubt? {
    guard let last else { return firstDoubt(sighting) }
    if Self.agree(last, sighting, speed: Self.maximumSpeed) { return nil }
    var current = Contradiction(since: sighting.at, newest: sighting, count: 1)
    if let known = contradiction, Self.agree(known.newest, sighting, speed: Self.maximumCarriedSpeed) {
      current.since = known.since
      current.count = min(known.count + 1, Self.quorum)
    }
    contradiction = current
    let isOutweighed = current.count >= Self.quorum && sighting.at - current.since >= Self.quorumSpan
    return isOutweighed ? nil : .jump(metres: Self.distance(last, sighting))
  }

  /// There is nothing to compare the first one with.
  private mutating func firstDoubt(_ sighting: Sighting) -> Doubt? {
    defer { first = sighting }
    guard sighting.fix.horizontalError == nil else { return nil }
    let isConfirmed = first.map { Self.agree($0, sighting, speed: Self.maximumSpeed) } ?? false
    return isConfirmed ? nil : .unconfirmed
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

/// A day in UTC, such as `2007-04-12`.
func dateText(_ seconds: Int64) -> String {
  var (time, fields) = (time_t(seconds), tm())
  guard gmtime_r(&time, &fields) != nil else { return "\(seconds) s after 1970" }
  let (year, month, day) = (Int(fields.tm_year) + 1_900, fields.tm_mon + 1, fields.tm_mday)
  return "\(year)-\(month < 10 ? "0" : "")\(month)-\(day < 10 ? "0" : "")\(day)"
}

extension PositionFilter.Doubt: CustomStringConvertible {
  var description: String {
    switch self {
    case .origin: "0° N 0° E is what a receiver reports that has no position yet"
    case .imprecise(let metres): "its estimated error is \(Int64(saturating: metres)) m"
    case .unconfirmed: "it is the first one, has no estimated error, and none has borne it out yet"
    case .time(let time, let seconds):
      "its time, of \(dateText(time)), is \(seconds.magnitude) s \(seconds > 0 ? "ahead of" : "behind") the clock"
    case .jump(let metres):
      "it is \(Int64(saturating: metres)) m from the one before, farther than the device can have come"
    case .frozen: "the receiver's time stands still"
    }
  }
}
