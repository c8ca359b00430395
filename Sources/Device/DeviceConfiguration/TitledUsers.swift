public import ConfigFile

/// Users whom a file names by a title, such as `"user:Olga"`; what is compared is an id, so these match no one until the
/// file has theirs.
public struct TitledUser: Sendable, Hashable {
  public var title: String
  public var position: ConfigPosition

  /// Those of a file, in its order.
  public static func all(in document: ConfigDocument, _ sections: [SectionDescription]) -> [TitledUser] {
    sections.flatMap { section in
      tables(of: section, in: document).flatMap { entries in
        section.settings.flatMap { setting in
          entries.filter { $0.key == setting.name }.flatMap { all(in: $0.node, of: setting) }
        }
      }
    }
    .sorted { $0.position < $1.position }
  }

  /// Those of a setting's value.
  public static func all(in value: ConfigNode, of setting: SettingDescription) -> [TitledUser] {
    guard case .array(let elements) = value.value, namesUsers(setting) else { return [] }
    return elements.compactMap { element in
      guard case .string(let text) = element.value, text.hasPrefix(prefix) else { return nil }
      let title = String(text.dropFirst(prefix.count))
      return title.isEmpty || isID(title) ? nil : TitledUser(title: title, position: element.position)
    }
  }

  /// Whether it has the form of the ids that hubs give, also to those without an account: 8-4-4-4-12 hexadecimal digits.
  public static func isID(_ text: String) -> Bool {
    let groups = text.split(separator: "-", omittingEmptySubsequences: false).suffix(5)
    return groups.map(\.count) == [8, 4, 4, 4, 12] && groups.joined().allSatisfy { $0.isASCII && $0.isHexDigit }
  }

  /// For people, such as the report of a check.
  public var problem: String { "\"\(Self.prefix)\(title)\" matches no one, since no id has this form" }
  public static let remedy = "if it is a title, store its id: sudo livesessions config resolve"

  public static let prefix = "user:"

  private static func namesUsers(_ setting: SettingDescription) -> Bool {
    ["list of users", "list of callers", "list of people"].contains { setting.type.hasSuffix($0) }
  }

  private static func tables(of section: SectionDescription, in document: ConfigDocument) -> [[ConfigEntry]] {
    if section.kind == .root { return [document.entries] }
    switch document.entries.first(where: { $0.key == section.name })?.node.value {
    case .table(let entries)?: return [entries]
    case .array(let elements)?:
      return elements.compactMap { if case .table(let entries) = $0.value { entries } else { nil } }
    case .string, .integer, .number, .boolean, .dateTime, nil: return []
    }
  }
}
