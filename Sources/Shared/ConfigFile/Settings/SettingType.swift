/// What a setting's value may be: how a file's value is read, how it is written, and what documentation calls it.
public struct SettingType<Value: Sendable>: Sendable {
  /// For people, such as `whole number, 64 to 4096`.
  public let summary: String
  let form: SettingForm
  /// Nil for an absent key and for a wrong value, which is logged.
  public let read: @Sendable (ConfigTable, String) -> Value?
  /// In file syntax; nil where the value cannot be written.
  let text: @Sendable (Value) -> String?

  /// - Parameters:
  ///   - summary: for people; a noun without article.
  ///   - read: returns nil for an absent key, and logs errors of a value.
  ///   - text: the value in TOML; needed of types whose settings have a default.
  public init(
    _ summary: String, form: SettingForm = .any, read: @escaping @Sendable (ConfigTable, String) -> Value?,
    text: @escaping @Sendable (Value) -> String? = { _ in nil }
  ) {
    self.summary = summary
    self.form = form
    self.read = read
    self.text = text
  }

  /// The same values as another type.
  public func map<Other: Sendable>(
    _ make: @escaping @Sendable (Value) -> Other, back: @escaping @Sendable (Other) -> Value
  ) -> SettingType<Other> {
    SettingType<Other>(
      summary, form: form, read: { table, key in read(table, key).map(make) }, text: { text(back($0)) })
  }

  /// The same values under another description.
  public func described(_ summary: String) -> SettingType {
    SettingType(summary, form: form, read: read, text: text)
  }
}

/// How a command-line argument becomes a value of a file.
public enum SettingForm: Sendable {
  /// A string, in quotes unless it has them already.
  case text
  /// Numbers and booleans.
  case bare
  /// TOML where it parses as that, a string otherwise.
  case any
}

// MARK: - Plain values

extension SettingType where Value == Bool {
  public static let bool = SettingType("boolean", form: .bare, read: { $0.bool($1) }, text: { "\($0)" })
}

extension SettingType where Value == Int {
  public static func integer(_ range: ClosedRange<Int>) -> SettingType {
    SettingType(
      "whole number, \(range.lowerBound) to \(range.upperBound)", form: .bare,
      read: { $0.integer($1, in: range) }, text: { "\($0)" })
  }

  /// Bits per second.
  public static func bitrate(_ range: ClosedRange<Int>) -> SettingType {
    let (low, high) = (ConfigQuantity.text(bitrate: range.lowerBound), ConfigQuantity.text(bitrate: range.upperBound))
    return SettingType(
      "bit rate, \(low) to \(high)", form: .text, read: { $0.bitrate($1, in: range) },
      text: { TOMLText.string(ConfigQuantity.text(bitrate: $0)) })
  }
}

extension SettingType where Value == Double {
  public static func number(_ range: ClosedRange<Double>) -> SettingType {
    SettingType(
      "number, \(TOMLText.number(range.lowerBound)) to \(TOMLText.number(range.upperBound))", form: .bare,
      read: { $0.number($1, in: range) }, text: { TOMLText.number($0) })
  }

  /// Metres.
  public static let distance = SettingType("distance", form: .text, read: { $0.distance($1) })
}

extension SettingType where Value == Int64 {
  public static let bytes = SettingType(
    "size", form: .text, read: { $0.bytes($1) }, text: { TOMLText.string(ConfigQuantity.text(bytes: $0)) })
}

extension SettingType where Value == Duration {
  public static func duration(_ range: ClosedRange<Duration>) -> SettingType {
    let (low, high) = (ConfigQuantity.text(duration: range.lowerBound), ConfigQuantity.text(duration: range.upperBound))
    return SettingType(
      "duration, \(low) to \(high)", form: .text, read: { $0.duration($1, in: range) },
      text: { TOMLText.string(ConfigQuantity.text(duration: $0)) })
  }
}

extension SettingType where Value == String {
  public static let string = SettingType("string", form: .text, read: { $0.string($1) }, text: TOMLText.string)

  /// A path that does not depend on where the program was started.
  public static let absolutePath = text("absolute path") { text, key throws(ConfigValueError) in
    guard text.hasPrefix("/") else {
      throw ConfigValueError("\(key) must be an absolute path", remedy: "begin it with /")
    }
    return text
  }

  /// A string that `parse` checks; it is given the text and the setting's name.
  public static func text(
    _ summary: String, parse: @escaping @Sendable (String, String) throws(ConfigValueError) -> String
  ) -> SettingType {
    SettingType(
      summary, form: .text,
      read: { table, key in table.value(key) { text throws(ConfigValueError) in try parse(text, key) } },
      text: TOMLText.string)
  }
}

extension SettingType {
  /// A string that `parse` understands.
  public static func text(
    _ summary: String, text: @escaping @Sendable (Value) -> String? = { _ in nil },
    parse: @escaping @Sendable (String) throws(ConfigValueError) -> Value
  ) -> SettingType {
    SettingType(
      summary, form: .text, read: { $0.value($1, parse: parse) }, text: { text($0).map(TOMLText.string) })
  }

  /// An array of strings that `parse` understands.
  public static func texts<Element: Sendable>(
    _ summary: String, text: @escaping @Sendable (Element) -> String? = { _ in nil },
    parse: @escaping @Sendable (String) throws(ConfigValueError) -> Element
  ) -> SettingType where Value == [Element] {
    SettingType(
      summary, read: { $0.values($1, parse: parse) },
      text: { elements in
        let texts = elements.compactMap { text($0).map(TOMLText.string) }
        return !elements.isEmpty && texts.count == elements.count ? "[\(texts.joined(separator: ", "))]" : nil
      })
  }

  /// One of an enumeration's raw values.
  public static func choice() -> SettingType where Value: RawRepresentable<String> & CaseIterable {
    SettingType(
      "one of \(names(of: Value.self))", form: .text, read: { $0.choice($1) }, text: { TOMLText.string($0.rawValue) })
  }

  /// An array of an enumeration's raw values.
  public static func choices<Choice: RawRepresentable<String> & CaseIterable & Sendable>() -> SettingType
  where Value == [Choice] {
    SettingType("list of \(names(of: Choice.self))", read: { $0.choices($1) }, text: TOMLText.choices)
  }

  private static func names<Choice: RawRepresentable<String> & CaseIterable>(of type: Choice.Type) -> String {
    Choice.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
  }
}
