import CallPolicy
import ControlMessages
import EventDetection
import Signalling
import SystemSupport
import MediaPlaneAPI

/// A device with one session, `s1`, and one archive, `a1`, that remembers what was asked of it.
final class FakeDevice: DeviceControl {
  struct Failure: Error {}

  private let calls = Mutex<[String]>([])
  private let stream: AsyncStream<DeviceEvent>
  let events: AsyncStream<DeviceEvent>.Continuation

  /// What happens as soon as somebody calls.
  let callEvents = Mutex<[DeviceEvent]>([])

  /// Where its archives lie and what is wrong there.
  let archives = Mutex<(directory: String?, problem: String?)>((nil, nil))

  /// What does not work, or did not.
  let problems = Mutex<[ProblemStatus]?>(nil)

  init() { (stream, events) = AsyncStream.makeStream(of: DeviceEvent.self) }

  var recordedCalls: [String] { calls.withLock { $0 } }
  private func record(_ call: String) { calls.withLock { $0.append(call) } }

  func status() async throws -> DeviceStatus {
    let session = SessionStatus(
      sessionID: "s1", callerID: "u1", callerTitle: "Ann", state: "connected", isAudio: true, isVideo: true,
      startedAt: 2)
    var camera = MediaDeviceStatus(target: .camera, name: "test:bars", state: "streaming", isMuted: false)
    (camera.details, camera.frameRate, camera.dropped, camera.failures) = ("640×480 at 30/s", 29.97, 3, 0)
    var recording = RecordingStatus(archiveID: "a2", sessionID: "s1", startedAt: 3, size: 1_500_000, droppedFrames: 2)
    recording.unflushed = 1_450
    var status = DeviceStatus(
      version: "1.0", title: "Gate ☎", userID: "d1", hubURL: "http://127.0.0.1", isOnline: true,
      clockSynchronized: false, startedAt: 1, sessions: [session], devices: [camera], recordings: [recording])
    (status.archiveDirectory, status.archiveProblem) = archives.withLock { $0 }
    status.problems = problems.withLock { $0 }
    return status
  }

  /// What it counts.
  let figures = Mutex(
    DeviceTelemetry(
      calls: CallTelemetry(current: 1, maximum: 16, incoming: CallOutcomes(), outgoing: CallOutcomes()),
      hub: HubTelemetry(connectedTime: 90, reconnects: 2), media: MediaTelemetry(), system: SystemTelemetry(),
      failingParts: []))

  func telemetry() async throws -> DeviceTelemetry { figures.withLock { $0 } }

  func users() async throws -> [OnlineUser] {
    [OnlineUser(userID: "u1", userTitle: "Ann", kind: "person", status: "available", distance: 1.5)]
  }

  func resolveTitles(_ titles: [String]) async throws -> [TitledAccount] {
    titles.filter { $0.lowercased() == "olga" }.map { TitledAccount(title: $0, userID: Self.olgaID, userTitle: "Olga") }
  }

  /// The id of the account that has the title Olga.
  static let olgaID = "4f0c9a52-0d0b-4b8e-9d2c-3f1f6f2c7a10"

  func hangUp(sessionID: String) async throws {
    guard sessionID == "s1" else { throw DeviceControlError.noSuchSession(sessionID) }
    record("hangUp s1")
  }

  func call(user: String, media: ControlCallMedia?) async throws -> String {
    guard user == "Ann" else { throw DeviceControlError.noSuchUser(user) }
    record("call Ann \(media?.rawValue ?? "all")")
    for event in callEvents.withLock({ $0 }) { events.yield(event) }
    return "s2"
  }

  func hunt(_ parameters: HuntParameters) async throws -> String {
    let users = parameters.users.joined(separator: "+")
    record("hunt \(users) \(parameters.order?.rawValue ?? "nil") \(parameters.ringFor ?? 0)")
    for event in callEvents.withLock({ $0 }) { events.yield(event) }
    return "call"
  }

