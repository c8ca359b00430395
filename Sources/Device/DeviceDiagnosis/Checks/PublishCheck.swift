import CallEngine
import ConfigFile
import ControlMessages
import DeviceConfiguration
import EngineControl
import MediaCore
import TLSClient

/// Whether the servers of `[[publish]]` take what the device pushes.
struct PublishCheck {
  private static let limit = TimeSpan.seconds(12)

  let subject: Subject

  func findings() -> [Finding] {
    guard !subject.configuration.publications.isEmpty else { return [Finding(.publish, .ok, "none is configured")] }
    if let publications = subject.daemon.status?.publications { return publications.map { shown($0) } }
    return probed()
  }

  /// What the daemon says.
  private func shown(_ publication: PublicationStatus) -> Finding {
    let name = publication.name
    if let problem = publication.problem { return Finding(.publish, .failure, "\(name): \(problem)") }
    return Finding(.publish, .ok, "\(name): \(publication.state), \(publication.text) to \(publication.url)")
  }

  /// Asks the servers at once, as the daemon would.
  private func probed() -> [Finding] {
    let targets = subject.configuration.publishTargets(
      credentialsDirectory: nil, route: subject.route ?? .direct, readStoredToken: storedToken)
    let problems = Promise.value(
      of: {
        await withTaskGroup(of: (String, PublishFailure?).self) { group in
          for target in targets { group.addTask { (target.name, await PublishProbe.problem(target)) } }
          return await group.reduce(into: [String: PublishFailure?]()) { $0[$1.0] = $1.1 }
        }
      }, within: Self.limit)
    return targets.map { target in
      guard let problem = problems?[target.name] else {
        return Finding(.publish, .failure, "\(target.name): \(target.endpoint) does not answer")
      }
      guard let problem else { return Finding(.publish, .ok, "\(target.name): \(target.endpoint) answers") }
      return Finding(.publish, .failure, "\(target.name): \(problem.problem)", remedy: problem.remedy)
    }
  }

  /// From where systemd would take it.
  private var storedToken: @Sendable (PublishSettings) throws -> String? {
    { [subject] settings in
      let path = subject.credential(settings.credentialName)
      return SecretFile.exists(path: path) ? try PublishSettings.token(path: path) : nil
    }
  }
}
