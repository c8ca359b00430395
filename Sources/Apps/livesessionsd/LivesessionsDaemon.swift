import ArgumentParser
import ControlMessages
import DeviceDiagnosis
import DeviceService
import FoundationEssentials
import Glibc
import SystemSupport
import SafeText

@main
struct LivesessionsDaemon: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "livesessionsd",
    abstract: "Lets this device take part in live video calls.",
    version: ProgramVersion.text)

  @Option(
    help: ArgumentHelp(
      "The configuration file. (default: \(DeviceInstance.unnamed.configurationPath))", valueName: "path"))
  var config: String?

  @Option(
    help: ArgumentHelp(
      "Of several daemons on a machine, the one with its files in /etc/livesessions/NAME.", valueName: "name"))
  var instance: String?

  @Option(help: "The policy file; by default policy.toml beside the configuration file.")
  var policy: String?

  @Option(help: ArgumentHelp("Only check what the device needs, for livesessions doctor.", visibility: .private))
  var diagnose: String?

  func validate() throws {
    guard let instance else { return }
    if config != nil { throw ValidationError("name --instance or --config, not both") }
    guard DeviceInstance(name: instance) != nil else {
      throw ValidationError(
        "\"\(instance)\" cannot be an instance: take 1 to 32 of a to z, 0 to 9, - and _, beginning with a letter or digit"
      )
    }
  }

  /// The configuration file: the one that is named, or that of the instance.
  private var configurationPath: String {
    config ?? (instance.flatMap { DeviceInstance(name: $0) } ?? .unnamed).configurationPath
  }

  func run() async throws {
    if let diagnose { return try await Self.diagnose(diagnose) }
    // A file that may become no larger is an error of the file (EFBIG), not the daemon's end.
    signal(SIGXFSZ, SIG_IGN)
    do {
      try await DeviceService(
        DeviceService.Options(
          configurationPath: configurationPath,
          policyPath: policy ?? Self.policyPath(beside: configurationPath),
          environment: Self.environment, version: Self.configuration.version)
      ).run()
    } catch let error as DeviceServiceError {
      "livesessionsd: \(error.description.escapingControlsInLines)\n".withCString {
        _ = write(STDERR_FILENO, $0, strlen($0))
      }
      throw ExitCode(error.exitStatus)
    }
  }

  /// - Parameter request: a ``DiagnosisRequest`` as JSON; the report goes to standard output in the same form.
  private static func diagnose(_ request: String) async throws {
    let request = try JSONDecoder().decode(DiagnosisRequest.self, from: Data(request.utf8))
    let report = try await Diagnosis(request).run()
    print(String(decoding: try JSONEncoder().encode(report), as: UTF8.self))
    guard fflush(nil) == 0 else { throw ExitCode.failure }
  }

  private static func policyPath(beside path: String) -> String {
    let folder = path.lastIndex(of: "/").map { path[...$0] } ?? ""
    return folder + "policy.toml"
  }

  private static var environment: [String: String] {
    let names = ["JOURNAL_STREAM", "CREDENTIALS_DIRECTORY", "LISTEN_FDS", "LISTEN_PID", "LISTEN_FDNAMES"]
    return names.reduce(into: [:]) { result, name in
      if let value = getenv(name) { result[name] = String(cString: value) }
    }
  }
}