  func answer(sessionID: String) async throws { record("answer \(sessionID)") }
  func reject(sessionID: String, reason: String?) async throws { record("reject \(sessionID) \(reason ?? "nil")") }
  func swapCamera() async throws { record("swap") }
  func chooseCamera(sessionID: String, camera: String) async throws { record("camera \(sessionID) \(camera)") }
  func snapshot(camera: String?) async throws -> [UInt8] {
    record("snapshot" + (camera.map { " \($0)" } ?? ""))
    return [0xFF, 0xD8, 0xFF, 0xD9]
  }
  func actions() async throws -> [ActionSummary] {
    [ActionSummary(name: "open-door", isAllowed: true, needsPIN: true)]
  }
  func runAction(name: String, pin: String?) async throws {
    guard pin == "4711" else { throw DeviceControlError.actionRefused(name: name, message: "the PIN is needed") }
    record("action \(name)")
  }
  func say(_ parameters: SayParameters) async throws {
    guard let announcement = parameters.path ?? parameters.text else {
      throw DeviceControlError.invalidParameter("path")
    }
    record("say \(announcement)")
  }
  func setMuted(_ target: MuteTarget, _ isMuted: Bool) async throws { record("mute \(target) \(isMuted)") }
  func sendChat(sessionID: String, text: String) async throws { record("chat \(sessionID) \(text)") }

  func startArchive(sessionID: String?) async throws -> [String] {
    record("start \(sessionID ?? "all")")
    return ["a2"]
  }

  func stopArchive(archiveID: String?) async throws -> [String] {
    guard archiveID == nil || archiveID == "a1" else { throw DeviceControlError.noSuchArchive(archiveID ?? "") }
    return ["a1"]
  }

  func detectedEvents(since: Int64, limit: Int) async throws -> [DetectedEvent] {
    record("events \(since) \(limit)")
    return [DetectedEvent(id: "e1", kind: .motion, source: "yard", start: 1, score: 70, clockSynchronized: true)]
  }

  func explainEvent(source: String, score: Int) async throws -> EventExplanation {
    guard source == "yard" else { throw DeviceControlError.invalidParameter("source") }
    let subject = EventSubject(kind: .motion, source: source, score: score)
    var rule = EventRule(name: "strong")
    rule.minimumScore = 50
    let evaluation = EventPolicy(rules: [rule]).evaluate(subject, in: EventCircumstances(isHome: false))
    return EventExplanation(
      evaluation, of: subject, isHome: false, effects: evaluation.rule == nil ? [] : ["action light"])
  }

  func explainPolicy(_ parameters: PolicyExplainParameters) async throws -> PolicyExplainReply {
    record("explain \(parameters.caller ?? "local")")
    let rule = try PolicyRule(name: "in force", conditions: [.caller([.user("u1")])], decision: .reject(.busy))
    return try parameters.explained(by: CallPolicy(rules: [rule]), callsUp: 1, localTimes: [:])
  }

  func setHome(_ isHome: Bool) async throws { record("home \(isHome)") }

  func archiveCount() async throws -> Int { 10_000 }

  func archives(limit: Int) async throws -> [ArchiveSummary] {
    record("list \(limit)")
    return [
      ArchiveSummary(
        archiveID: "a1", name: "gate", sessionID: "s1", status: "stopped", reason: "", createdAt: 1, duration: 2,
        size: 3, hasAudio: true, hasVideo: true, isLocked: true, callerID: "u1")
    ]
  }

  func showArchive(archiveID: String) async throws -> ArchiveDetail {
    let file = ArchiveFileDetail(
      filename: "device.webm", streamID: "device", connectionData: "", size: 3, startTimeOffset: 0,
      stopTimeOffset: 2_040,
      tracks: [.init(codec: "V_VP8", width: 640, height: 480), .init(codec: "A_OPUS", channels: 1)])
    return ArchiveDetail(
      archive: try await archives(limit: 1)[0], clockSynchronized: true, callerID: "u1", policyRule: nil,
      isInUse: false, files: [file], otherFiles: ["track.gpx"], problems: [])
  }

  func repairArchive(archiveID: String) async throws -> ArchiveRepairResult {
    record("repair \(archiveID)")
    return ArchiveRepairResult(archiveID: archiveID, changes: ["cut"])
  }

  func setArchiveLocked(archiveID: String, _ isLocked: Bool) async throws { record("lock \(archiveID) \(isLocked)") }
  func renameArchive(archiveID: String, name: String) async throws { record("rename \(archiveID) \(name)") }

  func deleteArchive(archiveID: String, isForced: Bool) async throws {
    guard isForced || archiveID != "a1" else { throw DeviceControlError.archiveLocked(archiveID) }
    guard archiveID != "a2" else { throw DeviceControlError.archiveInUse(archiveID) }
    record("delete \(archiveID)")
  }

  func verifyArchives(archiveID: String?) async throws -> [ArchiveReport] {
    [ArchiveReport(archiveID: "a1", problems: ["torn"])]
  }

  func events() async -> AsyncStream<DeviceEvent> { stream }
  func reload() async throws { throw Failure() }
}
