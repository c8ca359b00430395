import ConfigFile

extension SettingType where Value == String {
  /// The name of a table of which there may be several.
  static let tableName = text("string, 1 to 64 bytes") { name, key throws(ConfigValueError) in
    guard (1...64).contains(name.utf8.count), !name.unicodeScalars.contains(where: { $0.value < 32 }) else {
      throw ConfigValueError("\(key) must have 1 to 64 bytes and no control characters")
    }
    return name
  }
}
