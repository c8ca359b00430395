import ArgumentParser
import ConfigFile
import DeviceConfiguration
import SystemSupport

struct ConfigSet: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "set", abstract: "Changes a setting in a configuration file, of which all else stays as it is.",
    discussion: """
      The whole file is checked before it is written; a mistake leaves it as it was, and exits with 78. A table of an array \
      is named by its name: plan.yard.max_age, or rule."one call at a time".reason. Text needs no quotes of TOML; -- before \
      the setting lets a value begin with a dash.
      """)

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
      let (setting, text) = try SettingEdit.edited(file: path, key, to: value, in: kind.sections) {
        text throws(ConfigErrors) in
        switch kind {
        case .device: _ = try DeviceConfiguration(text: text, file: path)
        case .policy: _ = try PolicyFile.read(text: text, file: path)
        }
      }
      try write(text, to: path)
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

  private var defaultFile: String {
    let isOfPolicy = (try? SettingPath(key, in: ConfiguredFile.policy.sections)) != nil
    return isOfPolicy ? PolicyFile.defaultPath : DeviceConfiguration.defaultPath
  }

  private func write(_ text: String, to path: String) throws(ConfigErrors) {
    do {
      try PrivateFile.rewrite(path, with: Array(text.utf8))
    } catch {
      throw ConfigErrors([
        ConfigError(file: path, position: nil, problem: "cannot write the file: \(error)", remedy: "run it as root")
      ])
    }
  }
}
