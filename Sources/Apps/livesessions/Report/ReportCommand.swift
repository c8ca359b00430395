import ArgumentParser
import CallPolicy
import CommandSuggestions
import ConfigFile
import ControlMessages
import DeviceConfiguration
import FoundationEssentials
import Glibc
import RealtimeRuntime
import SafeText
import SystemSupport

struct ReportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "report", abstract: "Writes a file for those who help: what the device is, does and has logged.",
    discussion: """
      Versions, doctor, status, figures, configuration and the service's journal as a tar.gz that only you can read. \
      Secrets, names of people and places, addresses, positions and comments of files are left out: of texts only words \
      stay that this program knows. Look through it before you send it. Best run as root.
      """)

  @OptionGroup var connection: ConnectionOptions
  @OptionGroup var file: ConfigurationOption
  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("Where to write it. (default: a file named by the time, in this folder)", valueName: "file"))
  var output: String?
  @Option(
    help: ArgumentHelp("How far the journal goes back. (default: 1d)", valueName: "span"),
    transform: SpanExpression.parse)
  var since: SpanExpression?

  func run() throws {
    let name = "livesessions-report-\(TimeText.local(Int64(time(nil)), "%Y%m%dT%H%M%S"))"
    let path = output ?? "\(name).tar.gz"
    var sources = ReportSources(
      connection: connection, configurationPath: file.path(connection.instance),
      journalSpan: since?.duration ?? .seconds(86_400))
    var archive = TarArchive()
    for (file, text) in try sources.files() {
      archive.add("\(name)/\(file)", Array(text.utf8), modified: Int64(time(nil)))
    }
    archive.finish()
    do {
      try Gzip.write(archive.bytes, to: path)
    } catch {
      throw Failure("\(path): \(error)").reported()
    }
    Output.printLine(path)
  }
}

/// What goes into a report.
struct ReportSources {
  /// Of one file; the end of a longer text is left out, of the journal its beginning.
  private static let maxBytes = 1_048_576
  private static let journalLines = 10_000
  private static let journalLimit = Duration.seconds(30)

  let connection: ConnectionOptions
  let configurationPath: String
  let journalSpan: Duration

  /// Names and texts.
  mutating func files() throws -> [(String, String)] {
    var client = try? ControlClient(path: connection.path)
    let status = try? client?.call(.status).status
    let figures = try? client?.call(.getTelemetry).telemetry
    let users = (try? client?.call(.users).users) ?? []
    let diagnosis = try? doctor()
    var redactor = redactor(status, users)
    var files = [
      ("README.txt", Self.readme), ("versions.json", redactor.json(ReportVersions(daemon: status?.version))),
    ]
    files.append(("doctor.json", diagnosis.map { redactor.json($0) } ?? "cannot be had\n"))
    files.append(("status.json", status.map { redactor.json($0) } ?? "the daemon does not answer\n"))
    files.append(("stats.json", figures.map { redactor.json($0) } ?? "the daemon does not answer\n"))
    files.append(("device.toml", settings(configurationPath, &redactor)))
    files.append(("policy.toml", settings(policyPath, &redactor)))
    files = files.map { ($0.0, $0.1.bounded(Self.maxBytes)) }
    return files + [("journal.txt", redactor.redacted(journal()).end(Self.maxBytes))]
  }

  private var policyPath: String { ConfiguredFile.policyPath(beside: configurationPath) }

  private func doctor() throws -> DiagnosisReport {
    let request = DiagnosisRequest(
      configurationPath: configurationPath, policyPath: policyPath, socket: connection.namedPath)
    let text = String(decoding: try JSONEncoder().encode(request), as: UTF8.self)
    return try JSONDecoder().decode(
      DiagnosisReport.self, from: Data(try DaemonProgram.output(["--diagnose", text]).utf8))
  }

  private func redactor(_ status: DeviceStatus?, _ users: [OnlineUser]) -> Redactor {
    let words = ProgramWords.read("/proc/self/exe").union((try? DaemonProgram.path()).map(ProgramWords.read) ?? [])
    var secrets = ReportSecrets()
    secrets.addMachine()
    secrets.addNames(of: status, users)
    for path in [configurationPath, policyPath] {
      if let document = try? ConfigDocument(path: path) { secrets.addTexts(of: document.entries, words) }
    }
    secrets.addSecrets(
      of: try? DeviceConfiguration(path: configurationPath), try? PolicyFile.read(path: policyPath),
      connection.instance)
    return Redactor(vocabulary: words, known: secrets.texts)
  }

