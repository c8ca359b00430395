/// A day of the week in the order of ISO 8601.
public enum Weekday: Int, Sendable, CaseIterable {
  case monday, tuesday, wednesday, thursday, friday, saturday, sunday

  /// Three letters, as policies write them.
  public var shortName: String { ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"][rawValue] }

  public init?(shortName: some StringProtocol) {
    guard let day = Weekday.allCases.first(where: { $0.shortName == shortName }) else { return nil }
    self = day
  }

  var previous: Weekday { Weekday.allCases[(rawValue + 6) % 7] }
}

/// A wall-clock time of the week in one time zone.
public struct LocalTime: Sendable, Hashable {
  public var weekday: Weekday
  /// Minutes since midnight, 0 to 1439.
  public var minuteOfDay: Int
  /// Whether the kernel calls the clock synchronised; rules with hours are unknown otherwise.
  public var isClockTrusted: Bool

  public init(weekday: Weekday, minuteOfDay: Int, isClockTrusted: Bool) {
    self.weekday = weekday
    self.minuteOfDay = minuteOfDay
    self.isClockTrusted = isClockTrusted
  }
}

/// A time zone that a rule names.
public enum PolicyTimeZone: Sendable, Hashable {
  /// The device's own.
  case system
  /// A name of the tz database, such as `Europe/Berlin`.
  case named(String)
}

/// Writes minutes since midnight as `07:05`.
func clockText(_ minutes: Int) -> String {
  let hour = minutes / 60
  let minute = minutes % 60
  return "\(hour < 10 ? "0" : "")\(hour):\(minute < 10 ? "0" : "")\(minute)"
}
