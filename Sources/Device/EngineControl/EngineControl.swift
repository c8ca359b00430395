public import CallEngine
public import CallPolicy
public import ControlMessages
public import DeviceActions
public import DeviceEvents
import EventRules
import HubClient
public import MediaCore
public import MediaPlaneAPI
import RealtimeRuntime
public import Signalling

/// The archives on the disk, as the control socket shows them.
public protocol ArchiveCatalog: ArchiveAdministration {
  /// Newest first, at most `limit`.
  func summaries(limit: Int) async throws -> [ArchiveSummary]
  /// How many there are.
  func archiveCount() async throws -> Int
  /// Verifies one archive, or all, and reports what is wrong.
  ///
  /// - Throws: ``ControlMessages/DeviceControlError/noSuchArchive(_:)``.
  func verify(archiveID: String?) async throws -> [ArchiveReport]
}

/// What the control socket asks, answered by the engine.
public struct EngineControl: DeviceControl {
  /// What does not change while the daemon runs.
  public struct Identity: Sendable {
    public var version: String
    public var hubURL: String
    public var startedAt: MonotonicInstant

    public init(version: String, hubURL: String, startedAt: MonotonicInstant) {
      self.version = version
      self.hubURL = hubURL
      self.startedAt = startedAt
    }
  }

  let engine: CallEngine
  /// As whom its clients use actions.
  public var requester = ActionRequester.local
  private let identity: Identity
  let catalog: any ArchiveCatalog
  /// Nil for a device that keeps no events.
  public var eventCenter: EventCenter?
  /// Nil where nothing is to be asked about rules about events.
  public var eventRules: EventRuleControl?
  /// Services whose problems the status shows, besides hub, media, events and what these set off.
  public var problemReporters: [any ProblemReporting] = []
  /// Nil for a device that uploads nothing.
  public var uploads: (any UploadReporting)?
  /// Nil for a device that publishes to no server.
  public var publishers: Publishers?
  /// Nil where nothing speaks MQTT.
  public var mqtt: (any MQTTReporting)?
  /// Nil for a device without actions.
  public var actionService: ActionService?
  /// The device's time zone as text; nil where it is unknown.
  public var timeZone: @Sendable () -> String? = { nil }
  /// Nil for a device without video.
  public var snapshots: (any SnapshotTaking)?
  let telemetryCollector: TelemetryCollector
  private let reloadConfiguration: @Sendable () async throws -> Void
  private let reloads = SerialReloads()

  /// - Parameters:
  ///   - readSystem: reads what the kernel tells of process and machine.
  ///   - reloadConfiguration: reads the configuration again and puts it in force; throws
  ///     ``ControlMessages/DeviceControlError/invalidConfiguration(message:)`` if it has mistakes.
  public init(
    engine: CallEngine, identity: Identity, catalog: any ArchiveCatalog,
    readSystem: @escaping @Sendable () async -> SystemTelemetry = { SystemTelemetry() },
    reloadConfiguration: @escaping @Sendable () async throws -> Void
  ) {
    self.engine = engine
    self.identity = identity
    self.catalog = catalog
    telemetryCollector = TelemetryCollector(engine: engine, startedAt: identity.startedAt, readSystem: readSystem)
    self.reloadConfiguration = reloadConfiguration
  }

  public func users() async throws -> [OnlineUser] {
    try await onlineUsers(limit: 100).map { OnlineUser($0) }
  }

  /// Nearest first; all that the hub returns at once unless limited.
  func onlineUsers(limit: Int = 1000) async throws -> [NearbyUser] {
    do {
      return try await engine.users(limit: limit).items
    } catch let error as HubClientError {
      throw Self.translate(error)
    }
  }

  public func resolveTitles(_ titles: [String]) async throws -> [TitledAccount] {
    guard (1...AccountIDsRequest.maxTitles).contains(titles.count) else {
      throw DeviceControlError.invalidParameter("titles")
    }
    guard engine.isHubConnected else { throw DeviceControlError.notConnected }
    do {
      let accounts = try await engine.accountIDs(titled: titles).items
      // A hub that says more than it was asked for is not believed.
      return accounts.filter { titles.contains($0.title) }
    } catch let error as HubClientError {
      if case .refused(404, _, _) = error {
        throw DeviceControlError.failed(
          message: "the hub's version knows no ids of titles; update it, or write user:ID")
      }
      throw Self.translate(error)
    }
  }

