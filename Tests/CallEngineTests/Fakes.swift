import CallEngine
import HubClient
import MediaCore
import MediaPlaneAPI
import TestSupport
import SessionToken
import Signalling
import SystemSupport

/// A media plane that notes what it is asked for.
final class FakeMediaPlane: MediaPlane {
  struct Failure: Error {}

  let log: CallLog
  let events: AsyncStream<MediaPlaneEvent>
  private let sink: AsyncStream<MediaPlaneEvent>.Continuation
  let refusesOffers = Mutex(false)
  let refusesArchives = Mutex(false)
  /// Whether each archive has a number in its id.
  let numbersArchives = Mutex(false)
  private let archiveCount = Mutex(0)
  /// When set, an archive that has begun waits here before the engine is told so.
  let archiveGate = Mutex<Gate?>(nil)
  /// What was asked for last.
  let lastArchive = Mutex<ArchiveDescription?>(nil)
  /// What a swap leads to, if there is another camera.
  let otherCamera = Mutex<String?>(nil)
  let shownStatus = Mutex(MediaPlaneStatus())
  let shownTelemetry = Mutex(MediaTelemetry())
  /// When set, an answer waits here.
  let answerGate = Mutex<Gate?>(nil)
  /// When set, an answer to an offer within a call waits here.
  let renegotiationGate = Mutex<Gate?>(nil)
  /// When set, an offer waits here.
  let offerGate = Mutex<Gate?>(nil)
  let refusesAnswers = Mutex(false)
  let lastRequest = Mutex<PeerSessionRequest?>(nil)

  init(log: CallLog) {
    self.log = log
    (events, sink) = AsyncStream.makeStream(of: MediaPlaneEvent.self)
  }

  func emit(_ event: MediaPlaneEvent) { sink.yield(event) }

  func begin(_ request: PeerSessionRequest) async throws -> String {
    lastRequest.withLock { $0 = request }
    let isAnswer = request.offer != nil
    log.add("media \(isAnswer ? "answer" : "offer") \(request.sessionID)")
    let gate = isAnswer ? answerGate.withLock { $0 } : offerGate.withLock { $0 }
    await gate?.pass()
    if refusesOffers.withLock({ $0 }) { throw Failure() }
    return "\(isAnswer ? "sdp" : "offer")-\(request.sessionID)"
  }

  func renegotiate(sessionID: SessionID, offer: String) async throws -> String {
    log.add("media renegotiate \(sessionID) \(offer)")
    await renegotiationGate.withLock { $0 }?.pass()
    if refusesOffers.withLock({ $0 }) { throw Failure() }
    return "sdp2-\(sessionID)"
  }

  func accept(answer: String, sessionID: SessionID) async throws {
    log.add("media accept \(sessionID) \(answer)")
    if refusesAnswers.withLock({ $0 }) { throw Failure() }
  }

  func addICEServers(_ servers: [ICEServer], sessionID: SessionID) async {
    log.add("media servers \(sessionID) \(servers.count)")
  }

  func addRemoteCandidates(_ candidates: [String], sessionID: SessionID) async {
    log.add("media candidates \(sessionID) \(candidates.joined(separator: ","))")
  }

  func hangUp(sessionID: SessionID) async { log.add("media hangup \(sessionID)") }

  func setMuted(_ target: MuteTarget, _ isMuted: Bool) async {
    log.add("media \(isMuted ? "mute" : "unmute") \(target.rawValue)")
  }

  func announce(_ announcement: Announcement) async throws { log.add("media announces \(announcement)") }

  func setRing(_ sound: RingSound?) async throws { log.add("media ring \(sound.map { "\($0)" } ?? "ends")") }

  func swapCamera() async throws {
    guard let name = otherCamera.withLock({ $0 }) else { throw Failure() }
    emit(.cameraSwapped(name: name))
  }

  func show(_ view: DeviceView, sessionID: SessionID) async throws {
    if view == .camera("cellar") { throw UnknownCamera(name: "cellar", known: ["yard"]) }
    log.add("media shows \(view) \(sessionID)")
  }

  func notePosition(_ fix: PositionFix) async { log.add("media position \(fix.latitude)") }

  func startArchive(_ description: ArchiveDescription) async throws -> ArchiveID {
    let name = description.sessionID?.text ?? ""
    if refusesArchives.withLock({ $0 }) {
      log.add("media no archive \(name)")
      throw Failure()
    }
    lastArchive.withLock { $0 = description }
    let parties = ([description.callerID] + (description.receiverID.map { [$0] } ?? [])).joined(separator: ">")
    log.add("media archive \(name) \(parties) \(description.policyRule ?? "-")")
    let archiveID = nextArchiveID(name)
    await archiveGate.withLock { $0 }?.pass()
    return archiveID
  }

  private func nextArchiveID(_ name: String) -> ArchiveID {
    guard numbersArchives.withLock({ $0 }) else { return ArchiveID("archive-\(name)")! }
    let number = archiveCount.withLock { count in
      count += 1
      return count
    }
    return ArchiveID("archive-\(name)\(number)")!
  }

  func stopArchive(archiveID: ArchiveID, reason: ArchiveStopReason) async { log.add("media stop \(archiveID)") }

