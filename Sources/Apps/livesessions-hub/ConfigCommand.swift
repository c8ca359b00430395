import ArgumentParser
import CommandSuggestions
import ConfigFile
import HubHTTP
import RedisClient
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
      StandardOutput.printLine("\(file): good".escapingControls)
    }
  }

  private func check() throws {
    do {
      if let redis = try HubConfiguration(path: file).redis { _ = try RedisConnectionSettings(redis) }
    } catch let error as ConfigErrors {
      throw Failure(error.description, exitCode: Failure.configuration)
    }
  }
}
