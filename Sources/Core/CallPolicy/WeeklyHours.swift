/// Hours on days of the week, written `Mon-Fri 07:00-19:00 Europe/Berlin`.
///
/// Days are `daily` or a list such as `Mon-Thu,Sat`; a span that ends before it begins runs past midnight and belongs to
/// the day on which it begins. Without a time zone the device's own holds.
public struct WeeklyHours: Sendable, Hashable {
  public var days: Set<Weekday>
  /// Minutes since midnight; the start belongs to the span, the end does not.
  public var start: Int
  /// Up to 1440, which is written `24:00`.
  public var end: Int
  public var timeZone: PolicyTimeZone
  /// As it was written, for explanations.
  public let text: String

  /// Returns nil when `text` is not understood. The time zone's name is not looked up here.
  public init?(_ text: String) {
    let words = text.split(separator: " ")
    guard words.count == 2 || words.count == 3, let days = Self.days(words[0]), let span = Self.span(words[1]) else {
      return nil
    }
    self.days = days
    (start, end) = span
    timeZone = words.count == 3 ? .named(String(words[2])) : .system
    self.text = text
  }

  /// Whether `time`, given in ``timeZone``, lies within these hours.
  public func contains(_ time: LocalTime) -> Bool {
    let minute = time.minuteOfDay
    if start < end { return days.contains(time.weekday) && (start..<end).contains(minute) }
    if minute >= start { return days.contains(time.weekday) }
    return minute < end && days.contains(time.weekday.previous)
  }
}

extension WeeklyHours {
  private static func days(_ text: Substring) -> Set<Weekday>? {
    if text == "daily" { return Set(Weekday.allCases) }
    var days: Set<Weekday> = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      let ends = part.split(separator: "-", omittingEmptySubsequences: false).map { Weekday(shortName: $0) }
      guard ends.count <= 2, let first = ends[0], let last = ends[ends.count - 1] else { return nil }
      let count = (last.rawValue - first.rawValue + 7) % 7 + 1
      for offset in 0..<count { days.insert(Weekday.allCases[(first.rawValue + offset) % 7]) }
    }
    return days
  }

  private static func span(_ text: Substring) -> (Int, Int)? {
    let ends = text.split(separator: "-", omittingEmptySubsequences: false).map(minutes)
    guard ends.count == 2, let start = ends[0], let end = ends[1], start < 1_440, start != end else { return nil }
    return (start, end)
  }

  private static func minutes(_ text: Substring) -> Int? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    let isDigits = parts.allSatisfy { $0.utf8.count == 2 && $0.utf8.allSatisfy { (48...57).contains($0) } }
    guard parts.count == 2, isDigits, let hour = Int(parts[0]), let minute = Int(parts[1]), minute < 60 else {
      return nil
    }
    let total = hour * 60 + minute
    return total <= 1_440 ? total : nil
  }
}
