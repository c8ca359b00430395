internal import SafeText

/// The settings of a file with the values that are in force: those that it has, and defaults.
public struct SettingListing: Sendable {
  public struct Entry: Sendable, Hashable {
    /// The table in file syntax, such as `[video]` or `[[plan]]`; empty for the root.
    public let section: String
    /// Counts the tables of an array from 0; nil for others.
    public let index: Int?
    public let name: String
    /// In file syntax; nil for a setting that is not set and has no default.
    public let value: String?
    /// Whether the file has another value than the default.
    public let isChanged: Bool
  }

  public let entries: [Entry]

  /// - Parameter effective: a value as a file has it, where it is known better than from file and default: one that
  ///   depends on other settings.
  public init(
    _ document: ConfigDocument, _ sections: [SectionDescription],
    effective: (SectionDescription, SettingDescription) -> String? = { _, _ in nil }
  ) {
    entries = sections.flatMap { section -> [Entry] in
      switch section.kind {
      case .root: Self.entries(section, document.entries, effective)
      case .table: Self.entries(section, Self.table(document.entries, section.name), effective)
      case .array:
        Self.tables(document.entries, section.name).enumerated().flatMap { index, table in
          Self.entries(section, table, { _, _ in nil }, index: index)
        }
      }
    }
  }

  /// In file syntax. Settings without a value are comments.
  ///
  /// - Parameter changed: whether to omit defaults.
  public func text(changed: Bool) -> String {
    var lines: [String] = []
    var last: (section: String, index: Int?) = ("", nil)
    for entry in entries where !changed || entry.isChanged {
      if (entry.section, entry.index) != last {
        lines += (lines.isEmpty ? [] : [""]) + [entry.section]
        last = (entry.section, entry.index)
      }
      lines.append(entry.value.map { "\(entry.name) = \($0)" } ?? "# \(entry.name) is not set")
    }
    return lines.joined(separator: "\n")
  }

  private static func entries(
    _ section: SectionDescription, _ written: [ConfigEntry],
    _ effective: (SectionDescription, SettingDescription) -> String?, index: Int? = nil
  ) -> [Entry] {
    section.settings.map { setting in
      let text = written.first { $0.key == setting.name }.map { TOMLText.value($0.node.value) }
      let value = (effective(section, setting) ?? text ?? setting.defaultText)?.hidingURLPasswords
      return Entry(
        section: section.header, index: index, name: setting.name,
        value: setting.isSecret && value != nil ? TOMLText.string("(hidden)") : value,
        isChanged: text != nil && value != setting.defaultText)
    }
  }

  private static func table(_ entries: [ConfigEntry], _ name: String) -> [ConfigEntry] {
    guard case .table(let entries)? = entries.first(where: { $0.key == name })?.node.value else { return [] }
    return entries
  }

  private static func tables(_ entries: [ConfigEntry], _ name: String) -> [[ConfigEntry]] {
    guard case .array(let elements)? = entries.first(where: { $0.key == name })?.node.value else { return [] }
    return elements.compactMap { if case .table(let entries) = $0.value { entries } else { nil } }
  }
}
