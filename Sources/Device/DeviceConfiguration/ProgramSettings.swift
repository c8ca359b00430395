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

/// `run` and `timeout` of an action or a rule about events.
struct ProgramKeys: SettingGroup {
  var command: [String]?
  var timeout = Duration.seconds(10)

  var program: ProgramSettings? { command.map { ProgramSettings(command: $0, timeout: timeout) } }

  static func settings(example: String, _ help: String) -> [Setting<ProgramKeys>] {
    [
      Setting("run", \.command, .command, example: example, help),
      Setting(
        "timeout", \.timeout, .duration(.seconds(1)...(.seconds(20))), "The program is ended after this time."),
    ]
  }
}

extension ConfigTable {
  /// A program's absolute path and its arguments.
  func command(_ key: String) -> [String]? {
    let arguments = values(key) { text throws(ConfigValueError) in
      guard !text.utf8.contains(0) else { throw ConfigValueError("\(key) holds a NUL") }
      return text
    }
    guard let arguments else { return nil }
    guard let path = arguments.first, path.hasPrefix("/"), arguments.count <= 64 else {
      addError(
        "\(key) must begin with the absolute path of a program",
        remedy: "write for example \(key) = [\"/usr/bin/prog\"]", at: key)
      return nil
    }
    return arguments
  }
}