  /// A file with mistakes is shown as far as it is TOML.
  private func settings(_ path: String, _ redactor: inout Redactor) -> String {
    let secretKeys = ConfiguredFile(path: path).sections.flatMap(\.settings).filter(\.isSecret).map(\.name)
    do throws(ConfigErrors) {
      return redactor.settings(try ConfigDocument(path: path), secretKeys: Set(secretKeys))
    } catch {
      return redactor.redacted(error.description) + "\n"
    }
  }

  private func journal() -> String {
    let command = [
      "/usr/bin/env", "journalctl", "--unit", "\(connection.instance.unit).service", "--no-pager", "--no-hostname",
      "--output=short-iso", "--lines=\(Self.journalLines)",
      "--since=@\(Int64(time(nil)) - max(0, journalSpan.components.seconds))",
    ]
    let process = ChildProcess(command: command, environment: nil, timeout: Self.journalLimit)
    do {
      let (outcome, output) = try process.output(.init(), maximumBytes: 16 * Self.maxBytes)
      let text = output.text.end(Self.maxBytes)
      return outcome.failure.map { "\(text)\n\($0)\n" } ?? text
    } catch {
      return "\(error)\n"
    }
  }

  private static let readme = """
    A report of livesessions for those who help. <1>, <2> … stand for what was left out: secrets, names, addresses, positions,
    and every word that the program does not know. The same number stands for the same text throughout.

    versions.json  programs, kernel, machine
    doctor.json    livesessions doctor
    status.json    livesessions status
    stats.json     livesessions stats
    device.toml, policy.toml  what the files set, without comments
    journal.txt    the service's journal

    """
}

/// What runs on what; its keys are an interface to other programs.
private struct ReportVersions: Encodable {
  var program = ProgramVersion.text
  var daemon: String?
  var kernel = ""
  var machine = ""
  var system: String?
  var processors = sysconf(Int32(_SC_NPROCESSORS_ONLN))
  /// Bytes.
  var memory = Int64(sysconf(Int32(_SC_PHYS_PAGES))) * Int64(sysconf(Int32(_SC_PAGESIZE)))

  init(daemon: String?) {
    self.daemon = daemon
    var name = utsname()
    if uname(&name) == 0 {
      kernel = withUnsafeBytes(of: &name.release) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      machine = withUnsafeBytes(of: &name.machine) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
    let release = try? PrivateFile.read("/etc/os-release", limit: 4_096)
    let lines = String(decoding: release?.octets ?? [], as: UTF8.self).split(separator: "\n")
    let id = lines.filter { $0.hasPrefix("ID=") || $0.hasPrefix("VERSION_ID=") }
    system = id.isEmpty ? nil : id.joined(separator: " ")
  }
}

extension String {
  /// At most so many bytes.
  fileprivate func bounded(_ maximum: Int) -> String {
    utf8.count <= maximum ? self : String(decoding: utf8.prefix(maximum), as: UTF8.self) + "\n(more was left out)\n"
  }

  /// The last whole lines, of at most so many bytes.
  fileprivate func end(_ maximum: Int) -> String {
    guard utf8.count > maximum else { return self }
    let rest = Substring(utf8.suffix(maximum))
    return String(rest[(rest.firstIndex(where: \.isNewline) ?? rest.startIndex)...].drop(while: \.isNewline))
  }
}

/// gzip, which every Debian system has.
private enum Gzip {
  private static let limit = Duration.seconds(60)

  /// Writes the compressed bytes to a new file of mode 0600, which appears whole or not at all.
  static func write(_ bytes: [UInt8], to path: String) throws {
    let (plain, compressed) = ("\(path).\(getpid()).tar", "\(path).\(getpid()).new")
    let input = try create(plain)
    unlink(plain)
    defer { close(input) }
    try PrivateFile.write(bytes, to: input)
    lseek(input, 0, SEEK_SET)
    let output = try create(compressed)
    defer {
      close(output)
      unlink(compressed)
    }
    let process = ChildProcess(command: ["/usr/bin/env", "gzip", "-nc"], environment: nil, timeout: limit)
    let outcome = try process.run(.init(input: input, output: output, error: STDERR_FILENO))
    if let failure = outcome.failure { throw Problem(description: "gzip: \(failure)") }
    guard rename(compressed, path) == 0 else { throw SystemCallError(call: "rename", errno: errno) }
  }

  private static func create(_ path: String) throws(SystemCallError) -> CInt {
    let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw SystemCallError(call: "open", errno: errno) }
    return descriptor
  }

  private struct Problem: Error, CustomStringConvertible {
    var description: String
  }
}
