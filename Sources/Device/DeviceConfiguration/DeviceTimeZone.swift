import Glibc

/// The device's time zone: what `TZ` names, as for every program, else `/etc/localtime`. What the C library shows (overlay,
/// mails, the command line) and what policy and plans go by are the same.
public struct DeviceTimeZone: Sendable, Hashable {
  /// The content of `TZ`; nil where it is not set.
  let variable: String?
  let path: String

  init(variable: String?, path: String = "/etc/localtime") {
    self.variable = variable
    self.path = path
  }

  /// That of this process.
  public static var current: DeviceTimeZone {
    DeviceTimeZone(variable: getenv("TZ").map { String(cString: $0) })
  }

  /// Has the C library notice that `/etc/localtime` was replaced.
  public static func refresh() { tzset() }

  /// Seconds east of Greenwich at a time in seconds since 1970; nil where the zone cannot be read.
  public func offset(at time: Int64) -> Int? {
    guard let variable else { return fileOffset(at: time) }
    let name = variable.hasPrefix(":") ? String(variable.dropFirst()) : variable
    if let table = name.hasPrefix("/") ? TimeZoneTable(path: name) : TimeZoneTable(name: name) {
      return table.offset(at: time)
    }
    // What the C library makes of a zone that it does not know is UTC.
    return RecurringTimeZone(name)?.offset(at: time) ?? 0
  }

  /// A system that names no zone runs on UTC; one whose zone cannot be read runs on an unknown zone.
  private func fileOffset(at time: Int64) -> Int? {
    var status = stat()
    if lstat(path, &status) != 0, errno == ENOENT { return 0 }
    return TimeZoneTable(path: path)?.offset(at: time)
  }

  /// Such as `Europe/Berlin, UTC+02:00 (TZ)`.
  public func text(at time: Int64) -> String {
    let origin = variable == nil ? path : "TZ"
    guard let offset = offset(at: time) else { return "\(name), which cannot be read (\(origin))" }
    let minutes = abs(offset) / 60
    let (hour, minute) = (minutes / 60, minutes % 60)
    let clock = "\(hour < 10 ? "0" : "")\(hour):\(minute < 10 ? "0" : "")\(minute)"
    return "\(name), UTC\(offset < 0 ? "-" : "+")\(clock) (\(origin))"
  }

  /// What it is called; a copy of a zone's file has no name.
  private var name: String {
    if let variable { return variable.isEmpty ? "UTC" : variable }
    var bytes = [CChar](repeating: 0, count: 256)
    let count = readlink(path, &bytes, bytes.count - 1)
    guard count > 0 else { return errno == ENOENT ? "UTC" : "a zone without a name" }
    let target = String(decoding: bytes.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let folder = "zoneinfo/"
    guard let start = target.firstRange(of: folder)?.upperBound else { return target }
    return String(target[start...])
  }
}
