/// Scans the parts of a POSIX `TZ` string.
struct TimeZoneScanner {
  private var rest: Substring

  init(_ text: String) { rest = text[...] }

  var isAtEnd: Bool { rest.isEmpty }

  func isAt(_ character: Character) -> Bool { rest.first == character }

  /// `CET` or `<+03>`.
  mutating func skipName() -> Bool {
    if isAt("<") {
      guard let end = rest.firstIndex(of: ">") else { return false }
      rest = rest[rest.index(after: end)...]
      return true
    }
    let letters = rest.prefix { $0.isASCII && $0.isLetter }
    rest = rest.dropFirst(letters.count)
    return letters.count >= 3
  }

  /// `[+-]hh[:mm[:ss]]` in seconds; hours up to 167.
  mutating func time() -> Int? {
    let isNegative = isAt("-")
    if isNegative || isAt("+") { rest = rest.dropFirst() }
    guard let hours = number(in: 0...167) else { return nil }
    var seconds = hours * 3_600
    for unit in [60, 1] where isAt(":") {
      rest = rest.dropFirst()
      guard let count = number(in: 0...59) else { return nil }
      seconds += count * unit
    }
    return isNegative ? -seconds : seconds
  }

  /// `,date[/time]`; two o'clock without a time.
  mutating func change() -> (RecurringTimeZone.Change, time: Int)? {
    guard take(","), let date = date() else { return nil }
    guard take("/") else { return (date, time: 7_200) }
    return time().map { (date, time: $0) }
  }

  private mutating func date() -> RecurringTimeZone.Change? {
    if take("J") { return number(in: 1...365).map { .julianDay($0) } }
    guard take("M") else { return number(in: 0...365).map { .dayOfYear($0) } }
    guard let month = number(in: 1...12), take("."), let week = number(in: 1...5), take("."),
      let day = number(in: 0...6)
    else { return nil }
    return .monthWeekDay(month: month, week: week, day: day)
  }

  private mutating func take(_ character: Character) -> Bool {
    guard isAt(character) else { return false }
    rest = rest.dropFirst()
    return true
  }

  private mutating func number(in range: ClosedRange<Int>) -> Int? {
    let digits = rest.prefix { $0.isASCII && $0.isNumber }
    guard digits.count <= 3, let value = Int(digits), range.contains(value) else { return nil }
    rest = rest.dropFirst(digits.count)
    return value
  }
}
