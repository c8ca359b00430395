import ArgumentParser
import DeviceConfiguration

/// The device's configuration file, for every command that reads it.
struct ConfigurationOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The device's configuration. (default: \(DeviceConfiguration.defaultPath))", valueName: "path"))
  var config: String?

  /// The file that is named, else the service's.
  var path: String { config ?? DeviceConfiguration.defaultPath }
}
