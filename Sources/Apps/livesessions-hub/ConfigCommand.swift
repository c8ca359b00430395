import ArgumentParser
import CommandSuggestions
import ConfigFile
import HubHTTP
import RedisClient
import SafeText
import SystemSupport

struct ConfigCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "config", abstract: "Checks, shows and changes the configuration file.",
    subcommands: [ConfigCheckCommand.self, ConfigShowCommand.self, ConfigSetCommand.self])
}

/// The file that a command is about.
struct ConfigurationFile: ParsableArguments {
  @Argument(help: "The file. (default: \(HubOptions.defaultConfig))", completion: .file(extensions: ["toml"]))
  var path: String?
  @Option(name: .shortAndLong, help: ArgumentHelp("The file, as without the option.", valueName: "path"))
  var config: String?

  func validate() throws {
    if path != nil, config != nil { throw ValidationError("name one file") }
  }

  var name: String { config ?? path ?? HubOptions.defaultConfig }
}

struct ConfigCheckCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check", abstract: "Prints the mistakes of the configuration file; exits with 78 if there are any.")

  @OptionGroup var named: ConfigurationFile

  private var file: String { named.name }

  func run() async throws {
    try await reportingFailures {
      try check()
      StandardOutput.printLine("\(file): good".escapingControls)
    }
  }

  private func check() throws {
    do {
      let configuration = try HubConfiguration(path: file)
      if let redis = configuration.redis { _ = try RedisConnectionSettings(redis) }
      try checkCertificate(of: configuration)
    } catch let error as ConfigErrors {
      throw Failure(error.description, exitCode: Failure.configuration)
    }
  }
}

extension ConfigCheckCommand {
  /// What no client could use is a mistake, the rest a warning.
  private func checkCertificate(of configuration: HubConfiguration) throws(Failure) {
    let now = currentTime() / 1_000
    let findings = configuration.tls?.findings(hosts: configuration.allowedHosts, now: now) ?? []
    let mistakes = findings.filter(\.isMistake)
    guard mistakes.isEmpty else {
      throw Failure(
        mistakes.map { "\(file): [tls]: \($0)" }.joined(separator: "\n"), exitCode: Failure.configuration)
    }
    for finding in findings { printError("livesessions-hub: \(file): warning: [tls]: \(finding)") }
  }
}

struct ConfigShowCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Prints the settings with the values that are in force, defaults among them.")

  @OptionGroup var named: ConfigurationFile
  @Flag(help: "Print only what differs from the defaults.") var changed = false

  func run() async throws {
    try await reportingFailures {
      let listing: SettingListing
      let file = named.name
      do throws(ConfigErrors) {
        let configuration = try HubConfiguration.Keys(path: file)
        listing = SettingListing(try ConfigDocument(path: file), HubConfiguration.descriptions) { section, setting in
          HubConfiguration.sections.first { $0.description.name == section.name }?.text(of: setting, in: configuration)
        }
      } catch {
        throw Failure(error.description, exitCode: Failure.configuration)
      }
      for line in listing.text(changed: changed).split(separator: "\n", omittingEmptySubsequences: false) {
        StandardOutput.printLine(line.escapingControls)
      }
    }
  }
}

struct ConfigSetCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "set", abstract: "Changes a setting in the configuration file, of which all else stays as it is.",
    discussion: """
      The whole file is checked before it is written; a mistake leaves it as it was, and exits with 78. Text needs no \
      quotes of TOML.
      """)

  @Argument(help: "The setting, such as listen or connections.total.") var key: String
  @Argument(help: "The value, such as 1h.") var value: String
  @Option(
    name: [.customShort("c"), .customLong("config"), .customShort("f"), .customLong("file")], help: "The file.")
  var file = HubOptions.defaultConfig

  func run() async throws {
    try await reportingFailures {
      do {
        let text = try SettingEdit.edited(file: file, key, to: value, in: HubConfiguration.descriptions) {
          text throws(ConfigErrors) in _ = try HubConfiguration.Keys(text: text, file: file)
        }.text
        try SystemSupport.PrivateFile.rewrite(file, with: Array(text.utf8))
      } catch let error as ConfigErrors {
        throw Failure(error.description, exitCode: Failure.configuration)
      } catch let error as SystemSupport.SystemCallError {
        throw Failure("\(file): cannot write the file: \(error)", exitCode: Failure.general)
      }
      StandardOutput.printLine("\(file): \(key) takes effect after a restart".escapingControls)
    }
  }
}
