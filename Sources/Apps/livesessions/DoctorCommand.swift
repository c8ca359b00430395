import ArgumentParser
import ControlMessages
import FoundationEssentials
import SystemSupport

struct DoctorCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Checks all that the device needs, and says what to do; exits with 1 if something does not work.",
    discussion: """
      Cameras, sound cards, disk, clock, gpsd, hub, network, permissions, configuration, buttons and actions. A daemon that \
      runs is asked; else the devices are inspected directly, for moments. Nothing is changed. Best run as root, since what \
      you may not open counts as what does not work.

      With --gate the status says whether an update may stay, and one line why: camera, audio, disk, calls, hub. What a \
      device is set up for has to be there ("auto" has to find a camera); a hub that cannot be reached is no failure. \
      What fails is tried again for --within.

      With --speed none of this is checked, but some seconds are spent on encoding, decoding and converting frames that move: \
      what this machine takes for them, and the largest frames that it can encode in time.
      """)

  @OptionGroup var connection: ConnectionOptions
  @OptionGroup var file: ConfigurationOption
  @Option(
    help: ArgumentHelp("The policy. (default: \(DeviceInstance.unnamed.policyPath))", valueName: "path"))
  var policy: String?
  @Option(
    help: ArgumentHelp(
      "Whom the daemon runs as. (default: livesessions if there is such a user, else you)", valueName: "name"))
  var user: String?
  @Flag(help: "Measure how large frames this machine can encode, for some seconds.") var speed = false
  @Flag(help: "Say in one line whether an update may stay; exits with 1 if not.") var gate = false
  @Option(
    help: ArgumentHelp("With --gate: how long what fails is tried again. (default: 60s)", valueName: "span"),
    transform: SpanExpression.parse)
  var within: SpanExpression?
  @Flag(help: "Print JSON.") var json = false

  func validate() throws {
    if gate, speed { throw ValidationError("name --gate or --speed, not both") }
    if within != nil, !gate { throw ValidationError("--within belongs to --gate") }
  }

  private var scope: DiagnosisRequest.Scope {
    if speed { return .speed }
    return gate ? .gate(limit: (within?.duration ?? .seconds(60)).components.seconds) : .everything
  }

  func run() throws {
    let report = try ask()
    if json { try Output.printJSON(report) } else { show(report) }
    if !report.isGood { throw ExitCode(Failure.general) }
  }

  /// The daemon's program has all that it takes; this one stays small.
  private func ask() throws -> DiagnosisReport {
    let request = DiagnosisRequest(
      configurationPath: file.path(connection.instance), policyPath: policy ?? connection.instance.policyPath,
      socket: connection.namedPath, user: user,
      scope: scope)
    let text = String(decoding: try JSONEncoder().encode(request), as: UTF8.self)
    do {
      let output = try DaemonProgram.output(["--diagnose", text])
      return try JSONDecoder().decode(DiagnosisReport.self, from: Data(output.utf8))
    } catch let failure as DaemonProgram.Failure {
      throw Failure(failure.text).reported()
    }
  }

  private func show(_ report: DiagnosisReport) {
    guard let gate = report.gate else { return show(report.findings) }
    Output.printStyled(gate.line, gate.passes ? .good : .alarm)
  }

  private func show(_ findings: [Finding]) {
    let width = Finding.Part.allCases.map(\.rawValue.count).max() ?? 0
    for finding in findings {
      let part = finding.part.rawValue
      let padding = String(repeating: " ", count: width - part.count)
      Output.printStyled(finding.verdict.label, finding.verdict.style, then: "  \(part)\(padding)  \(finding.text)")
      if let remedy = finding.remedy {
        Output.printLine(String(repeating: " ", count: width + 11) + "-> \(remedy)")
      }
    }
    let counts = [Finding.Verdict.failure, .warning].map { verdict in
      let count = findings.count { $0.verdict == verdict }
      return "\(count) \(verdict.rawValue)\(count == 1 ? "" : "s")"
    }
    Output.printLine(counts.joined(separator: ", "))
  }
}

extension Finding.Verdict {
  /// Padded to equal length for aligned columns.
  fileprivate var label: String {
    switch self {
    case .ok: "ok     "
    case .warning: "warning"
    case .failure: "failure"
    }
  }

  fileprivate var style: TerminalStyle {
    switch self {
    case .ok: .good
    case .warning: .caution
    case .failure: .alarm
    }
  }
}
