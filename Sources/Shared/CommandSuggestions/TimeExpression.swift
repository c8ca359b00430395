import ArgumentParser
import ConfigFile
import FoundationEssentials
import Glibc

/// A time as people write it: `now`, `3h ago` or `3h`, `in 2h`, `+2h`, `yesterday`, `15:00`, `tomorrow 09:00`,
/// `Sat 23:00`, `2026-11-26`, `2026-11-26 15:00`, `2026-11-26T15:00`, `2026-11-26T15:00:00Z`. Where no zone is named the
/// machine's own holds; a day alone is its first second.
///
/// Every option that takes a time reads it with ``parse(_:)`` and explains it with ``examples``.
public struct TimeExpression: Sendable {
  /// Seconds since 1970.
  public let seconds: Int64

  /// Milliseconds since 1970, saturated.
  public var milliseconds: Int64 {
    let (product, isTooMuch) = seconds.multipliedReportingOverflow(by: 1_000)
    return isTooMuch ? (seconds < 0 ? .min : .max) : product
  }

  /// What the help of every option that takes a time names.
  public static let examples = "for example 3h, \"3h ago\", yesterday, 15:00, 2026-11-26 or 2026-11-26T15:00"

  /// Returns nil for an invalid time. A day of the week is the next one on which the time is still to come.
  public init?(_ text: String, now: Int64) {
    let text = text.lowercased()
    let words = Self.words(text)
    guard let seconds = Self.relative(text, now) ?? Self.onDay(words, now) ?? Self.absolute(text, words) else {
      return nil
    }
    self.seconds = seconds
  }

  /// The value of an option.
  public static func parse(_ text: String) throws -> TimeExpression {
    guard let time = TimeExpression(text, now: Int64(time(nil))) else {
      throw ValidationError("it is no time; write \(examples)")
    }
    return time
  }

  /// Words, and the two halves of a date and a time joined as in ISO 8601.
  private static func words(_ text: String) -> [String] {
    text.split(separator: " ").flatMap { word in
      let halves = word.split(separator: "t", omittingEmptySubsequences: false)
      let isDate = halves.count == 2 && halves[0].count == 10 && halves[0].allSatisfy { $0.isNumber || $0 == "-" }
      return isDate ? halves.map { String($0) } : [String(word)]
    }
  }

  private static func relative(_ text: String, _ now: Int64) -> Int64? {
    if text == "now" { return now }
    for prefix in ["in ", "+"] where text.hasPrefix(prefix) {
      return span(text.dropFirst(prefix.count)).flatMap { now.checkedAdding($0) }
    }
    return span(text.hasSuffix(" ago") ? text.dropLast(4) : text[...]).flatMap { now.checkedAdding(-$0) }
  }

  private static func span(_ text: Substring) -> Int64? {
    try? ConfigQuantity.duration(String(text)).components.seconds
  }

  /// `23:00`, `yesterday`, or a day and a time.
  private static func onDay(_ words: [String], _ now: Int64) -> Int64? {
    if words.count == 1, ["today", "tomorrow", "yesterday"].contains(words[0]) {
      return onDay(words + ["00:00"], now)
    }
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
    guard (1...2).contains(words.count), let time = words.count == 2 ? clock(words[1]) : 0 else { return nil }
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

  /// Seconds since midnight, of `15:00` or `15:00:30`.
  private static func clock(_ text: String) -> Int32? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    let numbers = parts.compactMap { $0.allSatisfy(\.isNumber) ? Int32($0) : nil }
    guard (2...3).contains(parts.count), numbers.count == parts.count, (1...2).contains(parts[0].count),
      parts.dropFirst().allSatisfy({ $0.count == 2 }), (0...23).contains(numbers[0]),
      numbers.dropFirst().allSatisfy({ (0...59).contains($0) })
    else { return nil }
    return numbers[0] * 3_600 + numbers[1] * 60 + (numbers.count == 3 ? numbers[2] : 0)
  }

  /// Days since Sunday, of a name of three letters or the whole one.
  private static func weekday(_ name: String) -> Int32? {
    let names = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"]
    return names.firstIndex { $0 == name || $0.prefix(3) == name }.map { Int32($0) }
  }

  private static func weekday(of seconds: Int64) -> Int32? { fields(of: seconds)?.tm_wday }

  /// A local time this many days after the day of `now`.
  private static func local(_ now: Int64, days: Int32, _ clock: Int32) -> Int64? {
    guard var fields = fields(of: now) else { return nil }
    fields.tm_mday += days
    return seconds(fields, clock)
  }

  private static func fields(of seconds: Int64) -> tm? {
    var time = time_t(seconds)
    var fields = tm()
    return localtime_r(&time, &fields) == nil ? nil : fields
  }

  private static func seconds(_ day: tm, _ clock: Int32) -> Int64? {
    var fields = day
    (fields.tm_hour, fields.tm_min, fields.tm_sec) = (clock / 3_600, clock / 60 % 60, clock % 60)
    fields.tm_isdst = -1
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
