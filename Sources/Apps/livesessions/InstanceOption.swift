import ArgumentParser
import SystemSupport

/// Which of a machine's daemons a command is about.
struct InstanceOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The daemon livesessionsd@NAME of a machine that has several, with its files in \(DeviceInstance.folder)/NAME.",
      valueName: "name"),
    completion: .custom { _, _, _ in DeviceInstance.configured().compactMap(\.name) }, transform: Self.parse)
  var instance: DeviceInstance?

  /// The one that is named, else the one without a name.
  var named: DeviceInstance { instance ?? .unnamed }

  private static func parse(_ name: String) throws -> DeviceInstance {
    guard let instance = DeviceInstance(name: name) else {
      throw ValidationError(
        "\"\(name)\" cannot be an instance: take 1 to 32 of a to z, 0 to 9, - and _, beginning with a letter or digit")
    }
    return instance
  }
}
