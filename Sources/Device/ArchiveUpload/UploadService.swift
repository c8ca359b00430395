public import Archive
import OpenSSLCrypto
public import ControlMessages
public import DeviceConfiguration
import HTTPConnections
public import Logging
import MediaCore
import RealtimeRuntime
public import Signalling
public import TLSClient
internal import JournalLogging

/// Uploads archives that have ended, one after the other, until the store has all of each.
///
/// Runs in the background. What fails is logged once and retried from where it was, also after a restart.
public actor UploadService {
  /// What surrounds the service.
  public struct Surroundings: Sendable {
    public var hashing: any UploadHashing
    /// Milliseconds since 1970.
    public var now: @Sendable () -> Int64
    /// Uniformly distributed in 0 ..< 1.
    public var random: @Sendable () -> Double
    public var isInCall: @Sendable () -> Bool
    /// The recording plans that record because of events.
    public var eventPlans: Set<String>
    /// The ids of archives during which an event began, of those since a time in milliseconds since 1970.
    public var archivesWithEvents: @Sendable (Int64) async -> Set<String>
    /// Reads the credentials; may block.
    public var readCredentials: @Sendable () throws -> String?
    /// Notified of each archive that the store holds completely.
    public var uploaded: @Sendable (ArchiveID) -> Void
    public var logger: Logger
    /// Whether stores are reached through a proxy.
    public var route = ProxyRoute.direct

    public init(
      hashing: any UploadHashing, logger: Logger, now: @escaping @Sendable () -> Int64,
      random: @escaping @Sendable () -> Double = { .random(in: 0..<1) },
      isInCall: @escaping @Sendable () -> Bool = { false }, eventPlans: Set<String> = [],
      archivesWithEvents: @escaping @Sendable (Int64) async -> Set<String> = { _ in [] },
      uploaded: @escaping @Sendable (ArchiveID) -> Void = { _ in },
      readCredentials: @escaping @Sendable () throws -> String?
    ) {
      self.hashing = hashing
      self.logger = logger
      self.now = now
      self.random = random
      self.isInCall = isInCall
      self.eventPlans = eventPlans
      self.archivesWithEvents = archivesWithEvents
      self.uploaded = uploaded
      self.readCredentials = readCredentials
    }
  }

  /// How long it rests when nothing is to be done; ``wake()`` ends it.
  static let longestRest = TimeSpan.seconds(600)
  /// After this time archives that were uploaded before are checked again: a name or a time stamp may have been added.
  private static let wholeSurveyInterval = TimeSpan.seconds(3_600)
  private static let callRest = TimeSpan.seconds(1)

  private let settings: UploadSettings
  private let destination: String
  private let archives: ArchiveUploads
  private let surroundings: Surroundings
  private let environment: UploadEnvironment
  private let log: UploadLog
  private let pause = InterruptiblePause()
  private var backlog = UploadBacklog()
  private var retry = UploadRetry()
  private var nextWholeSurvey = MonotonicInstant(nanoseconds: .min)
  /// What had been sent when an attempt failed last.
  private var sentAtFailure: UInt64 = 0

  /// - Parameter archives: where they lie.
  /// - Returns: nil where no store is configured.
  public init?(_ settings: UploadSettings, archives: ArchiveStore, _ surroundings: Surroundings) {
    guard let destination = settings.destinationText else { return nil }
    self.settings = settings
    // What was begun in the one form is not gone on with in the other.
    self.destination = destination + (settings.certificateFile == nil ? "" : " (encrypted)")
    self.archives = ArchiveUploads(archives)
    self.surroundings = surroundings
    let limits = UploadPacer.Limits(usual: settings.maximumBitrate, inCalls: settings.maximumBitrateInCalls)
    environment = UploadEnvironment(
      hashing: surroundings.hashing, memory: StoreMemory(surroundings.logger), now: surroundings.now,
      gate: UploadGate(limits, isInCall: surroundings.isInCall), route: surroundings.route)
    log = UploadLog(destination: self.destination, logger: surroundings.logger, now: surroundings.now)
  }

  /// Something is new: an archive has ended, or the clock was set.
  public nonisolated func wake() { pause.end() }

  /// Works until the task is cancelled.
  public func run() async {
    while !Task.isCancelled {
      let rest = await step()
      if rest > .zero { _ = await pause.wait(for: .milliseconds(rest.milliseconds)) }
    }
  }

  /// Uploads the next archive, if there is one; returns how long to rest before the next step.
  func step() async -> TimeSpan {
    guard !environment.gate.isPaused else { return Self.callRest }
    await survey()
    guard let next = backlog.next else { return Self.longestRest }
    do {
      try await upload(next.id)
      succeeded()
      return .zero
    } catch {
      return rest(after: error, next.id)
    }
  }

  private func succeeded() {
    retry.reset()
    log.succeeded()
    reportWaiting()
  }
}

