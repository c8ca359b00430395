import ArgumentParser
import SystemSupport

/// The device's configuration file, for every command that reads it.
struct ConfigurationOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The device's configuration. (default: \(DeviceInstance.unnamed.configurationPath))", valueName: "path"))
  var config: String?

  /// The file that is named, else that of an instance.
  func path(_ instance: DeviceInstance) -> String { config ?? instance.configurationPath }
}
