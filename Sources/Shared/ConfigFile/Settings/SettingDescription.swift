/// When a changed setting takes effect.
public enum SettingEffect: Sendable, Hashable {
  /// At a reload.
  case reload
  /// After a restart.
  case restart
}

/// What documentation, samples and command lines need to know of a setting.
public struct SettingDescription: Sendable {
  public let name: String
  /// For people, such as `whole number, 64 to 4096`.
  public let type: String
  /// Sentences in which code stands between backticks.
  public let help: String
  /// The default in file syntax; nil where there is none.
  public let defaultText: String?
  /// A value to show where there is no default, in file syntax.
  public let example: String?
  /// Whether a sample file sets the example.
  public let isSampled: Bool
  public let isRequired: Bool
  /// Whether the value is hidden where settings are shown.
  public let isSecret: Bool
  /// Nil for that of the section.
  public let effect: SettingEffect?
  let form: SettingForm
}

/// A table of a configuration file, as documentation, samples and command lines need to know it.
public struct SectionDescription: Sendable {
  public enum Kind: Sendable, Hashable {
    /// The keys before the first header.
    case root
    /// `[name]`
    case table
    /// `[[name]]`
    case array
  }

  public let name: String
  public let kind: Kind
  /// Sentences in which code stands between backticks.
  public let help: String
  public let effect: SettingEffect
  public let settings: [SettingDescription]
  /// Whether a sample file has the table's header.
  public let isSampled: Bool
  /// Tables as a file could have them, for keys that exclude each other; nil where each key's example will do.
  public let sample: String?

  /// In file syntax; empty for the root.
  public var header: String {
    switch kind {
    case .root: ""
    case .table: "[\(name)]"
    case .array: "[[\(name)]]"
    }
  }

  /// - Parameter settings: in the order in which they are documented.
  public init(
    _ name: String, _ kind: Kind = .table, effect: SettingEffect = .restart, isSampled: Bool = false, _ help: String,
    settings: [SettingDescription], sample: String? = nil
  ) {
    self.name = name
    self.kind = kind
    self.help = help
    self.effect = effect
    self.isSampled = isSampled
    self.settings = settings
    self.sample = sample
  }

  public func effect(of setting: SettingDescription) -> SettingEffect { setting.effect ?? effect }
}
