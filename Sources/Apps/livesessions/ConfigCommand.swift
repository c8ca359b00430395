import ArgumentParser
import CallPolicy
import ConfigFile
import DeviceConfiguration

struct ConfigCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "config", abstract: "Checks configuration files.", subcommands: [ConfigCheck.self])
}

struct ConfigCheck: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check", abstract: "Prints the mistakes of configuration files; exits with 78 if there are any.",
    discussion: """
      A file whose name contains "policy" is read as policy.toml, any other as device.toml. The hub's file is for \
      livesessions-hub config check.
      """)

  @Argument(help: "The files; those in /etc/livesessions without any.")
  var files: [String] = [DeviceConfiguration.defaultPath, PolicyFile.defaultPath]

  func validate() throws {
    if let file = files.first(where: { Self.name(of: $0) == "hub.toml" }) {
      throw ValidationError("\(file) is the hub's; check it with: livesessions-hub config check")
    }
  }

  func run() throws {
    var hasMistakes = false
    for file in files {
      do {
        let notes = try check(file)
        Output.printLine("\(file): good")
        for note in notes { Output.printLine("\(file): note: \(note)") }
      } catch {
        hasMistakes = true
        for mistake in error.errors { Output.printLine(mistake.description) }
      }
    }
    if hasMistakes { throw ExitCode(Failure.configuration) }
  }

  private static func name(of path: String) -> Substring { path.split(separator: "/").last ?? "" }

  /// What is worth knowing about a file without mistakes.
  private func check(_ path: String) throws(ConfigErrors) -> [String] {
    if Self.name(of: path).contains("policy") {
      return try PolicyFile.read(path: path).rules.flatMap(\.caveats)
    }
    let configuration = try DeviceConfiguration(path: path)
    _ = try configuration.hub.enrolmentKey(credentialsDirectory: nil)
    return []
  }
}
