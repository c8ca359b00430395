import ConfigFile

/// A program that the daemon runs without a shell.
public struct ProgramSettings: Sendable, Hashable {
  /// Its absolute path and its arguments.
  public var command: [String]
  /// It is ended after this time.
  public var timeout: Duration

  public init(command: [String], timeout: Duration) {
    self.command = command
    self.timeout = timeout
  }
}

extension ProgramSettings {
  /// `run` and `timeout` of an action, 1 s to 20 s; nil without `run`, or with mistakes, which are logged.
  static func read(_ table: ConfigTable) -> ProgramSettings? {
    table.program("run", timeoutKey: "timeout", default: .seconds(10), in: .seconds(1)...(.seconds(20)))
  }
}

extension ConfigTable {
  /// A program; nil where the file names none, or has mistakes, which are logged.
  ///
  /// - Parameter timeoutKey: of its time limit.
  func program(
    _ key: String, timeoutKey: String, default fallback: Duration, in range: ClosedRange<Duration>
  ) -> ProgramSettings? {
    guard contains(key) else {
      _ = node(timeoutKey)
      return nil
    }
    let timeout = duration(timeoutKey, default: fallback, in: range)
    let words = values(key) { text throws(ConfigValueError) in
      guard !text.utf8.contains(0) else { throw ConfigValueError("\(key) holds a NUL") }
      return text
    }
    guard let words else { return nil }
    guard let path = words.first, path.hasPrefix("/"), words.count <= 64 else {
      addError(
        "\(key) must begin with the absolute path of a program",
        remedy: "write for example \(key) = [\"/usr/bin/prog\"]", at: key)
      return nil
    }
    return ProgramSettings(command: words, timeout: timeout)
  }
}
