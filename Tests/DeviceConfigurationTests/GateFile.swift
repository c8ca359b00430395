import ConfigFile
import DeviceConfiguration

/// A device's file whose first four lines are in order; what a test is about follows them.
enum GateFile {
  static func read(_ text: String) throws(ConfigErrors) -> DeviceConfiguration {
    try DeviceConfiguration(
      text: "[device]\ntitle = \"Gate\"\n[hub]\nurl = \"http://127.0.0.1:1\"\n" + text, file: "device.toml")
  }

  /// What is said about it; empty where nothing is.
  static func complaint(_ text: String) -> String {
    do throws(ConfigErrors) {
      _ = try read(text)
      return ""
    } catch {
      return "\(error)"
    }
  }
}