  public func answer(sessionID: String) async throws {
    try await onSession(sessionID) { id in try await engine.answer(id) }
  }

  public func reject(sessionID: String, reason: String?) async throws {
    let known = reason.map { RejectReason(rawValue: $0) } ?? .declined
    guard let known else { throw DeviceControlError.invalidParameter("reason") }
    try await onSession(sessionID) { id in try await engine.reject(id, reason: known) }
  }

  public func hangUp(sessionID: String) async throws {
    try await onSession(sessionID) { id in try await engine.hangUp(id) }
  }

  public func setMuted(_ target: MuteTarget, _ isMuted: Bool) async throws {
    await engine.setMuted(target, isMuted)
  }

  public func swapCamera() async throws { try await engine.swapCamera() }

  public func chooseCamera(sessionID: String, camera: String) async throws {
    try await onSession(sessionID) { id in try await engine.chooseCamera(camera, for: id) }
  }

  public func snapshot(camera: String?) async throws -> [UInt8] {
    do throws(SnapshotError) {
      guard let snapshots else { throw .noCamera }
      return try await snapshots.take(of: camera)
    } catch {
      throw DeviceControlError.failed(message: "\(error)")
    }
  }

  public func say(_ parameters: SayParameters) async throws {
    try await engine.announce(try parameters.announcement)
  }

  public func sendChat(sessionID: String, text: String) async throws {
    try await onSession(sessionID) { id in try await engine.sendChat(id, text: text) }
  }

  public func startArchive(sessionID: String?) async throws -> [String] {
    if let sessionID {
      return [try await onSession(sessionID) { id in try await engine.startArchive(id).text }]
    }
    let calls = await engine.currentCalls
    guard !calls.isEmpty else { return [try await startDeviceArchive()] }
    let waiting = calls.filter { $0.phase == .connected && $0.archiveID == nil }
    var archiveIDs: [String] = []
    // One that has just ended, or has an archive by now, is no reason to omit the others.
    for call in waiting {
      do {
        archiveIDs.append(try await engine.startArchive(call.sessionID).text)
      } catch EngineError.noSuchCall {
        continue
      }
    }
    return archiveIDs
  }

  public func stopArchive(archiveID: String?) async throws -> [String] {
    if let archiveID { return [try await stopOneArchive(archiveID)] }
    var stopped: [String] = []
    for archiveID in await engine.runningArchives {
      do {
        try await engine.stopArchive(archiveID)
        stopped.append(archiveID.text)
      } catch EngineError.noSuchArchive {
        continue
      }
    }
    return stopped
  }

  private func stopOneArchive(_ text: String) async throws -> String {
    let running = await engine.runningArchives.map(\.text)
    guard let archiveID = ArchiveID(try IdentifierPrefix.resolve(text, among: running) ?? text) else {
      throw DeviceControlError.noSuchArchive(text)
    }
    do {
      try await engine.stopArchive(archiveID)
    } catch {
      throw DeviceControlError.noSuchArchive(text)
    }
    return archiveID.text
  }

  private func startDeviceArchive() async throws -> String {
    do {
      return try await engine.startDeviceArchive().text
    } catch {
      throw DeviceControlError.failed(message: "\(error)")
    }
  }

  public func archiveCount() async throws -> Int { try await catalog.archiveCount() }

  public func archives(limit: Int) async throws -> [ArchiveSummary] { try await catalog.summaries(limit: limit) }

  public func verifyArchives(archiveID: String?) async throws -> [ArchiveReport] {
    try await catalog.verify(archiveID: archiveID)
  }

  public func reload() async throws {
    try await reloads.run { [reloadConfiguration] in try await reloadConfiguration() }
  }

