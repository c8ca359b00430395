import Archive
import ControlMessages
import DeviceConfiguration
import EvidenceService
import Glibc
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
    let credential = options.environment["CREDENTIALS_DIRECTORY"].map { "\($0)/\(EvidenceSettings.credentialName)" }
    do {
      let directory = configuration.identity.stateDirectory
      let identity = try EvidenceIdentity(stateDirectory: directory, credential: credential)
      identity.faults.forEach { stateFaults.note($0) }
      return RecordingEvidence(identity: identity)
    } catch {
      let text = "recordings get no evidence: \(error); then restart the daemon"
      logger.error("\(text)")
      return RecordingEvidence(keyProblem: ProblemStatus(part: .evidence, text: text, since: Self.milliseconds))
    }
  }

  /// What gets certificate and time stamps from others.
  func makeEvidenceService(_ identity: EvidenceIdentity?, _ store: ArchiveStore, _ hub: HubClient) -> EvidenceService? {
    guard let identity else { return nil }
    return EvidenceService(
      identity, store: store, authority: configuration.evidence.timestampAuthority.flatMap { TimeStampClient(url: $0) },
      logger: logger, now: { ClockTrust.isSynchronized ? Self.milliseconds : nil },
      certify: { key, sign in try await hub.certifyKey(key, sign: sign) })
  }

  /// Since 1970.
  static var milliseconds: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
  }
}
