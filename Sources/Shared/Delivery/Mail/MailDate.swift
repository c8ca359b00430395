/// The date of a mail (RFC 5322 §3.3), in UTC.
enum MailDate {
  private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
  private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
  /// The years 1970 to 9999.
  private static let range: ClosedRange<Int64> = 0...253_402_300_799

  /// Such as `Wed, 25 Nov 2026 07:05:09 +0000`.
  ///
  /// - Parameter seconds: since 1970; others than the years 1970 to 9999 become the nearest.
  static func text(_ seconds: Int64) -> String {
    let seconds = min(max(seconds, range.lowerBound), range.upperBound)
    let (day, second) = seconds.quotientAndRemainder(dividingBy: 86_400)
    let (year, month, date) = civil(day)
    let clock = [second / 3_600, second / 60 % 60, second % 60].map(twoDigits).joined(separator: ":")
    let weekday = days[Int(truncatingIfNeeded: day % 7)]
    return "\(weekday), \(twoDigits(date)) \(months[Int(truncatingIfNeeded: month)]) \(year) \(clock) +0000"
  }

  /// The Gregorian date of a day since 1970, the month from 0. Years begin in March, so that a leap day is the last.
  private static func civil(_ day: Int64) -> (year: Int64, month: Int64, date: Int64) {
    let shifted = day + 719_468
    let (era, ofEra) = shifted.quotientAndRemainder(dividingBy: 146_097)
    let yearOfEra = (ofEra - ofEra / 1_460 + ofEra / 36_524 - ofEra / 146_096) / 365
    let ofYear = ofEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let march = (5 * ofYear + 2) / 153
    let month = (march + 2) % 12
    return (yearOfEra + era * 400 + (month < 2 ? 1 : 0), month, ofYear - (153 * march + 2) / 5 + 1)
  }

  private static func twoDigits(_ number: Int64) -> String { (number < 10 ? "0" : "") + String(number) }
}
