import ArgumentParser
import CallPolicy
import ConfigFile
import DeviceConfiguration
import SystemSupport

struct ConfigCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "config", abstract: "Checks, shows and changes configuration files.",
    subcommands: [ConfigCheck.self, ConfigShow.self, ConfigSet.self, ConfigResolve.self])
}

struct ConfigCheck: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check", abstract: "Prints the mistakes of configuration files; exits with 78 if there are any.",
    discussion: """
      The tables of a file say whether it is read as policy.toml or as device.toml, and where they do not, whether its name \
      contains "policy". The hub's file is for livesessions-hub config check.
      """)

  @OptionGroup var instance: InstanceOption
  @OptionGroup var named: ConfigurationFiles
  @Flag(help: "Print JSON.") var json = false

  private var files: [String] { named.files(of: instance.named) }

  func validate() throws {
    if let file = files.first(where: { Self.name(of: $0) == "hub.toml" }) {
      throw ValidationError("\(file) is the hub's; check it with: livesessions-hub config check")
    }
  }

  func run() throws {
    let reports = files.map { report($0) }
    if json { try Output.printJSON(reports) } else { reports.forEach { $0.show() } }
    if !reports.allSatisfy(\.isGood) { throw ExitCode(Failure.configuration) }
  }

  private func report(_ file: String) -> FileReport {
    do {
      return FileReport(file: file, notes: try check(file))
    } catch {
      return FileReport(file: file, notes: [], mistakes: error.errors.map(FileReport.Mistake.init))
    }
  }

  /// What policies can name, where the device's file is among the files and has no mistakes.
  private var cameras: [String]? {
    let file = files.first { ConfiguredFile(path: $0) == .device }
    return file.flatMap { try? DeviceConfiguration(path: $0) }?.viewNames
  }

  private static func name(of path: String) -> Substring { path.split(separator: "/").last ?? "" }

  /// Notes on a valid file.
  private func check(_ path: String) throws(ConfigErrors) -> [String] {
    let kind = ConfiguredFile(path: path)
    let titles = TitledUser.all(in: try ConfigDocument(path: path), kind.sections).map {
      "line \($0.position.line): \($0.problem); \(TitledUser.remedy)"
    }
    switch kind {
    case .policy: return try PolicyFile.read(path: path, cameras: cameras).rules.flatMap(\.caveats) + titles
    case .device:
      let configuration = try DeviceConfiguration(path: path)
      _ = try configuration.hub.enrolmentKey(credentialsDirectory: nil)
      return titles
    }
  }
}

/// The files that a command is about.
struct ConfigurationFiles: ParsableArguments {
  @Argument(
    help: "The files; without any those in \(DeviceInstance.folder), or of the instance.",
    completion: .file(extensions: ["toml"]))
  var paths: [String] = []
  @Option(name: .customLong("config"), help: ArgumentHelp("A file, as without the option.", valueName: "path"))
  var config: String?

  func files(of instance: DeviceInstance) -> [String] {
    let named = [config].compactMap(\.self) + paths
    return named.isEmpty ? [instance.configurationPath, instance.policyPath] : named
  }
}

/// What `livesessions config check` says of one file; its keys are an interface to other programs.
private struct FileReport: Encodable {
  struct Mistake: Encodable {
    /// The mistake's line, counted from 1; absent where the file cannot be read at all.
    var line: Int?
    var column: Int?
    var problem: String
    var remedy: String?
    /// The same in one line, as it is shown.
    var text: String

    init(_ error: ConfigError) {
      line = error.position?.line
      column = error.position?.column
      problem = error.problem
      remedy = error.remedy
      text = error.description
    }
  }

  var file: String
  var isGood: Bool { mistakes.isEmpty }
  /// Notes on a valid file.
  var notes: [String]
  var mistakes: [Mistake] = []

  func show() {
    for mistake in mistakes { Output.printStyled(mistake.text, .alarm) }
    if isGood { Output.printStyled("\(file): good", .good) }
    for note in notes { Output.printStyled("\(file): note: ", .caution, then: note) }
  }
}
