import Foundation
import HubCore
import Hummingbird
import Locking
import Logging
import NIOCore
import NIOHTTP1
import OpenSSLCrypto
import Signalling
import Testing

@testable import HubHTTP

/// Somebody who is told of events, over real HTTP.
private final class Receiver: Sendable {
  struct Posted: Sendable {
    var path: String
    var headers: [String: String]
    var body: String
  }

  let posted = Mutex<[Posted]>([])
  /// What it answers with; 200 when there is nothing left.
  let statuses: Mutex<[HTTPTypes.HTTPResponse.Status]>

  init(_ statuses: [HTTPTypes.HTTPResponse.Status] = []) { self.statuses = Mutex(statuses) }

  /// Runs `body` with the receiver's port.
  func run(_ body: @escaping @Sendable (Int) async throws -> Void) async throws {
    let router = Router()
    router.post("/hook") { request, _ in
      let text = String(buffer: try await request.body.collect(upTo: 1 << 16))
      var headers: [String: String] = [:]
      for field in request.headers { headers[field.name.canonicalName] = field.value }
      self.posted.withLock { $0.append(Posted(path: request.uri.description, headers: headers, body: text)) }
      return self.statuses.withLock { $0.isEmpty ? .ok : $0.removeFirst() }
    }
    let configuration = ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0))
    try await withLiveServer { isListening in
      Application(
        router: router, configuration: configuration,
        onServerRunning: { channel in isListening(channel.localAddress?.port ?? 0) },
        logger: Logger(label: "receiver") { _ in SwiftLogNoOpLogHandler() })
    } _: { port in
      try await body(port)
    }
  }
}

