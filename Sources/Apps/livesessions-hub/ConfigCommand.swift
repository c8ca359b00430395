import ArgumentParser
import ConfigFile
import HubHTTP
import SafeText

struct ConfigCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "config", abstract: "Checks the configuration file.", subcommands: [ConfigCheckCommand.self])
}

struct ConfigCheckCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check", abstract: "Prints the mistakes of the configuration file; exits with 78 if there are any.")

  @Argument(help: "The file.")
  var file = HubOptions.defaultConfig

  func run() async throws {
    try await reportingFailures {
      try check()
      print("\(file): good".escapingControls)
    }
  }

  private func check() throws(Failure) {
    do {
      _ = try HubConfiguration(path: file)
    } catch {
      throw Failure(error.description, exitCode: Failure.configuration)
    }
  }
}
