import ControlMessages
import DeviceConfiguration
import MediaCore
import RealtimeRuntime

/// Decides whether this device does its job, for what keeps or rolls back an update: camera, sound, disk, calls and hub.
///
/// Stricter than ``Diagnosis`` where a device has to have what it is set up for (`auto` has to find a camera), and milder
/// where an update is not at fault (a network that is absent). What fails is tried again until the limit, since cameras
/// and networks take their time after a boot.
struct Gate {
  /// Between two attempts.
  private static let pause = TimeSpan.seconds(2)
  /// So long an absent hub is waited for; the rest of the device need not wait.
  private static let hubPatience = TimeSpan.seconds(20)

  let limit: TimeSpan
  /// What the files and the daemon say at the moment; findings where the files have mistakes.
  let makeSubject: () -> (Subject?, [Finding])

  func report() -> DiagnosisReport {
    let began = MonotonicClock.now()
    while true {
      let round = GateRound(findings: findings())
      let elapsed = MonotonicClock.now() - began
      let waitsForHub = round.isHubAbsent && elapsed < min(limit, Self.hubPatience)
      guard elapsed + Self.pause < limit, !round.passes || waitsForHub else { return round.report }
      MonotonicClock.sleep(until: MonotonicClock.now() + Self.pause)
    }
  }

  private func findings() -> [Finding] {
    let (subject, mistakes) = makeSubject()
    guard let subject else { return mistakes }
    let gate = GateChecks(subject: subject)
    let daemon = gate.daemon()
    // Without the daemon nothing can be known of the rest.
    guard daemon.verdict != .failure else { return mistakes + [daemon] }
    return mistakes + [daemon]
      + Check.run([
        Check(.camera, limit: .seconds(45)) { gate.cameras() },
        Check(.microphone) { gate.microphone() },
        Check(.speaker) { gate.speaker() },
        Check(.state) { StateCheck(subject: subject).findings() },
        Check(.archives) { ArchiveCheck(subject: subject).findings() },
        Check(.hub, limit: .seconds(15)) { gate.hub() },
      ])
  }
}

/// What one attempt has found.
private struct GateRound {
  private let findings: [Finding]

  init(findings: [Finding]) { self.findings = findings.filter { $0.gatePart != nil } }

  var passes: Bool { !findings.contains { $0.verdict == .failure } }
  var isHubAbsent: Bool { findings.contains { $0.part == .hub && $0.verdict == .warning } }

  var report: DiagnosisReport {
    DiagnosisReport(findings: findings, gate: GateReport(passes: passes, line: line))
  }

  private var line: String {
    let failures = findings.filter { $0.verdict == .failure }
    guard failures.isEmpty else { return "fails: " + failures.map(Self.text).joined(separator: "; ") }
    let doubts = findings.filter { $0.verdict == .warning }.map(Self.text)
    let parts = GatePart.allCases.map(\.rawValue).joined(separator: ", ")
    return "passes: \(parts)" + (doubts.isEmpty ? "" : "; no failure: " + doubts.joined(separator: "; "))
  }

  private static func text(_ finding: Finding) -> String {
    "\(finding.gatePart?.rawValue ?? ""): \(finding.text)" + (finding.remedy.map { " (\($0))" } ?? "")
  }
}

/// What the gate names.
private enum GatePart: String, CaseIterable {
  case camera, audio, disk, calls, hub
}

extension Finding {
  /// Nil for what no update is judged by.
  fileprivate var gatePart: GatePart? {
    switch part {
    case .camera: .camera
    case .microphone, .speaker: .audio
    case .archives, .state: .disk
    case .daemon, .configuration, .policy: .calls
    case .hub: .hub
    case .permissions, .clock, .echo, .position, .network, .buttons, .actions, .http, .upload, .publish, .mqtt, .speed,
      .eventSources, .eventRules:
      nil
    }
  }
}
