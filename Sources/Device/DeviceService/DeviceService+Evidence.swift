import Archive
import ControlMessages
import DeviceConfiguration
import EngineControl
import EvidenceService
import HubClient
import Logging
import MediaPlaneAPI
import RealtimeRuntime

/// The evidence of recordings, as far as it can be had.
struct RecordingEvidence: ProblemReporting {
  /// The key with which archives are signed; nil without evidence, and where the key cannot be had: recording continues
  /// then.
  var identity: EvidenceIdentity?
  /// Gets certificate and time stamps from others; nil without a key.
  var service: EvidenceService?
  /// Why there is no key.
  var keyProblem: ProblemStatus?

  var problem: ProblemStatus? {
    get async { if let keyProblem { keyProblem } else { await service?.problem } }
  }
}

extension DeviceService {
  /// Evidence without what others do for it.
  func loadEvidence() -> RecordingEvidence {
    guard configuration.evidence.isEnabled else { return RecordingEvidence() }
    let credential = options.credentialsDirectory.map { "\($0)/\(EvidenceSettings.credentialName)" }
    do {
      let directory = configuration.identity.stateDirectory
      let identity = try EvidenceIdentity(stateDirectory: directory, credential: credential)
      identity.faults.forEach { stateFaults.note($0) }
      return RecordingEvidence(identity: identity)
    } catch {
      let text = "recordings get no evidence: \(error); then restart the daemon"
      logger.error("\(text)")
      return RecordingEvidence(keyProblem: ProblemStatus(part: .evidence, text: text, since: wallClockMilliseconds()))
    }
  }

  /// What gets certificate and time stamps from others.
  func makeEvidenceService(_ identity: EvidenceIdentity?, _ store: ArchiveStore, _ hub: HubClient) -> EvidenceService? {
    guard let identity else { return nil }
    return EvidenceService(
      identity, store: store,
      authority: configuration.evidence.timestampAuthority.flatMap { TimeStampClient(url: $0, route: route) },
      logger: logger, now: { ClockTrust.isSynchronized ? wallClockMilliseconds() : nil },
      certify: { key, sign in try await hub.certifyKey(key, sign: sign) })
  }
}
