import HTTPConnections
import Logging
import MediaCore
import MediaPlaneAPI
import Signalling
import SystemSupport
import TestSupport
import Testing

@testable import CallEngine

/// An endpoint that notes what it is asked for.
private final class FakeEndpoint: WHIPServing {
  let log: CallLog
  let servers: [ICEServer]
  let refusal = Mutex<PublishFailure?>(nil)

  init(_ log: CallLog, servers: [ICEServer] = []) { (self.log, self.servers) = (log, servers) }

  func iceServers() async -> [ICEServer] { servers }

  func begin(offer: String) async throws(PublishFailure) -> WHIPSession {
    log.add("POST \(offer)")
    if let refusal = refusal.withLock({ $0 }) { throw refusal }
    return WHIPSession(answer: "answer", resource: HTTPLocation("http://127.0.0.1/r")!, iceServers: [])
  }

  func restart(_ session: WHIPSession, offer: String) async throws(PublishFailure) -> String {
    log.add("PATCH \(offer)")
    if let refusal = refusal.withLock({ $0 }) { throw refusal }
    return "answer2"
  }

  func end(_ session: WHIPSession) async { log.add("DELETE") }
}

@Suite struct PublisherTests {
  private let log = CallLog()
  private let now = MonotonicInstant(nanoseconds: 1_000_000_000)

  private func make(_ endpoint: FakeEndpoint, _ media: FakeMediaPlane) -> (Publisher, PublishedSessions) {
    let sessions = PublishedSessions()
    let target = PublishTarget(
      name: "wall", endpoint: HTTPLocation("http://127.0.0.1/whip")!, occasion: .always, view: .camera("yard"),
      kinds: [.video], readToken: { nil })
    let environment = PublisherEnvironment(
      media: media, endpoint: endpoint, sessions: sessions, now: { [now] in now }, random: { 0 },
      makeSessionID: { SessionID("published") }, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    return (Publisher(target, environment), sessions)
  }

  private var run: (Publisher) -> Task<Void, Never> {
    { publisher in
      let (events, _) = AsyncStream.makeStream(of: EngineEvent.self)
      return Task { await publisher.run(events) { [] } }
    }
  }

  @Test func aSessionIsBegunRestartedAndEnded() async throws {
    let media = FakeMediaPlane(log: log)
    let endpoint = FakeEndpoint(log, servers: [ICEServer(urls: ["stun:stun.example"])])
    let (publisher, sessions) = make(endpoint, media)
    let task = run(publisher)
    try await eventually { log.lines.contains("media accept published answer") }
    let request = try #require(media.lastRequest.withLock { $0 })
    #expect(request.isWhole && request.subscribe.isEmpty && request.view == .camera("yard"))
    #expect(request.iceServers == endpoint.servers)
    let id = SessionID("published")
    #expect(sessions.take(.connected(sessionID: id)))
    try await eventually { await publisher.status.state == .publishing }
    #expect(sessions.take(.offerMade(sessionID: id, sdp: "again")))
    try await eventually { log.lines.contains("media accept published answer2") }
    #expect(!sessions.take(.connected(sessionID: SessionID("a-call"))))
    task.cancel()
    await task.value
    #expect(log.lines.suffix(2) == ["media hangup published", "DELETE"])
  }

  @Test func whatTheServerRefusesIsShownAndTriedAgain() async throws {
    let media = FakeMediaPlane(log: log)
    let endpoint = FakeEndpoint(log)
    endpoint.refusal.withLock { $0 = PublishFailure("404", remedy: "see url", .lasting) }
    let (publisher, sessions) = make(endpoint, media)
    let task = run(publisher)
    try await eventually { await publisher.status.state == .waiting }
    let status = await publisher.status
    #expect(status.problem?.problem == "404" && status.failures == 1 && status.pause == .seconds(15))
    try await eventually { log.lines.contains("media hangup published") }
    #expect(!sessions.take(.connected(sessionID: SessionID("published"))))
    task.cancel()
    await task.value
    #expect(!log.lines.contains("DELETE"))
  }
}
