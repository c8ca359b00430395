import ArgumentParser
import ConfigFile
import ControlMessages
import DeviceConfiguration

struct ConfigSet: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "set", abstract: "Changes a setting in a configuration file, of which all else stays as it is.",
    discussion: """
      The whole file is checked before it is written; a mistake leaves it as it was, and exits with 78. A table of an array \
      is named by its name: plan.yard.max_age, or rule."one call at a time".reason. Text needs no quotes of TOML; -- before \
      the setting lets a value begin with a dash. Titles of users, as in '["user:Olga"]', are stored as ids.
      """)

  @OptionGroup var connection: ConnectionOptions

  @Argument(help: "The setting, such as video.width.") var key: String
  @Argument(help: "The value, such as 1280 or 30d.") var value: String
  @Option(
    name: [.short, .long, .customLong("config")],
    help: "The file. (default: device.toml or policy.toml in /etc/livesessions, as the setting says)")
  var file: String?

  func run() throws {
    let path = file ?? defaultFile
    let kind = ConfiguredFile(path: path)
    do throws(ConfigErrors) {
      // What is checked is the text with the ids.
      let (setting, edited) = try SettingEdit.edited(file: path, key, to: value, in: kind.sections) { _ in }
      let text = try resolved(edited, path, kind)
      try kind.check(text, path)
      try ConfiguredFile.write(text, to: path)
      let effect =
        switch setting.section.effect(of: setting.setting) {
        case .reload: "a reload: livesessions reload"
        case .restart: "a restart: systemctl restart livesessionsd"
        }
      Output.printLine("\(path): \(key) takes effect after \(effect)")
    } catch {
      throw Failure(error.description, code: Failure.configuration).reported()
    }
  }

  /// With the ids of users whom the value names by titles, where the daemon can be asked for them.
  private func resolved(_ text: String, _ path: String, _ kind: ConfiguredFile) throws(ConfigErrors) -> String {
    let users = try kind.titledUsers(in: text, path).filter { value.contains(TitledUser.prefix + $0.title) }
    guard !users.isEmpty else { return text }
    let accounts: [ResolvedTitle]
    do {
      accounts = try ResolvedUsers.ask(users, connection)
    } catch {
      accounts = []
      Output.printStyled("the daemon cannot find ids of titles: ", .caution, then: error.description)
    }
    let resolved = ResolvedUsers(users, accounts)
    for line in resolved.lines(file: path) { Output.printLine(line) }
    return try resolved.edit.applied(to: text, file: path, hasRemarks: false)
  }

  private var defaultFile: String {
    let isOfPolicy = (try? SettingPath(key, in: ConfiguredFile.policy.sections)) != nil
    return isOfPolicy ? PolicyFile.defaultPath : DeviceConfiguration.defaultPath
  }
}