  func status() async -> MediaPlaneStatus { shownStatus.withLock { $0 } }
  func telemetry() async -> MediaTelemetry { shownTelemetry.withLock { $0 } }
}

/// A hub that notes what it is told.
final class FakeHub: SignallingHub {
  let log: CallLog
  let refusal = Mutex<HubClientError?>(nil)
  /// What it says was wrong, if not its refusal.
  let outages = Mutex<HubOutage?>(nil)
  /// Which offers the answers are to.
  let answeredNumbers = Mutex<[Int?]>([])
  let presence = Mutex<[PresenceUpdate]>([])
  let online = Mutex<[NearbyUser]>([])
  /// What the hub knows of titles, also of those who are offline.
  let accounts = Mutex<[TitledAccount]>([])
  /// When set, placing a call waits here.
  let placeGate = Mutex<Gate?>(nil)
  /// How long it takes to hear of a call's end.
  let endDelay = Mutex(Duration.zero)
  /// The ids of the keys that it publishes; nil when it does not answer.
  let keyIDs = Mutex<[String]?>(["k1"])
  let keyRequests = Mutex(0)
  /// When set, a request for keys waits here.
  let keyGate = Mutex<Gate?>(nil)
  let lastPlaced = Mutex<SessionRequest?>(nil)
  private let script: AsyncStream<HubStreamEvent>
  private let sink: AsyncStream<HubStreamEvent>.Continuation

  init(log: CallLog) {
    self.log = log
    (script, sink) = AsyncStream.makeStream(of: HubStreamEvent.self)
  }

  var userID: String? { get async { "device" } }
  var userTitle: String? { get async { "Front door" } }
  var lastOutage: HubOutage? { outages.withLock { $0 } ?? refusal.withLock { $0.map { HubOutage($0, began: .now) } } }

  func emit(_ event: HubEvent) { sink.yield(.event(event)) }

  func run(_ deliver: (HubStreamEvent) async -> Void) async {
    for await event in script { await deliver(event) }
  }

  private func note(_ line: String) throws(HubClientError) {
    log.add("hub " + line)
    if let refusal = refusal.withLock({ $0 }) { throw refusal }
  }

  func updatePresence(_ update: PresenceUpdate) async throws(HubClientError) {
    presence.withLock { $0.append(update) }
    try note("presence")
  }

  func withdrawPresence() async throws(HubClientError) { try note("withdraw") }

  func users(limit: Int) async throws(HubClientError) -> NearbyUsers {
    NearbyUsers(items: online.withLock { $0 })
  }

  func accountIDs(titled titles: [String]) async throws(HubClientError) -> AccountIDs {
    AccountIDs(items: accounts.withLock { $0 }.filter { titles.contains($0.title) })
  }

  func signingKeys() async throws(HubClientError) -> SigningKeySet {
    keyRequests.withLock { $0 += 1 }
    await keyGate.withLock { $0 }?.pass()
    guard let ids = keyIDs.withLock({ $0 }) else { throw .timedOut }
    let json = SampleToken.keySet(ids.map { SampleToken.keyEntry($0) })
    return (try? SigningKeySet(json: json)) ?? SigningKeySet()
  }

  func place(_ request: SessionRequest, sessionID: SessionID) async throws(HubClientError) -> SessionGrant {
    lastPlaced.withLock { $0 = request }
    log.add("hub place \(sessionID) \(request.receiverID) \(request.offer)")
    await placeGate.withLock { $0 }?.pass()
    if let refusal = refusal.withLock({ $0 }) { throw refusal }
    return SessionGrant(
      sessionID: sessionID, publisherToken: "t", subscriberToken: nil, iceServers: [ICEServer(urls: ["turn:relay"])])
  }

  func send(_ message: SessionMessage, sessionID: SessionID) async throws(HubClientError) {
    if case .answer(let answer) = message { answeredNumbers.withLock { $0.append(answer.offerNumber) } }
    if case .end = message { try? await Task.sleep(for: endDelay.withLock { $0 }) }
    try note(Self.line(message, sessionID))
  }

  private static func line(_ message: SessionMessage, _ sessionID: SessionID) -> String {
    switch message {
    case .ringing: "ring \(sessionID)"
    case .answer(let answer): "answer \(sessionID) \(answer.sdp)"
    case .offer(let offer): "offer \(sessionID) \(offer.sdp)"
    case .reject(let ending): "reject \(sessionID) \(ending.reason)"
    case .candidates(let list):
      "candidates \(sessionID) \(list.candidates.map(\.candidate).joined(separator: ","))"
    case .signal(let signal): "signal \(sessionID) \(signal.type) \(signal.data)"
    case .control(let control): "control \(sessionID) \(control.action)"
    case .controlResult(let result): "result \(sessionID) \(result.action) \(outcome(result))"
    case .archive(let event): "archive \(event.archiveID) \(event.status)"
    case .end(let ending): "end \(sessionID) \(ending?.reason ?? "")"
    }
  }

  private static func outcome(_ result: SessionControlResult) -> String {
    guard !result.isDone else { return "done" }
    return [result.reason ?? "?", result.detail].compactMap(\.self).joined(separator: " ")
  }
}
