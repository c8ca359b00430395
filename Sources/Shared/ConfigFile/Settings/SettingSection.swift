/// A table of a configuration file and where its settings go in the whole configuration.
public struct SettingSection<Root: Sendable>: Sendable {
  public let description: SectionDescription
  /// What a reload copies and compares: each setting, or the section as a whole.
  let parts: [Part]
  /// Nil where a reader of the section's own does it.
  private let reading: (@Sendable (ConfigTable, inout Root) -> Void)?

  struct Part: Sendable {
    /// As messages name it: `[video] width`, or `[[plan]]`.
    let title: String
    /// Nil for a section as a whole.
    let setting: String?
    let effect: SettingEffect
    let copy: @Sendable (Root, inout Root) -> Void
    let isEqual: @Sendable (Root, Root) -> Bool
    let text: @Sendable (Root) -> String?
  }

  /// A table whose settings are read one by one.
  ///
  /// - Parameters:
  ///   - sample: tables as a file could have them, for keys that exclude each other.
  ///   - check: refuses, or completes, combinations of settings.
  public init<Group: SettingGroup>(
    _ name: String, _ kind: SectionDescription.Kind = .table, at path: any WritableKeyPath<Root, Group> & Sendable,
    effect: SettingEffect = .restart, isSampled: Bool = true, _ help: String, settings: [Setting<Group>],
    sample: String? = nil, check: @escaping @Sendable (ConfigTable, inout Group) -> Void = { _, _ in }
  ) {
    let section = SectionDescription(
      name, kind, effect: effect, isSampled: isSampled, help, settings: settings.map(\.description), sample: sample)
    description = section
    parts = settings.map { setting in
      let lifted = setting.lifted(path)
      return Part(
        title: section.header.isEmpty ? setting.description.name : "\(section.header) \(setting.description.name)",
        setting: setting.description.name, effect: section.effect(of: setting.description), copy: lifted.copy,
        isEqual: lifted.isEqual, text: lifted.text)
    }
    reading = { table, root in
      settings.read(table, into: &root[keyPath: path])
      check(table, &root[keyPath: path])
    }
  }

  /// A table, or an array of tables, that has a reader of its own; a reload takes it as a whole.
  ///
  /// - Parameter sample: tables as a file could have them, for keys that exclude each other.
  public init<Value: Sendable & Equatable, Group: Sendable>(
    _ name: String, _ kind: SectionDescription.Kind, whole path: any WritableKeyPath<Root, Value> & Sendable,
    effect: SettingEffect = .restart, isSampled: Bool = false, _ help: String, settings: [Setting<Group>],
    sample: String? = nil
  ) {
    description = SectionDescription(
      name, kind, effect: effect, isSampled: isSampled, help, settings: settings.map(\.description), sample: sample)
    parts = [
      Part(
        title: description.header, setting: nil, effect: effect, copy: { $1[keyPath: path] = $0[keyPath: path] },
        isEqual: { $0[keyPath: path] == $1[keyPath: path] }, text: { _ in nil })
    ]
    reading = nil
  }

  /// The value of a setting in file syntax; nil for none, and for one that only the file knows.
  public func text(of setting: SettingDescription, in root: Root) -> String? {
    parts.first { $0.setting == setting.name }?.text(root)
  }
}

extension Sequence {
  /// Reads the tables whose settings are read one by one, in order.
  public func read<Root>(_ table: ConfigTable, into root: inout Root) where Element == SettingSection<Root> {
    for section in self { section.read(table, into: &root) }
  }

  /// Copies what a reload puts in force.
  public func reload<Root>(_ fresh: Root, into running: inout Root) where Element == SettingSection<Root> {
    for section in self {
      for part in section.parts where part.effect == .reload { part.copy(fresh, &running) }
    }
  }

  /// Changes that take effect after a restart, such as `[video] width`.
  public func waiting<Root>(_ running: Root, _ fresh: Root) -> [String] where Element == SettingSection<Root> {
    flatMap(\.parts).filter { $0.effect == .restart && !$0.isEqual(running, fresh) }.map(\.title)
  }
}

extension SettingSection {
  func read(_ root: ConfigTable, into value: inout Root) {
    guard let reading else { return }
    reading(description.kind == .root ? root : root.table(description.name), &value)
  }
}
