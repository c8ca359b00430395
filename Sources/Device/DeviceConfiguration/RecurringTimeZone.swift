/// A time zone whose changes recur every year, as a POSIX `TZ` string describes it: `CET-1CEST,M3.5.0,M10.5.0/3`.
struct RecurringTimeZone: Sendable, Hashable {
  /// A day of the year and a time of that day.
  enum Change: Sendable, Hashable {
    /// `Mm.w.d`: the week-th (5: the last) such day of the month, Sunday being 0.
    case monthWeekDay(month: Int, week: Int, day: Int)
    /// `Jn`: day 1 to 365, February 29 never counted.
    case julianDay(Int)
    /// `n`: day 0 to 365.
    case dayOfYear(Int)
  }

  private let standardOffset: Int
  private let summer: Summer?

  private struct Summer: Hashable {
    var offset: Int
    var start: Change
    /// Seconds after local midnight; may be negative or beyond a day.
    var startTime: Int
    var end: Change
    var endTime: Int
  }

  /// Returns nil when `text` is not understood.
  init?(_ text: String) {
    var scanner = TimeZoneScanner(text)
    guard scanner.skipName(), let west = scanner.time() else { return nil }
    standardOffset = -west
    guard !scanner.isAtEnd else {
      summer = nil
      return
    }
    guard scanner.skipName() else { return nil }
    let summerWest = scanner.isAt(",") ? west - 3_600 : scanner.time()
    guard let summerWest, let start = scanner.change(), let end = scanner.change(), scanner.isAtEnd else { return nil }
    summer = Summer(
      offset: -summerWest, start: start.0, startTime: start.time, end: end.0, endTime: end.time)
  }

  /// Seconds east of Greenwich at a time in seconds since 1970.
  func offset(at time: Int64) -> Int {
    guard let summer else { return standardOffset }
    let year = CivilDay(secondsSince1970: time + Int64(standardOffset)).year
    let start = Self.instant(summer.start, summer.startTime, year: year, offset: standardOffset)
    let end = Self.instant(summer.end, summer.endTime, year: year, offset: summer.offset)
    let isSummer = start < end ? (start..<end).contains(time) : !(end..<start).contains(time)
    return isSummer ? summer.offset : standardOffset
  }

  private static func instant(_ change: Change, _ time: Int, year: Int, offset: Int) -> Int64 {
    Int64(dayNumber(of: change, year: year)) * 86_400 + Int64(time - offset)
  }

  private static func dayNumber(of change: Change, year: Int) -> Int {
    let newYear = CivilDay.dayNumber(year: year, month: 1, day: 1)
    switch change {
    case .dayOfYear(let day): return newYear + day
    case .julianDay(let day): return newYear + day - 1 + (CivilDay.isLeap(year) && day >= 60 ? 1 : 0)
    case .monthWeekDay(let month, let week, let day):
      let first = CivilDay.dayNumber(year: year, month: month, day: 1)
      // Day 0 of 1970 was a Thursday, 4 counted from Sunday.
      let firstWeekday = ((first + 4) % 7 + 7) % 7
      var number = first + (day - firstWeekday + 7) % 7 + (week - 1) * 7
      let nextMonth = CivilDay.dayNumber(year: month == 12 ? year + 1 : year, month: month % 12 + 1, day: 1)
      while number >= nextMonth { number -= 7 }
      return number
    }
  }
}

/// Days of the proleptic Gregorian calendar, counted from 1 January 1970.
struct CivilDay {
  let year: Int

  init(secondsSince1970 seconds: Int64) {
    let days = Int(clamping: (seconds - (seconds % 86_400 + 86_400) % 86_400) / 86_400)
    var year = 1970 + days / 366
    while Self.dayNumber(year: year + 1, month: 1, day: 1) <= days { year += 1 }
    while Self.dayNumber(year: year, month: 1, day: 1) > days { year -= 1 }
    self.year = year
  }

  static func isLeap(_ year: Int) -> Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }

  static func dayNumber(year: Int, month: Int, day: Int) -> Int {
    let before = year - 1
    let leapDays = floorDivide(before, 4) - floorDivide(before, 100) + floorDivide(before, 400)
    let monthStart = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334][month - 1]
    let leapDay = month > 2 && isLeap(year) ? 1 : 0
    return before * 365 + leapDays + monthStart + leapDay + day - 1 - 719_162
  }

  private static func floorDivide(_ value: Int, _ divisor: Int) -> Int {
    value >= 0 ? value / divisor : -((-value + divisor - 1) / divisor)
  }
}
