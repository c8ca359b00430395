import ConfigFile

extension ConfigTable {
  /// The `name` of a table of which there may be several, 1 to 64 bytes without control characters; nil for another one, or none,
  /// which is told.
  func name(example: String) -> String? {
    guard let name = string("name") else {
      if !contains("name") { addMissing("name", example: "\"\(example)\"") }
      return nil
    }
    guard (1...64).contains(name.utf8.count), !name.unicodeScalars.contains(where: { $0.value < 32 }) else {
      addError("name must have 1 to 64 bytes and no control characters", at: "name")
      return nil
    }
    return name
  }
}