@Suite(.timeLimit(.minutes(1))) struct WebhookTests {
  private static let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

  private func report(_ id: String = "20261125T070500Z-9f3c01ab") -> DeviceEventReport {
    var report = DeviceEventReport(
      id: id, kind: "motion", source: "yard", start: 1_795_590_300_000, score: 76, clockSynchronized: true,
      rule: "night")
    report.region = DeviceEventReport.Region(x: 1, y: 2, width: 3, height: 1_000)
    report.camera = "gate"
    return report
  }

  private func withHub(
    _ receiver: Receiver, limits: HubLimits = HubLimits(), _ body: @escaping @Sendable (HubFixture) async throws -> Void
  ) async throws {
    try await receiver.run { port in
      var configuration = HubConfiguration()
      configuration.webhooks = [
        WebhookConfiguration(url: "http://127.0.0.1:\(port)/hook?key=1", secret: WebhookSecret(Self.secret))
      ]
      try await HubFixture.run(configuration, limits: limits, body)
    }
  }

  @Test func anEventReachesTheWebhookSigned() async throws {
    let receiver = Receiver()
    let report = report()
    try await withHub(receiver) { hub in
      let device = try await hub.addDevice("Front gate")
      #expect(try await hub.send(.POST, "/v1/device-events", report, by: device).status == 202)
      try await hub.eventually { receiver.posted.withLock { $0.count } == 1 }
      let posted = receiver.posted.withLock { $0[0] }
      #expect(posted.path == "/hook?key=1")
      let notice = try JSONDecoder().decode(DeviceEventNotice.self, from: Data(posted.body.utf8))
      #expect((notice.type, notice.deviceID, notice.deviceTitle) == ("device.event", device.id, "Front gate"))
      #expect(notice.event == report)
      let (id, time) = (posted.headers["webhook-id"] ?? "", posted.headers["webhook-timestamp"] ?? "")
      let key = try #require(Data(base64Encoded: String(Self.secret.dropFirst(6))))
      let code = OpenSSLCrypto().hmacSHA256(key: Array(key), message: Array("\(id).\(time).\(posted.body)".utf8))
      #expect(posted.headers["webhook-signature"] == "v1,\(Data(code).base64EncodedString())")
      try await hub.eventually { try await hub.metric("webhook_messages_total") == 1 }
      // Told again it is known again.
      #expect(try await hub.send(.POST, "/v1/device-events", report, by: device).status == 202)
      try await hub.eventually { receiver.posted.withLock { $0.count } == 2 }
      #expect(receiver.posted.withLock { $0[1].headers["webhook-id"] } == id)
    }
  }

  @Test func aReceiverThatFailsIsToldAgain() async throws {
    let receiver = Receiver([.internalServerError])
    let report = report()
    try await withHub(receiver) { hub in
      let device = try await hub.addDevice("gate")
      #expect(try await hub.send(.POST, "/v1/device-events", report, by: device).status == 202)
      try await hub.eventually { try await hub.metric("webhook_messages_total") == 1 }
      #expect(receiver.posted.withLock { $0.count } == 2)
    }
  }

  @Test func whatAReceiverDoesNotWantIsLost() async throws {
    let receiver = Receiver([.gone])
    let (first, second) = (report("a"), report("b"))
    try await withHub(receiver) { hub in
      let device = try await hub.addDevice("gate")
      for report in [first, second] { _ = try await hub.send(.POST, "/v1/device-events", report, by: device) }
      try await hub.eventually { try await hub.metric("webhook_messages_total") == 1 }
      #expect(try await hub.metric("webhook_messages_lost_total") == 1)
      #expect(try await hub.metric("webhook_messages_waiting") == 0)
    }
  }

  @Test func onlyDevicesTellAndNotTooOften() async throws {
    let receiver = Receiver()
    let report = report()
    var limits = HubLimits()
    limits.deviceEventsPerMinute = 3
    try await withHub(receiver, limits: limits) { hub in
      let (device, person) = (try await hub.addDevice("gate"), try await hub.addPerson("anna"))
      #expect(try await hub.send(.POST, "/v1/device-events", report).status == 401)
      #expect(try await hub.send(.POST, "/v1/device-events", report, by: person).status == 403)
      var replies: [Reply] = []
      for _ in 0..<4 { replies.append(try await hub.send(.POST, "/v1/device-events", report, by: device)) }
      #expect(replies.map(\.status) == [202, 202, 202, 429])
      #expect(replies[3].headers.first(name: "Retry-After") != nil)
    }
  }

  @Test func reportsAreBoundedAndChecked() async throws {
    let receiver = Receiver()
    let report = report()
    try await withHub(receiver) { hub in
      let device = try await hub.addDevice("gate")
      let changes: [(String, (inout DeviceEventReport) -> Void)] = [
        ("id", { $0.id = "" }), ("source", { $0.source = String(repeating: "x", count: 129) }),
        ("kind", { $0.kind = String(repeating: "x", count: 65) }), ("score", { $0.score = 101 }),
        ("region", { $0.region?.x = -1 }), ("detail", { $0.detail = String(repeating: "x", count: 65) }),
      ]
      for (field, change) in changes {
        var bad = report
        change(&bad)
        let reply = try await hub.send(.POST, "/v1/device-events", bad, by: device)
        #expect(reply.status == 400 && reply.text.contains(field), "\(field): \(reply.text)")
      }
      var long = report
      long.rule = String(repeating: "x", count: 5_000)
      #expect(try await hub.send(.POST, "/v1/device-events", long, by: device).status == 413)
      #expect(receiver.posted.withLock { $0.isEmpty })
    }
  }

  @Test func aHubWithoutWebhooksSaysSo() async throws {
    let report = report()
    try await HubFixture.run { hub in
      let device = try await hub.addDevice("gate")
      let reply = try await hub.send(.POST, "/v1/device-events", report, by: device)
      #expect(reply.status == 403)
      #expect(reply.detail?.contains("there is no [[webhook]] in hub.toml") == true)
    }
  }

  @Test(arguments: [
    ("https://a.example/b?c=d", "/b?c=d"), ("http://127.0.0.1:1", "/"), ("https://a.example?c", "/?c"),
    ("https://a.example/b/", "/b/"), ("https://[::1]:8443/x", "/x"),
  ])
  func urls(_ url: String, _ path: String) { #expect(WebhookTarget(url)?.path == path) }

  @Test(arguments: [
    "", "ftp://a", "https://", "https:///a", "https://a@b/", "https://a/#b", "https://a/b c", "https://a:0/",
  ])
  func noURLs(_ url: String) { #expect(WebhookTarget(url) == nil) }

  @Test func aShortSecretIsNone() {
    #expect(WebhookSecret("short") == nil)
    #expect(WebhookSecret("whsec_AAAA") == nil)
    #expect(WebhookSecret("0123456789abcdef")?.octets.count == 16)
  }
}
