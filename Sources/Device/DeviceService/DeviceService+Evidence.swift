import Archive
import DeviceConfiguration
import EvidenceService
import Glibc
import HubClient
import Logging
import RealtimeRuntime

extension DeviceService {
  /// The key with which archives are signed; nil without evidence, and where the key cannot be had: recording goes on then.
  func loadEvidenceIdentity() -> EvidenceIdentity? {
    guard configuration.evidence.isEnabled else { return nil }
    let credential = options.environment["CREDENTIALS_DIRECTORY"].map { "\($0)/\(EvidenceSettings.credentialName)" }
    do {
      return try EvidenceIdentity(stateDirectory: configuration.identity.stateDirectory, credential: credential)
    } catch {
      logger.error("recordings get no evidence: \(error)")
      return nil
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
  private static var milliseconds: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
  }
}
