import CallPolicy
import ConfigFile
public import ControlMessages
import DeviceConfiguration
import Glibc
import MediaCore
import MediaPipeline
import SystemSupport

/// Checks everything that a device needs: with the daemon where it runs, by itself where it does not. Changes nothing.
public struct Diagnosis: Sendable {
  private let request: DiagnosisRequest

  private var instance: DeviceInstance { DeviceInstance(configurationPath: request.configurationPath) }

  public init(_ request: DiagnosisRequest) { self.request = request }

  /// Takes some seconds at most, on a thread of its own: one that tasks share would wait for tasks that need it, where a
  /// machine has one processor.
  public func run() async throws -> DiagnosisReport {
    try await withCheckedThrowingContinuation { continuation in
      do {
        try MediaThread(name: "diagnosis") { continuation.resume(returning: report()) }.detach()
      } catch {
        continuation.resume(throwing: error)
      }
    }
  }

  private func report() -> DiagnosisReport {
    switch request.scope {
    case .everything: DiagnosisReport(findings: findings())
    case .speed: speedReport()
    case .gate(let limit): Gate(limit: .seconds(max(0, min(limit, 3_600))), makeSubject: makeSubject).report()
    }
  }

  private func speedReport() -> DiagnosisReport {
    let configuration = readConfiguration().0
    let daemon = daemon(configuration)
    guard let measurement = SpeedMeasurement.run() else {
      let remedy = "see whether libvpx, libopus and libjpeg-turbo are those of the package"
      return DiagnosisReport(findings: [Finding(.speed, .failure, "a codec does not start", remedy: remedy)])
    }
    return SpeedCheck(measurement: measurement, configuration: configuration, isDaemonThere: daemon.isThere).report
  }

  private func daemon(_ configuration: DeviceConfiguration?) -> DaemonState {
    DaemonState(socket: request.socket ?? configuration?.control.socket ?? instance.socket)
  }

  /// What the checks know, as far as the files can be read, and what is found of the files.
  private func makeSubject() -> (Subject?, [Finding]) {
    let (configuration, mistakes) = readConfiguration()
    let (policy, policyFindings) = readPolicy(configuration)
    let unit = ServiceUnit(of: instance)
    guard let account = account(unit) else {
      return (nil, [Finding(.permissions, .failure, "there is no user \(request.user ?? "")", remedy: "see --user")])
    }
    let daemon = daemon(configuration)
    let subject = configuration.map {
      Subject(configuration: $0, policy: policy, instance: instance, account: account, unit: unit, daemon: daemon)
    }
    return (subject, mistakes + policyFindings)
  }

  private func findings() -> [Finding] {
    let (subject, mistakes) = makeSubject()
    guard let subject else { return [daemonFinding(daemon(nil))] + mistakes }
    let first = [daemonFinding(subject.daemon)] + rightsNote(subject.account) + mistakes
    let files = FilePermissions(subject: subject, configurationPaths: [request.configurationPath, request.policyPath])
    return first + Check.run([Check(.permissions) { files.findings() }] + Self.checks(subject))
  }

  private static func checks(_ subject: Subject) -> [Check] {
    [
      Check(.daemon) { InstanceCheck(subject: subject).findings() },
      Check(.clock) { ClockCheck(subject: subject).findings() },
      Check(.camera) { CameraCheck(subject: subject).findings() },
      Check(.microphone) { SoundCheck(subject: subject).microphone() },
      Check(.speaker) { SoundCheck(subject: subject).speaker() },
      Check(.echo) { SoundCheck(subject: subject).echo() },
      Check(.state) { StateCheck(subject: subject).findings() },
      Check(.archives) { ArchiveCheck(subject: subject).findings() },
      Check(.position, limit: .seconds(8)) { PositionCheck(subject: subject).findings() },
      Check(.hub, limit: .seconds(15)) { HubCheck(subject: subject).findings() },
      Check(.network) { NetworkCheck(subject: subject).findings() },
      Check(.buttons) { ButtonCheck(subject: subject).findings() },
      Check(.actions) { ActionCheck(subject: subject).findings() },
      Check(.http) { HTTPCheck(subject: subject).findings() },
      Check(.eventSources) { EventSourceCheck(subject: subject).findings() },
      Check(.eventRules) { EventRuleCheck(subject: subject).findings() },
      Check(.mqtt, limit: .seconds(15)) { MQTTCheck(subject: subject).findings() },
      Check(.upload, limit: .seconds(15)) { UploadCheck(subject: subject).findings() },
      Check(.publish, limit: .seconds(15)) { PublishCheck(subject: subject).findings() },
    ]
  }
}

extension Diagnosis {
  private func readConfiguration() -> (DeviceConfiguration?, [Finding]) {
    let path = request.configurationPath
    do throws(ConfigErrors) {
      let configuration = try DeviceConfiguration(path: path)
      let titles = try Self.titles(.configuration, path, DeviceConfiguration.sections.map(\.description))
      return (configuration, [Finding(.configuration, .ok, "\(path) is good")] + titles)
    } catch {
      let rest = Finding(.configuration, .warning, "without it nothing else can be checked")
      return (nil, Self.findings(.configuration, error) + [rest])
    }
  }

  private func readPolicy(_ configuration: DeviceConfiguration?) -> (CallPolicy?, [Finding]) {
    let path = request.policyPath
    do throws(ConfigErrors) {
      let policy = try PolicyFile.read(path: path, cameras: configuration?.viewNames)
      let titles = try Self.titles(.policy, path, PolicyFile.sections.map(\.description))
      return (policy, [Finding(.policy, .ok, "\(path) is good")] + titles)
    } catch {
      return (nil, Self.findings(.policy, error))
    }
  }

  /// Users whom a file names by titles, which match no one.
  private static func titles(
    _ part: Finding.Part, _ path: String, _ sections: [SectionDescription]
  ) throws(ConfigErrors) -> [Finding] {
    TitledUser.all(in: try ConfigDocument(path: path), sections).map {
      Finding(
        part, .warning, "\(path):\($0.position.line): \($0.problem)", remedy: TitledUser.remedy)
    }
  }

  private static func findings(_ part: Finding.Part, _ errors: ConfigErrors) -> [Finding] {
    errors.errors.map { error in
      var bare = error
      bare.remedy = nil
      return Finding(part, .failure, bare.description, remedy: error.remedy)
    }
  }

  private func account(_ unit: ServiceUnit) -> ServiceAccount? {
    if let user = request.user { return ServiceAccount(name: user, others: unit.supplementaryGroups) }
    return ServiceAccount(name: ServiceAccount.usualName, others: unit.supplementaryGroups) ?? .current
  }

  private func daemonFinding(_ daemon: DaemonState) -> Finding {
    switch daemon {
    case .running(let status, _): Finding(.daemon, .ok, "runs, version \(status.version)")
    case .stopped:
      Finding(.daemon, .warning, "is not running", remedy: "start it with: systemctl start \(instance.unit)")
    case .silent(let reason): Finding(.daemon, .failure, reason)
    }
  }

  /// The caller may be forbidden what the daemon is permitted.
  private func rightsNote(_ account: ServiceAccount) -> [Finding] {
    guard geteuid() != 0, geteuid() != account.userID else { return [] }
    return [
      Finding(
        .permissions, .warning,
        "you are neither root nor \(account.name), so some of this may work for the daemon alone",
        remedy: "run: sudo livesessions doctor\(instance.option)")
    ]
  }
}
