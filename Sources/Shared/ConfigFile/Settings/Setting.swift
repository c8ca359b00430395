/// A table's settings, all of which have their defaults at first.
public protocol SettingGroup: Sendable {
  init()
}

/// A setting: its description, and the property that it sets.
///
/// The default is the property's value in `Root()`. A key that is read together with others, by its section's own
/// reader, has no property: see ``init(_:_:default:example:isRequired:isSecret:effect:_:)``.
///
/// ```swift
/// static let settings: [Setting<VideoSettings>] = [
///   Setting("width", \.width, .integer(64...4_096), "Pixels; an even number."),
/// ]
/// ```
public struct Setting<Root: Sendable>: Sendable {
  public let description: SettingDescription
  /// Sets the property to what the table has; leaves it as it is for an absent key and for a wrong value.
  let read: @Sendable (ConfigTable, inout Root) -> Void
  let copy: @Sendable (Root, inout Root) -> Void
  let isEqual: @Sendable (Root, Root) -> Bool
  /// The value in file syntax; nil for none, and for one that only its file knows.
  let text: @Sendable (Root) -> String?

  /// - Parameters:
  ///   - example: the value in file syntax, for samples where there is no default.
  ///   - unset: what holds without the key, where that depends on other settings; for people.
  ///   - isRequired: whether a file without it is refused, with the example as remedy; there is no default then.
  ///   - isSampled: whether the sample file sets the example.
  ///   - effect: nil for that of the section.
  public init<Value: Sendable & Equatable>(
    _ name: String, _ path: any WritableKeyPath<Root, Value> & Sendable, _ type: SettingType<Value>,
    example: String? = nil, unset: String? = nil, isRequired: Bool = false, isSampled: Bool = false,
    isSecret: Bool = false, effect: SettingEffect? = nil, _ help: String
  ) where Root: SettingGroup {
    description = SettingDescription(
      name: name, type: type.summary, help: help,
      defaultText: isRequired ? nil : unset ?? type.text(Root()[keyPath: path]), example: example,
      isSampled: isSampled, isRequired: isRequired, isSecret: isSecret, effect: effect, form: type.form)
    read = { table, root in
      if isRequired, !table.contains(name) { table.addMissing(name, example: example ?? "…") }
      if let value = type.read(table, name) { root[keyPath: path] = value }
    }
    copy = { from, to in to[keyPath: path] = from[keyPath: path] }
    isEqual = { $0[keyPath: path] == $1[keyPath: path] }
    text = { type.text($0[keyPath: path]) }
  }

  /// A setting without a default.
  public init<Value: Sendable & Equatable>(
    _ name: String, _ path: any WritableKeyPath<Root, Value?> & Sendable, _ type: SettingType<Value>,
    example: String? = nil, isRequired: Bool = false, isSampled: Bool = false, isSecret: Bool = false,
    effect: SettingEffect? = nil, _ help: String
  ) {
    description = SettingDescription(
      name: name, type: type.summary, help: help, defaultText: nil, example: example, isSampled: isSampled,
      isRequired: isRequired, isSecret: isSecret, effect: effect, form: type.form)
    read = { table, root in
      if isRequired, !table.contains(name) { table.addMissing(name, example: example ?? "…") }
      if let value = type.read(table, name) { root[keyPath: path] = value }
    }
    copy = { from, to in to[keyPath: path] = from[keyPath: path] }
    isEqual = { $0[keyPath: path] == $1[keyPath: path] }
    text = { $0[keyPath: path].flatMap(type.text) }
  }

  /// A key that the section's own reader reads, since its meaning depends on other keys.
  ///
  /// - Parameters:
  ///   - type: for people; a noun without article.
  ///   - defaultText: in file syntax.
  public init(
    _ name: String, _ type: String, default defaultText: String? = nil, example: String? = nil,
    isRequired: Bool = false, isSampled: Bool = false, isSecret: Bool = false, effect: SettingEffect? = nil,
    _ help: String
  ) {
    description = SettingDescription(
      name: name, type: type, help: help, defaultText: defaultText, example: example, isSampled: isSampled,
      isRequired: isRequired, isSecret: isSecret, effect: effect, form: .any)
    read = { table, _ in
      if isRequired, !table.contains(name) { table.addMissing(name, example: example ?? "…") }
      _ = table.node(name)
    }
    copy = { _, _ in }
    isEqual = { _, _ in true }
    text = { _ in nil }
  }

  private init(
    _ description: SettingDescription, read: @escaping @Sendable (ConfigTable, inout Root) -> Void,
    copy: @escaping @Sendable (Root, inout Root) -> Void, isEqual: @escaping @Sendable (Root, Root) -> Bool,
    text: @escaping @Sendable (Root) -> String?
  ) {
    self.description = description
    self.read = read
    self.copy = copy
    self.isEqual = isEqual
    self.text = text
  }

  /// The setting as one of a larger value.
  public func lifted<Whole>(_ path: any WritableKeyPath<Whole, Root> & Sendable) -> Setting<Whole> {
    let (read, copy, isEqual, text) = (read, copy, isEqual, text)
    return Setting<Whole>(
      description, read: { read($0, &$1[keyPath: path]) }, copy: { copy($0[keyPath: path], &$1[keyPath: path]) },
      isEqual: { isEqual($0[keyPath: path], $1[keyPath: path]) }, text: { text($0[keyPath: path]) })
  }
}

extension Sequence {
  /// The settings as those of a larger value.
  public func lifted<Root, Whole>(_ path: any WritableKeyPath<Whole, Root> & Sendable) -> [Setting<Whole>]
  where Element == Setting<Root> {
    map { $0.lifted(path) }
  }

  /// Sets the properties to what a table has.
  public func read<Root>(_ table: ConfigTable, into root: inout Root) where Element == Setting<Root> {
    for setting in self { setting.read(table, &root) }
  }

  /// What a table has, with defaults for the rest.
  public func values<Root: SettingGroup>(of table: ConfigTable) -> Root where Element == Setting<Root> {
    var root = Root()
    read(table, into: &root)
    return root
  }
}
