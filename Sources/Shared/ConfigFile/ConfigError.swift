import SafeText

/// One mistake in a configuration file: where it is, what is wrong, and what to do.
public struct ConfigError: Error, Hashable, Sendable {
  public var file: String
  /// Absent when the file could not be read at all.
  public var position: ConfigPosition?
  public var problem: String
  public var remedy: String?

  public init(file: String, position: ConfigPosition?, problem: String, remedy: String? = nil) {
    self.file = file
    self.position = position
    self.problem = problem
    self.remedy = remedy
  }
}

extension ConfigError: CustomStringConvertible {
  /// `file:line:column: problem; remedy` in one line, the form that editors jump to.
  public var description: String {
    let place = position.map { ":\($0.line):\($0.column)" } ?? ""
    let advice = remedy.map { "; \($0)" } ?? ""
    return "\(file)\(place): \(problem)\(advice)".escapingControls
  }
}

/// All the mistakes of one configuration file, in the order of their places.
public struct ConfigErrors: Error, Hashable, Sendable, CustomStringConvertible {
  /// Never empty.
  public let errors: [ConfigError]

  public init(_ errors: [ConfigError]) {
    precondition(!errors.isEmpty, "no errors to report")
    self.errors = errors.sorted { ($0.position ?? .start) < ($1.position ?? .start) }
  }

  /// One line an error.
  public var description: String { errors.map(\.description).joined(separator: "\n") }
}

/// A value that has the right type but cannot be what the setting means; the reader adds file and place.
public struct ConfigValueError: Error, Hashable, Sendable {
  public var problem: String
  public var remedy: String?

  public init(_ problem: String, remedy: String? = nil) {
    self.problem = problem
    self.remedy = remedy
  }
}
