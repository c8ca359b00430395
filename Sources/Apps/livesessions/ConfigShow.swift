import ArgumentParser
import ConfigFile
import DeviceConfiguration

/// One of the device's two configuration files, identified by their tables; by their names where those decide nothing.
enum ConfiguredFile {
  case device
  case policy

  init(path: String) {
    let keys = (try? ConfigDocument(path: path))?.entries.map(\.key) ?? []
    let (device, policy) = (ConfiguredFile.device.keys, ConfiguredFile.policy.keys)
    let ofDevice = keys.count { device.contains($0) && !policy.contains($0) }
    let ofPolicy = keys.count { policy.contains($0) && !device.contains($0) }
    guard ofDevice == ofPolicy else {
      self = ofPolicy > ofDevice ? .policy : .device
      return
    }
    self = path.split(separator: "/").last?.contains("policy") == true ? .policy : .device
  }

  /// What may stand in the file outside of tables: their names, and keys of their own.
  private var keys: Set<String> {
    sections.reduce(into: []) { keys, section in
      switch section.kind {
      case .root: keys.formUnion(section.settings.map(\.name))
      case .table, .array: keys.insert(section.name)
      }
    }
  }

  /// The policy that belongs to a configuration file.
  static func policyPath(beside path: String) -> String {
    path.lastIndex(of: "/").map { path[...$0] + "policy.toml" } ?? "policy.toml"
  }

  var sections: [SectionDescription] {
    switch self {
    case .device: DeviceConfiguration.sections.map(\.description)
    case .policy: PolicyFile.sections.map(\.description)
    }
  }

  /// - Throws: all the mistakes of the file.
  func listing(of path: String) throws(ConfigErrors) -> SettingListing {
    let document = try ConfigDocument(path: path)
    switch self {
    case .device:
      let configuration = try DeviceConfiguration(path: path)
      return SettingListing(document, sections) { section, setting in
        DeviceConfiguration.sections.first { $0.description.name == section.name }?.text(of: setting, in: configuration)
      }
    case .policy:
      _ = try PolicyFile.read(path: path)
      return SettingListing(document, sections)
    }
  }
}

struct ConfigShow: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Prints the settings with the values that are in force, defaults among them.",
    discussion: """
      Files are identified as by livesessions config check. A running daemon has the values of its start where a setting \
      needs a restart.
      """)

  @OptionGroup var instance: InstanceOption
  @OptionGroup var named: ConfigurationFiles
  @Flag(help: "Print only what differs from the defaults.") var changed = false
  @Flag(help: "Print JSON.") var json = false

  func run() throws {
    let listings: [(file: String, listing: SettingListing)]
    do throws(ConfigErrors) {
      listings = try named.files(of: instance.named).map { file throws(ConfigErrors) in
        (file, try ConfiguredFile(path: file).listing(of: file))
      }
    } catch {
      throw Failure(error.description, code: Failure.configuration).reported()
    }
    if json {
      try Output.printJSON(
        listings.flatMap { file, listing in
          listing.entries.filter { !changed || $0.isChanged }.map { ShownSetting(file, $0) }
        })
      return
    }
    for (file, listing) in listings {
      Output.printLine("# \(file)")
      for line in listing.text(changed: changed).split(separator: "\n", omittingEmptySubsequences: false) {
        Output.printLine(String(line))
      }
    }
  }
}

/// A setting as `livesessions config show --json` prints it; its keys are an interface to other programs.
private struct ShownSetting: Encodable {
  var file: String
  /// Such as `[video]` or `[[plan]]`; empty for keys before the first table.
  var section: String
  /// Counts the tables of an array from 0; absent for others.
  var index: Int?
  var key: String
  /// In file syntax; absent for a setting that is not set and has no default.
  var value: String?
  var isChanged: Bool

  init(_ file: String, _ entry: SettingListing.Entry) {
    self.file = file
    section = entry.section
    index = entry.index
    key = entry.name
    value = entry.value
    isChanged = entry.isChanged
  }
}
