import ArgumentParser
import ConfigFile
import ControlMessages
import DeviceConfiguration
import Signalling
import SystemSupport

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
      let value = try resolvedValue(kind)
      let (setting, text) = try SettingEdit.edited(file: path, key, to: value, in: kind.sections) {
        text throws(ConfigErrors) in try kind.check(text, path)
      }
      try ConfiguredFile.write(text, to: path)
      let instance = DeviceInstance(configurationPath: path)
      let effect =
        switch setting.section.effect(of: setting.setting) {
        case .reload: "a reload: livesessions reload\(instance.option)"
        case .restart: "a restart: systemctl restart \(instance.unit)"
        }
      Output.printLine("\(path): \(key) takes effect after \(effect)")
    } catch {
      throw Failure(error.description, code: Failure.configuration).reported()
    }
  }

  /// The value with the ids of users whom it names by titles, where the daemon can be asked for them.
  private func resolvedValue(_ kind: ConfiguredFile) throws(ConfigErrors) -> String {
    let assignment = "value = "
    guard let setting = try? SettingPath(key, in: kind.sections).setting,
      let document = try? ConfigDocument(text: assignment + value, file: key),
      let users = document.entries.first.map({ TitledUser.all(in: $0.node, of: setting) }), !users.isEmpty
    else { return value }
    let accounts: [TitledAccount]
    do {
      accounts = try ResolvedUsers.ask(users, connection)
    } catch {
      Output.printStyled("titles are not stored as ids: ", .caution, then: error.description)
      return value
    }
    let resolved = ResolvedUsers(users, accounts)
    for line in resolved.lines { Output.printLine("\(key): \(line)") }
    let text = try resolved.edit.applied(to: assignment + value, file: key, hasRemarks: false)
    return String(text.dropFirst(assignment.count).dropLast())
  }

  private var defaultFile: String {
    let isOfPolicy = (try? SettingPath(key, in: ConfiguredFile.policy.sections)) != nil
    return isOfPolicy ? connection.instance.policyPath : connection.instance.configurationPath
  }
}
