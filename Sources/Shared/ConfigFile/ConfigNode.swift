/// A value of a configuration file with the place it was written at.
public struct ConfigNode: Sendable {
  public var value: ConfigValue
  public var position: ConfigPosition

  public init(value: ConfigValue, position: ConfigPosition) {
    self.value = value
    self.position = position
  }
}

/// The kinds of value that TOML knows.
public indirect enum ConfigValue: Sendable {
  case string(String)
  case integer(Int64)
  case number(Double)
  case boolean(Bool)
  /// A TOML date or time. No setting takes one, so its content is not kept.
  case dateTime
  case array([ConfigNode])
  case table([ConfigEntry])

  /// A number, which the file may write as an integer; nil for anything else.
  public var double: Double? {
    switch self {
    case .number(let number): number
    case .integer(let number): Double(number)
    case .string, .boolean, .dateTime, .array, .table: nil
    }
  }
}

/// One `key = value` of a table.
public struct ConfigEntry: Sendable {
  public var key: String
  public var keyPosition: ConfigPosition
  public var node: ConfigNode

  public init(key: String, keyPosition: ConfigPosition, node: ConfigNode) {
    self.key = key
    self.keyPosition = keyPosition
    self.node = node
  }
}

extension ConfigValue {
  /// The kind with its article, as error texts name it.
  var kind: String {
    switch self {
    case .string: "a string"
    case .integer: "an integer"
    case .number: "a number"
    case .boolean: "a boolean"
    case .dateTime: "a date or time"
    case .array: "an array"
    case .table: "a table"
    }
  }
}
