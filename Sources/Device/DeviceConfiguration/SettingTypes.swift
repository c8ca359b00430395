import CallPolicy
import ConfigFile
import MediaCore

/// Types of values that only a device's files have.
extension SettingType where Value == Bitrate {
  static func bitrate(_ range: ClosedRange<Int>) -> SettingType {
    SettingType<Int>.bitrate(range).map({ Bitrate(bitsPerSecond: $0) }, back: { $0.bitsPerSecond })
  }
}

extension SettingType where Value == TimeSpan {
  static func timeSpan(_ range: ClosedRange<Duration>) -> SettingType {
    SettingType<Duration>.duration(range).map({ TimeSpan($0) }, back: { .nanoseconds($0.nanoseconds) })
  }
}

extension SettingType where Value == FramePolygon {
  /// Of three to 32 corners.
  static let polygon = SettingType("polygon", read: { $0.polygon($1) })
}

extension SettingType where Value == [FramePolygon] {
  /// At most 16.
  static let polygons = SettingType("list of polygons", read: { $0.polygons($1) })
}

extension SettingType where Value == [WeeklyHours] {
  static let weeklyHours = SettingType("hours, or list of hours", read: { $0.weeklyHours($1) })
}

extension SettingType where Value == [String] {
  /// A program's absolute path and its arguments.
  static let command = SettingType("list of a program's absolute path and its arguments", read: { $0.command($1) })
}
