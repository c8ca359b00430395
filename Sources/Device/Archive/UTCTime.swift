/// A moment in UTC as XML Schema and RFC 3339 write it.
public enum UTCTime {
  /// - Parameter seconds: since 1970; outside of the years 1 … 9999 it becomes the nearest of them.
  public static func text(_ seconds: Int64) -> String {
    let seconds = min(max(seconds, -62_135_596_800), 253_402_300_799)
    let day = CalendarDay(milliseconds: seconds * 1_000)
    let ofDay = ((seconds % 86_400) + 86_400) % 86_400
    let time = [ofDay / 3_600, ofDay / 60 % 60, ofDay % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }
    return day.components.joined(separator: "-") + "T" + time.joined(separator: ":") + "Z"
  }
}
