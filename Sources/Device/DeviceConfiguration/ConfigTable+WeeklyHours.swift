import CallPolicy
import ConfigFile

extension ConfigTable {
  /// Hours on days of the week: one text, or a list of them that is not empty.
  func weeklyHours(_ key: String) -> [WeeklyHours]? {
    let parse = { (text: String) throws(ConfigValueError) -> WeeklyHours in try Self.parseWeeklyHours(text) }
    guard case .array? = node(key)?.value else { return value(key, parse: parse).map { [$0] } }
    let hours = values(key, parse: parse) ?? []
    if isEmptyArray(key) { addError("\(key) is an empty list", remedy: "leave it out", at: key) }
    return hours
  }

  static func parseWeeklyHours(_ text: String) throws(ConfigValueError) -> WeeklyHours {
    guard let hours = WeeklyHours(text) else {
      throw ConfigValueError(
        "\"\(text)\" is not understood", remedy: "write for example \"Mon-Fri 07:00-19:00 Europe/Berlin\"")
    }
    if case .named(let name) = hours.timeZone, TimeZoneTable(name: name) == nil {
      throw ConfigValueError(
        "there is no time zone \"\(name)\" on this system", remedy: "see timedatectl list-timezones")
    }
    return hours
  }
}
