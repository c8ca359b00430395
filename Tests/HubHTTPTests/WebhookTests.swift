import Foundation
import HubCore
import Hummingbird
import SystemSupport
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

  private func report(_ id: String = "20261125T070500Z-9f3c01ab") -> DetectedEvent {
    var report = DetectedEvent(
      id: id, kind: .motion, source: "yard", start: 1_795_590_300_000, score: 76, clockSynchronized: true)
    report.rule = "at night"
    report.region = FrameRegion(x: 1, y: 2, width: 3, height: 1_000)
    report.camera = "gate"
    return report
  }

  /// What receivers of before decode.
  private struct Notice: Decodable {
    var type: String
    var deviceID: String
    var deviceTitle: String
    var event: DetectedEvent
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
      let notice = try JSONDecoder().decode(Notice.self, from: Data(posted.body.utf8))
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

  /// What devices of before send reaches webhooks with the same fields; what lies on the device's disk stays there.
  @Test func aReportOfAnOldDeviceKeepsItsFields() async throws {
    let receiver = Receiver()
    let report = """
      {"camera":"gate","clockSynchronized":true,"detail":"92 km/h","id":"20261125T070500Z-9f3c01ab","kind":"flood",\
      "region":{"height":4,"width":3,"x":1,"y":2},"rule":"at night","score":76,"source":"yard","start":1795590300000
      """
    try await withHub(receiver) { hub in
      let device = try await hub.addDevice("Front gate")
      for more in ["}", ",\"picture\":\"a.jpg\",\"archives\":[\"a1\"],\"isInterrupted\":true}"] {
        let body = ByteBuffer(string: report + more)
        #expect(try await hub.send(.POST, "/v1/device-events", bytes: body, by: device).status == 202)
      }
      try await hub.eventually { receiver.posted.withLock { $0.count } == 2 }
      for posted in receiver.posted.withLock({ $0 }) {
        let origin = "\"deviceID\":\"\(device.id)\",\"deviceTitle\":\"Front gate\""
        let page = "/#/devices/\(device.id)/events/20261125T070500Z-9f3c01ab"
        #expect(
          posted.body.replacing("\\/", with: "/")
            .hasPrefix("{\(origin),\"event\":\(report)},\"page\":\"\(page)\",\"receivedAt\":"), "\(posted.body)")
        #expect(posted.body.hasSuffix(",\"type\":\"device.event\"}"))
      }
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
    let (first, second) = (report("20261125T070500Z-0000000a"), report("20261125T070500Z-0000000b"))
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

  /// The report with another value of one field, or of one of its region's.
  private static func changed(_ report: DetectedEvent, _ field: String, to value: Any) throws -> ByteBuffer {
    let object = try JSONSerialization.jsonObject(with: JSONEncoder().encode(report))
    var fields = try #require(object as? [String: Any])
    fields[field] = value
    return ByteBuffer(bytes: Array(try JSONSerialization.data(withJSONObject: fields)))
  }

  @Test(arguments: [
    ("id", ["", "a", "../../x", "20261125T070500Z-9f3c01a<", "20261125T070500Z-9f3c01ab\r\n"]),
    ("kind", ["", "Motion", "<script>", "mo\u{202E}tion", "../x", String(repeating: "x", count: 65)]),
    (
      "source",
      ["", " yard", "ya\r\nrd", "<script>alert(1)</script>", "ya\u{202E}rd", String(repeating: "x", count: 65)]
    ),
    ("rule", ["", "at\u{0}night", "</b>", "\u{2066}night", "night\n", String(repeating: "x", count: 65)]),
    ("camera", ["", "..", "../gate", "Gate", "ga te", "gate\n", "\u{202E}gate"]),
    ("detail", ["", "\u{1B}[2J", "<img src=x>", String(repeating: "x", count: 65)]),
  ])
  func textsOfReportsHaveTheirForms(field: String, values: [String]) async throws {
    let receiver = Receiver()
    let report = report()
    try await withHub(receiver) { hub in
      let device = try await hub.addDevice("gate")
      for value in values {
        let bytes = try Self.changed(report, field, to: value)
        let reply = try await hub.send(.POST, "/v1/device-events", bytes: bytes, by: device)
        #expect(reply.status == 400 && reply.detail?.hasPrefix(field) == true, "\(value): \(reply.text)")
      }
      #expect(receiver.posted.withLock { $0.isEmpty })
    }
  }

  @Test func numbersOfReportsAreBounded() async throws {
    let receiver = Receiver()
    let report = report()
    try await withHub(receiver) { hub in
      let device = try await hub.addDevice("gate")
      let values: [(String, Any)] = [
        ("score", 101), ("score", -1), ("start", -1), ("start", 253_402_300_800_000), ("start", Int64.max),
        ("region", ["x": -1, "y": 0, "width": 1, "height": 1]),
        ("region", ["x": 0, "y": 0, "width": 1_001, "height": 1]),
      ]
      for (field, value) in values {
        let bytes = try Self.changed(report, field, to: value)
        let reply = try await hub.send(.POST, "/v1/device-events", bytes: bytes, by: device)
        #expect(reply.status == 400 && reply.detail?.hasPrefix(field) == true, "\(value): \(reply.text)")
      }
      let long = try Self.changed(report, "rule", to: String(repeating: "x", count: 5_000))
      let refused = try await hub.send(.POST, "/v1/device-events", bytes: long, by: device)
      #expect(refused.status == 413 && refused.detail == "the body is larger than 4096 bytes")
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
