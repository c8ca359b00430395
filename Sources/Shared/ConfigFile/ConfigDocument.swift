/// A configuration file that is well-formed TOML, before its meaning is read.
public struct ConfigDocument: Sendable {
  /// The file's name as error texts show it.
  public let file: String
  /// The root table's entries in the order they were written.
  public let entries: [ConfigEntry]

  /// A configuration file larger than this is refused.
  public static let maximumBytes = 262_144

  /// Parses a text.
  ///
  /// - Throws: ``ConfigErrors`` with the first syntax error; TOML cannot be read on from there.
  public init(text: String, file: String) throws(ConfigErrors) {
    guard text.utf8.count <= Self.maximumBytes else {
      throw ConfigErrors([
        ConfigError(file: file, position: nil, problem: "the file is larger than \(Self.maximumBytes) bytes")
      ])
    }
    self.file = file
    self.entries = try parseTOML(text, file: file)
  }

  /// Reads and parses the file at `path`.
  public init(path: String) throws(ConfigErrors) {
    try self.init(text: try Self.text(path: path), file: path)
  }

  /// The text of the file at `path`.
  public static func text(path: String) throws(ConfigErrors) -> String {
    do throws(ConfigValueError) {
      let bytes = try BoundedFile.read(path: path, maximumBytes: maximumBytes)
      guard let text = String(validating: bytes, as: UTF8.self) else {
        throw ConfigValueError("the file is not UTF-8 text")
      }
      return text
    } catch {
      throw ConfigErrors([ConfigError(file: path, position: nil, problem: error.problem, remedy: error.remedy)])
    }
  }

  /// Reads the document's meaning, then refuses every key that `body` did not ask for.
  ///
  /// `body` sees defaults in place of wrong values, so that it can continue and find the other mistakes.
  ///
  /// - Throws: ``ConfigErrors`` with all the mistakes of the file.
  public func read<Value>(_ body: (ConfigTable) -> Value) throws(ConfigErrors) -> Value {
    let log = ConfigErrorLog(file: file)
    let root = ConfigTable(name: "", position: .start, entries: entries, log: log)
    let value = body(root)
    root.refuseUnreadKeys()
    guard log.errors.isEmpty else { throw ConfigErrors(log.errors) }
    return value
  }
}

/// Collects the mistakes of one file while it is read.
final class ConfigErrorLog {
  let file: String
  private(set) var errors: [ConfigError] = []

  init(file: String) { self.file = file }

  func add(_ problem: String, remedy: String?, at position: ConfigPosition) {
    errors.append(ConfigError(file: file, position: position, problem: problem, remedy: remedy))
  }
}
