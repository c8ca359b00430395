/// Names one setting of a file: `video.width`, `plan.yard.max_age` for the table with that `name` of an array, or `listen`
/// where the file has keys before its tables. Parts with dots or spaces stand in quotes.
public struct SettingPath: Sendable {
  public let section: SectionDescription
  /// The `name` of one of an array's tables; nil for others.
  public let table: String?
  public let setting: SettingDescription

  /// - Throws: for one that there is not, with the nearest that there is.
  public init(_ text: String, in sections: [SectionDescription]) throws(ConfigValueError) {
    let parts = try Self.parts(text)
    let root = sections.first { $0.kind == .root }
    guard parts.count > 1 else {
      guard let root, let setting = root.settings.first(where: { $0.name == parts[0] }) else {
        throw Self.unknown(text, sections)
      }
      (section, table, self.setting) = (root, nil, setting)
      return
    }
    guard let section = sections.first(where: { $0.kind != .root && $0.name == parts[0] }) else {
      throw Self.unknown(text, sections)
    }
    let length = section.kind == .array ? 3 : 2
    guard parts.count == length else { throw Self.wrongLength(text, section) }
    guard let setting = section.settings.first(where: { $0.name == parts[length - 1] }) else {
      throw Self.unknown(text, sections)
    }
    (self.section, table, self.setting) = (section, section.kind == .array ? parts[1] : nil, setting)
  }

  private static func parts(_ text: String) throws(ConfigValueError) -> [String] {
    var parts = [""]
    var isQuoted = false
    for character in text {
      switch character {
      case "\"": isQuoted.toggle()
      case "." where !isQuoted: parts.append("")
      default: parts[parts.count - 1].append(character)
      }
    }
    guard !isQuoted, !parts.contains("") else {
      throw ConfigValueError("\"\(text)\" is no setting", remedy: "write for example video.width")
    }
    return parts
  }

  private static func wrongLength(_ text: String, _ section: SectionDescription) -> ConfigValueError {
    switch section.kind {
    case .array:
      ConfigValueError(
        "\"\(text)\" does not say which \(section.header)",
        remedy: "write \(section.name).NAME.\(section.settings.last?.name ?? "KEY"), with the table's name")
    case .root, .table:
      ConfigValueError("\"\(text)\" is no setting", remedy: "write \(section.name).KEY, with a value as a file has it")
    }
  }

  private static func unknown(_ text: String, _ sections: [SectionDescription]) -> ConfigValueError {
    let known = sections.flatMap { section in
      section.settings.map { setting in
        switch section.kind {
        case .root: setting.name
        case .table: "\(section.name).\(setting.name)"
        case .array: "\(section.name).NAME.\(setting.name)"
        }
      }
    }
    let suggestion = closestMatch(to: text, among: known).map { "did you mean \($0)?" }
    return ConfigValueError(
      "there is no setting \"\(text)\"", remedy: suggestion ?? "livesessions config show lists them")
  }
}
