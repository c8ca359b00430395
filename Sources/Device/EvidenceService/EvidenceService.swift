public import Archive
public import ControlMessages
import Dispatch
public import Logging
import MediaCore
import MediaPlaneAPI
import OpenSSLCrypto
public import Signalling
import TransportCrypto

/// Obtains external parts of evidence: the hub's certificate for the device's key, and time stamps.
///
/// Runs in the background. What fails is logged once, and retried later and after a restart.
public actor EvidenceService: ProblemReporting {
  /// Asks the hub to certify a key; signs with it to show that it is the device's own.
  public typealias Certifying =
    @Sendable (_ publicKey: [UInt8], _ sign: @Sendable ([UInt8]) throws -> [UInt8]) async throws
    -> DeviceCertificateResponse

  private let identity: EvidenceIdentity
  private let store: ArchiveStore
  private let authority: TimeStampClient?
  private let certify: Certifying
  private let now: @Sendable () -> Int64?
  private let logger: Logger
  /// By what fails.
  private var failures: [String: ProblemStatus] = [:]
  public private(set) var problem: ProblemStatus?
  private var pause = Backoff(initial: EvidenceService.shortest, maximum: EvidenceService.longest)
  private var saved: [ArchiveID] = []
  private let disk = DispatchQueue(label: "livesessions.evidence", qos: .utility)

  private static let shortest = TimeSpan.seconds(15)
  private static let longest = TimeSpan.seconds(3_600)

  /// - Parameters:
  ///   - store: made with the identity's evidence.
  ///   - authority: nil asks for no time stamps.
  ///   - now: milliseconds since 1970; nil while the clock is not set.
  public init(
    _ identity: EvidenceIdentity, store: ArchiveStore, authority: TimeStampClient?, logger: Logger,
    now: @escaping @Sendable () -> Int64?, certify: @escaping Certifying
  ) {
    self.identity = identity
    self.store = store
    self.authority = authority
    self.certify = certify
    self.now = now
    self.logger = logger
  }

  /// Works until the task is cancelled.
  public func run() async {
    while !Task.isCancelled {
      let isDone = await attempt()
      if isDone { pause = Backoff(initial: Self.shortest, maximum: Self.longest) }
      let rest = isDone ? Self.shortest : pause.next()
      try? await Task.sleep(for: .milliseconds(rest.milliseconds))
    }
  }

  /// Does what is due; returns whether nothing failed.
  public func attempt() async -> Bool {
    let hasCertificate = await renewCertificate()
    var isDone = hasCertificate
    await saveOutstanding()
    for id in identity.outstanding.all where !Task.isCancelled {
      guard await complete(id) else {
        isDone = false
        break
      }
    }
    await saveOutstanding()
    return isDone
  }

  private func renewCertificate() async -> Bool {
    guard identity.certificate.isDue(at: now()) else { return true }
    let key = identity.key
    return await noting("the hub's certificate of the evidence key") {
      let response = try await certify(key.publicKey) { try key.signature(of: $0.span.bytes) }
      // While the clock is not set it is due for renewal as soon as that is.
      try identity.certificate.store(response, at: now() ?? 0)
      logger.info("the hub vouches for the evidence key")
    }
  }

  /// Returns false when what others have to do cannot be had now.
  private func complete(_ id: ArchiveID) async -> Bool {
    let needs: EvidenceNeeds?
    do {
      needs = try await onDisk { [store] in try store.evidenceNeeds(id) }
    } catch ArchiveError.inUse {
      return true
    } catch {
      // Deleted, or damaged: nothing can be added.
      identity.outstanding.remove(id)
      return true
    }
    guard let needs else { return forget(id) }
    var response: [UInt8]?
    if let authority, let digest = needs.unstamped {
      guard await noting("the time-stamping authority", { response = try await authority.stamp(digest) }) else {
        return false
      }
    }
    guard response != nil || needs.lacksCertificate && identity.certificate.certificate != nil else {
      return needs.lacksCertificate ? true : forget(id)
    }
    return await noting("evidence of archive \(id)") {
      try await onDisk { [store, response] in try store.attachEvidence(id, timeStamp: response, to: needs) }
      if identity.certificate.certificate != nil { _ = forget(id) }
    }
  }

  private func forget(_ id: ArchiveID) -> Bool {
    identity.outstanding.remove(id)
    return true
  }

  private func saveOutstanding() async {
    let all = identity.outstanding.all
    guard all != saved else { return }
    saved = all
    _ = await noting("the list of evidence that is outstanding") {
      try await onDisk { [identity] in try identity.outstanding.save() }
    }
  }

  /// Reports a failure once, and its end.
  private func noting(_ what: String, _ work: () async throws -> Void) async -> Bool {
    do {
      try await work()
      if failures[what] != nil { noteEnd(of: what) }
      return true
    } catch {
      if !Task.isCancelled, failures[what] == nil { note("\(error)", of: what) }
      return false
    }
  }

  private func note(_ failure: String, of what: String) {
    let text = "\(what): \(failure); it is tried again"
    logger.warning("\(text)")
    failures[what] = ProblemStatus(part: .evidence, text: text, since: now())
    problem = failures[what]
  }

  /// What else fails is the problem then; the last one is kept when it is over.
  private func noteEnd(of what: String) {
    logger.notice("\(what): works again")
    guard let ended = failures.removeValue(forKey: what) else { return }
    if let another = failures.values.first {
      problem = another
    } else {
      problem = ended
      problem?.until = now() ?? ended.since ?? 0
    }
  }

  private func onDisk<Result: Sendable>(_ work: @escaping @Sendable () throws -> Result) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
      disk.async { continuation.resume(with: Swift.Result(catching: work)) }
    }
  }
}