// MARK: - What waits

extension UploadService {
  private func survey() async {
    let isWhole = MonotonicClock.now() >= nextWholeSurvey
    let known = isWhole ? [] : backlog.known
    do {
      let survey = try await UploadDisk.run { [archives, destination] in
        try archives.survey(except: known, to: destination)
      }
      let first = survey.waiting.map(\.createdAt).min()
      let withEvents = if let first { await surroundings.archivesWithEvents(first) } else { Set<String>() }
      let plans = surroundings.eventPlans
      backlog.take(survey, isWhole: isWhole) { archive in
        withEvents.contains(archive.id.text) || archive.plans.contains { plans.contains($0) }
      }
      if isWhole { nextWholeSurvey = MonotonicClock.now() + Self.wholeSurveyInterval }
    } catch {
      log.failed(UploadFailure(cause: .passing, text: "\(error)", isLocal: true), what: "the archives' folder")
    }
    reportWaiting()
  }

  private func reportWaiting() {
    log.update { status in
      status.waitingArchives = backlog.waiting.count
      status.waitingBytes = Int64(clamping: backlog.byteCount)
      status.sentBytes = Int64(clamping: environment.gate.byteCount)
    }
  }
}

// MARK: - One archive

extension UploadService {
  private func upload(_ id: ArchiveID) async throws {
    let upload: ArchiveUpload?
    do {
      upload = try await UploadDisk.run { [archives, destination] in try archives.upload(id, to: destination) }
    } catch ArchiveError.notFound {
      return backlog.settle(id)
    }
    guard let upload else { return backlog.settle(id) }
    log.update { $0.archiveID = id.text }
    defer { log.update { $0.archiveID = nil } }
    let (remote, recipient) = try await makeRemote()
    let result = await Result { try await self.send(upload, to: remote, for: recipient) }
    await remote.shutdown()
    try result.get()
  }

  private func send(
    _ upload: ArchiveUpload, to remote: any RemoteStore, for recipient: EncryptionRecipient?
  ) async throws {
    let transfer = ArchiveTransfer(upload, from: archives, to: remote, for: recipient)
    do {
      try await transfer.run()
    } catch ArchiveError.notFound {
      await transfer.abandon()
      return backlog.settle(upload.id)
    }
    backlog.settle(upload.id)
    log.update { $0.uploadedArchives += 1 }
    surroundings.logger.info("archive \(archive: upload.id) was uploaded, \(upload.pendingByteCount / 1_000) kB")
    surroundings.uploaded(upload.id)
  }

  private func makeRemote() async throws -> (any RemoteStore, EncryptionRecipient?) {
    let (readCredentials, settings, now) = (surroundings.readCredentials, settings, environment.now())
    do {
      let (credentials, recipient) = try await UploadDisk.run {
        (try readCredentials(), try settings.readRecipient(now: now))
      }
      return (try settings.makeStore(credentials: credentials, environment), recipient)
    } catch let failure as UploadFailure {
      throw failure
    } catch {
      throw UploadFailure(cause: .settings, text: "\(error)")
    }
  }

  private func rest(after error: any Error, _ id: ArchiveID) -> TimeSpan {
    guard !Task.isCancelled, !(error is CancellationError) else { return .zero }
    let failure = error as? UploadFailure ?? UploadFailure(cause: .passing, text: "\(error)", isLocal: true)
    guard failure != .paused else { return Self.callRest }
    if failure.isLocal { backlog.postpone(id) }
    log.failed(failure, what: "archive \(id) was not uploaded to \(destination)", archive: id)
    reportWaiting()
    // Where some of it got through, the network is bad and the store is there.
    let sent = environment.gate.byteCount
    if sent - sentAtFailure >= MultipartPlan.smallestPart { retry.reset() }
    sentAtFailure = sent
    return retry.pause(after: failure.cause, random: surroundings.random())
  }
}

extension UploadService: UploadReporting {
  public nonisolated var uploadStatus: UploadStatus {
    var status = log.status
    status.isPaused = environment.gate.isPaused
    status.sentBytes = Int64(clamping: environment.gate.byteCount)
    return status
  }

  public nonisolated var problem: ProblemStatus? { log.problem }
}

extension Result where Failure == any Error {
  fileprivate init(_ body: () async throws -> Success) async {
    do { self = .success(try await body()) } catch { self = .failure(error) }
  }
}
