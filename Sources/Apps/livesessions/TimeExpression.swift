import ConfigFile
import FoundationEssentials
import Glibc

/// A time as people write it: `now`, `in 2h`, `+2h`, `2h ago`, `23:00`, `tomorrow 09:00`, `Sat 23:00`,
/// `2026-11-21 20:14`, `2026-11-21T20:14:00Z`. Where no zone is named the machine's own holds.
struct TimeExpression {
  /// Seconds since 1970.
  let seconds: Int64

  /// Returns nil for an invalid time. A day of the week is the next one on which the time is still to come.
  init?(_ text: String, now: Int64) {
    let text = text.lowercased()
    let words = text.split(separator: " ").map { String($0) }
    guard let seconds = Self.relative(text, now) ?? Self.onDay(words, now) ?? Self.absolute(text, words) else {
      return nil
    }
    self.seconds = seconds
  }

  private static func relative(_ text: String, _ now: Int64) -> Int64? {
    if text == "now" { return now }
    for prefix in ["in ", "+"] where text.hasPrefix(prefix) {
      return span(text.dropFirst(prefix.count)).flatMap { now.checkedAdding($0) }
    }
    guard text.hasSuffix(" ago") else { return nil }
    return span(text.dropLast(4)).flatMap { now.checkedAdding(-$0) }
  }

  private static func span(_ text: Substring) -> Int64? {
    try? ConfigQuantity.duration(String(text)).components.seconds
  }

  /// `23:00`, or a day and a time.
  private static func onDay(_ words: [String], _ now: Int64) -> Int64? {
    guard (1...2).contains(words.count), let time = words.last.flatMap({ clock($0) }) else { return nil }
    switch words.count == 1 ? "today" : words[0] {
    case "today": return local(now, days: 0, time)
    case "tomorrow": return local(now, days: 1, time)
    case "yesterday": return local(now, days: -1, time)
    case let name:
      guard let weekday = weekday(name) else { return nil }
      return (0...7).lazy.compactMap { local(now, days: $0, time) }.first {
        $0 > now && self.weekday(of: $0) == weekday
      }
    }
  }

  private static func absolute(_ text: String, _ words: [String]) -> Int64? {
    if let date = try? Date(text.uppercased(), strategy: .iso8601) {
      return Int64(exactly: date.timeIntervalSince1970.rounded(.down))
    }
    guard words.count == 2, let time = clock(words[1]) else { return nil }
    let parts = words[0].split(separator: "-", omittingEmptySubsequences: false).map { Int32($0) }
    guard parts.count == 3, let year = parts[0], let month = parts[1], let day = parts[2],
      (1970...9999).contains(year), (1...12).contains(month), (1...31).contains(day)
    else { return nil }
    var fields = tm()
    (fields.tm_year, fields.tm_mon, fields.tm_mday) = (year - 1900, month - 1, day)
    guard let seconds = seconds(fields, time) else { return nil }
    // The 31st of a month that has 30 days would be the next one's first.
    return self.fields(of: seconds)?.tm_mday == day ? seconds : nil
  }

  /// Minutes since midnight.
  private static func clock(_ text: String) -> Int32? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, (1...2).contains(parts[0].count), parts[1].count == 2, let hour = Int32(parts[0]),
      let minute = Int32(parts[1]), (0...23).contains(hour), (0...59).contains(minute)
    else { return nil }
    return hour * 60 + minute
  }

  /// Days since Sunday, of a name of three letters or the whole one.
  private static func weekday(_ name: String) -> Int32? {
    let names = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"]
    return names.firstIndex { $0 == name || $0.prefix(3) == name }.map { Int32($0) }
  }

  private static func weekday(of seconds: Int64) -> Int32? { fields(of: seconds)?.tm_wday }

  /// A local time this many days after the day of `now`.
  private static func local(_ now: Int64, days: Int32, _ minutes: Int32) -> Int64? {
    guard var fields = fields(of: now) else { return nil }
    fields.tm_mday += days
    return seconds(fields, minutes)
  }

  private static func fields(of seconds: Int64) -> tm? {
    var time = time_t(seconds)
    var fields = tm()
    return localtime_r(&time, &fields) == nil ? nil : fields
  }

  private static func seconds(_ day: tm, _ minutes: Int32) -> Int64? {
    var fields = day
    (fields.tm_hour, fields.tm_min, fields.tm_sec, fields.tm_isdst) = (minutes / 60, minutes % 60, 0, -1)
    let seconds = mktime(&fields)
    return seconds == -1 ? nil : Int64(seconds)
  }
}

extension Int64 {
  fileprivate func checkedAdding(_ other: Int64) -> Int64? {
    let (sum, isTooMuch) = addingReportingOverflow(other)
    return isTooMuch ? nil : sum
  }
}