  public func status() async throws -> DeviceStatus {
    let status = await engine.status()
    let media = Dictionary(status.media.sessions.map { ($0.sessionID, $0) }) { first, _ in first }
    var device = DeviceStatus(
      version: identity.version, title: status.title, userID: status.userID, hubURL: identity.hubURL,
      isOnline: status.isHubConnected, clockSynchronized: status.isClockSynchronized,
      startedAt: startedAt(now: status.now),
      hubTitle: status.hubTitle, outage: status.outage,
      sessions: status.calls.map { SessionStatus($0, media[$0.sessionID], now: status.now) },
      devices: status.media.devices.map { $0.muted(by: status.muted) },
      recordings: status.media.archives.map { RecordingStatus($0, now: status.now) })
    device.timeZone = timeZone()
    device.position = status.position.map { PositionStatus($0) }
    device.maximumSessions = status.maximumSessions
    device.archiveDirectory = status.media.archiveDirectory
    device.archiveProblem = status.media.archiveProblem
    device.plans = status.plans.map { PlanStatus(name: $0.name, isRecording: $0.isRecording, text: $0.text) }
    device.problems = status.problems
    let reporters =
      [eventCenter as (any ProblemReporting)?, eventRules?.service, uploads].compactMap(\.self) + problemReporters
    for reporter in reporters {
      if let problem = await reporter.problem { device.problems?.append(problem) }
    }
    device.isHome = eventRules?.home.isHome
    device.upload = uploads?.uploadStatus
    if let publishers {
      let publications = await publishers.status.map { one in
        PublicationStatus(one, one.sessionID.flatMap { media[$0] }, now: status.now)
      }
      device.publications = publications
      if let problem = PublishProblem.text(publications) {
        device.problems?.append(ProblemStatus(part: .publish, text: problem, since: nil))
      }
    }
    device.mqtt = mqtt?.mqttStatus
    device.hunts = status.hunts.map { HuntStatus($0, now: status.now) }
    return device
  }

  public func telemetry() async throws -> DeviceTelemetry {
    let status = try await status()
    let problems = status.problems ?? []
    var failing: [DevicePart] = []
    // Several cameras are one part.
    for problem in problems where problem.lasts && !failing.contains(problem.part) { failing.append(problem.part) }
    var figures = await telemetryCollector.collect(failingParts: failing)
    figures.publications = status.publications.map { $0.map { PublicationTelemetry($0) } }
    figures.upload = uploads.map { UploadTelemetry($0.uploadStatus) }
    figures.mqtt = mqtt?.mqttStatus
    return figures
  }

  /// By the clock of now: the one at the start may not have been set.
  private func startedAt(now: MonotonicInstant) -> Int64 {
    wallClockMilliseconds().saturatingSubtracting((now - identity.startedAt).milliseconds)
  }

  public func events() async -> AsyncStream<DeviceEvent> {
    let (stream, sink) = AsyncStream.makeStream(of: DeviceEvent.self, bufferingPolicy: .bufferingNewest(256))
    let events = engine.events()
    let task = Task {
      for await event in events { sink.yield(DeviceEvent(event, time: wallClockMilliseconds())) }
      sink.finish()
    }
    sink.onTermination = { _ in task.cancel() }
    return stream
  }

  /// - Parameter sessionID: a call's id, or the beginning of one.
  private func onSession<Result>(
    _ sessionID: String, _ operation: (SessionID) async throws -> Result
  ) async throws -> Result {
    let known = await engine.currentCalls.map(\.sessionID.text)
    do {
      let id = SessionID(try IdentifierPrefix.resolve(sessionID, among: known) ?? sessionID)
      guard let id else { throw EngineError.noSuchCall }
      return try await operation(id)
    } catch EngineError.noSuchCall {
      throw DeviceControlError.noSuchSession(sessionID)
    } catch EngineError.invalidMessage {
      throw DeviceControlError.invalidParameter("text")
    } catch EngineError.archiveRefused {
      throw DeviceControlError.failed(message: "the archive cannot be started; the log says why")
    } catch let error as HubClientError {
      throw Self.translate(error)
    }
  }

  private static func translate(_ error: HubClientError) -> DeviceControlError {
    error.isAbsence ? .notConnected : .failed(message: error.description)
  }
}
