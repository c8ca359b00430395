import Foundation
import HubCore
import HubHTTP
import Logging
import NIOHTTP1
import Signalling
import SystemSupport
import NIOCore
import Testing

/// One stranger and many connections; the others do not notice.
@Suite(.timeLimit(.minutes(1)), .serialized)
struct ConnectionTests {
  private static let slowBody = "POST /v1/login HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\n\r\n"
  private static let health = "GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"

  private func configuration(
    total: Int = 64, perAddress: Int = 8, requestTimeout: Duration = .seconds(30), proxies: [AddressRange] = []
  ) -> HubConfiguration {
    var configuration = HubConfiguration()
    configuration.connections.total = total
    configuration.connections.perAddress = perAddress
    configuration.connections.requestTimeout = requestTimeout
    configuration.connections.stallTimeout = .seconds(1)
    configuration.trustedProxies = proxies
    return configuration
  }

  @Test func whoFloodsDisplacesTheirOwnConnections() async throws {
    try await HubFixture.run(configuration()) { hub in
      let flood = try (0..<40).map { _ in try RawConnection(port: hub.port, from: "127.0.0.2") }
      for connection in flood { connection.send(Self.slowBody) }
      try await hub.eventually { try await hub.metric("connections_evicted_total") == 32 }
      var closed = 0
      for connection in flood where await connection.receive(within: .milliseconds(200)).isClosed { closed += 1 }
      #expect(closed == 32)
      let bystander = try RawConnection(port: hub.port, from: "127.0.0.3")
      bystander.send(Self.health)
      #expect(await bystander.receive(until: "ok").statuses == [200])
    }
  }

  @Test func membersStayAndNewcomersGetInWhileTheHubIsFull() async throws {
    let loopback = try #require(AddressRange("127.0.0.0/8"))
    try await HubFixture.run(configuration(total: 16, proxies: [loopback])) { hub in
      let device = try await hub.addDevice("door")
      let user = try await hub.addPerson("user")
      try await hub.withEvents(of: device) { events in
        try await hub.publish(device, stream: events)
        var flood: [RawConnection] = []
        for index in 0..<200 {
          let connection = try RawConnection(port: hub.port, from: "127.0.0.\(2 + index % 2)")
          connection.send(Self.slowBody)
          flood.append(connection)
        }
        let newcomer = try RawConnection(port: hub.port, from: "127.0.0.9")
        newcomer.send(Self.health)
        #expect(await newcomer.receive(until: "ok").statuses == [200])
        #expect(try await hub.send(.GET, "/v1/users", by: user).text.contains("door"))
        #expect(try await hub.metric("event_streams") == 1)
        #expect(try #require(try await hub.metric("connections_evicted_total")) >= 180)
        #expect(try #require(try await hub.metric("member_connections")) >= 1)
      }
    }
  }

  @Test func whereMembersFillAnAddressANewConnectionIsRefused() async throws {
    try await HubFixture.run(configuration(perAddress: 2)) { hub in
      let user = try await hub.addPerson("user")
      let members = try (0..<2).map { _ in try RawConnection(port: hub.port, from: "127.0.0.2") }
      for member in members {
        member.send(
          "GET /v1/users HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer \(user.token)\r\n\r\n")
        #expect(await member.receive(until: "items").statuses == [200])
      }
      let refused = await (try RawConnection(port: hub.port, from: "127.0.0.2")).receive()
      #expect(refused.statuses == [503] && refused.isProblem && refused.isClosed, "\(refused.text)")
      #expect(try await hub.metric("connections_refused_total") == 1)
    }
  }

  @Test func anAnonymousUserIsAStranger() async throws {
    var configuration = configuration(perAddress: 4)
    configuration.anonymousLogin = true
    try await HubFixture.run(configuration) { hub in
      let user = try await hub.login(.init(userTitle: "somebody"))
      let first = try RawConnection(port: hub.port, from: "127.0.0.2")
      first.send("GET /v1/users HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer \(user.token)\r\n\r\n")
      #expect(await first.receive(until: "items").statuses == [200])
      let others = try (0..<4).map { _ in try RawConnection(port: hub.port, from: "127.0.0.2") }
      #expect(await first.receive().isClosed)
      others[3].send(Self.health)
      #expect(await others[3].receive(until: "ok").statuses == [200])
    }
  }

  @Test(arguments: [slowBody + "{", "GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nX: "])
  func aRequestHasToBeWholeInTime(beginning: String) async throws {
    try await HubFixture.run(configuration(requestTimeout: .seconds(1))) { hub in
      let connection = try RawConnection(port: hub.port)
      connection.send(beginning)
      let dribble = Task {
        while !Task.isCancelled {
          connection.send(" ")
          try await Task.sleep(for: .milliseconds(100))
        }
      }
      let received = await connection.receive()
      dribble.cancel()
      #expect(received.statuses == [408] && received.isProblem && received.isClosed, "\(received.text)")
      #expect(try await hub.metric("requests_timed_out_total") == 1)
    }
  }

  @Test func aConnectionOnWhichNothingComesIsClosed() async throws {
    try await HubFixture.run(configuration(requestTimeout: .seconds(1))) { hub in
      let received = await (try RawConnection(port: hub.port)).receive()
      #expect(received.bytes.isEmpty && received.isClosed)
    }
  }

  @Test func anUploadThatBringsTooLittleIsEnded() async throws {
    try await HubFixture.run(configuration(requestTimeout: .seconds(1))) { hub in
      let device = try await hub.addDevice("door")
      let connection = try RawConnection(port: hub.port)
      let head = "POST /v1/uploads/x HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer \(device.token)\r\n"
      connection.send("\(head)Content-Length: 1000\r\n\r\n")
      let received = await connection.receive()
      #expect(received.statuses == [404] && received.isClosed, "\(received.text)")
    }
  }

  @Test func pipelinedRequestsAreAnsweredInOrderAndNoFasterThanAClientMay() async throws {
    var configuration = configuration()
    configuration.connections.requestRate = 20
    try await HubFixture.run(configuration) { hub in
      let flood = try (0..<8).map { _ in try RawConnection(port: hub.port, from: "127.0.0.2") }
      for connection in flood { connection.send(String(repeating: Self.health, count: 400)) }
      try await Task.sleep(for: .milliseconds(200))
      let begin = ContinuousClock.now
      let bystander = try RawConnection(port: hub.port, from: "127.0.0.3")
      bystander.send(Self.health)
      #expect(await bystander.receive(until: "ok").statuses == [200])
      #expect(begin.duration(to: .now) < .milliseconds(300))
      var answers: [Int] = []
      for connection in flood {
        let received = await connection.receive(until: "ok")
        #expect(!received.isClosed)
        answers += received.statuses
      }
      #expect(answers.count >= 8 && answers.count < 200 && answers.allSatisfy { $0 == 200 })
      #expect(try #require(try await hub.metric("requests_delayed_total")) > 0)
    }
  }

  @Test func allThatIsPipelinedIsAnsweredBeforeTheEnd() async throws {
    var configuration = configuration()
    configuration.connections.requestRate = 100
    try await HubFixture.run(configuration) { hub in
      let connection = try RawConnection(port: hub.port)
      let post = "POST /v1/login HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
      let chunked = post + "Transfer-Encoding: chunked\r\n\r\n4\r\n{\n\n}\r\n0\r\n\r\n"
      let whole = post + "Content-Length: 4\r\n\r\n\n\n{}"
      connection.send(String(repeating: Self.health + chunked + whole, count: 50) + "GET / HTTP/1.1\r\n\r\n")
      let received = await connection.receive()
      #expect(received.statuses == Array(repeating: [200, 400, 400], count: 50).flatMap(\.self) + [400])
      #expect(received.isClosed && received.text.hasSuffix("}") && received.text.contains("Host: is missing"))
    }
  }

  /// More than may wait to be sent.
  @Test func aLongResponseArrivesWhole() async throws {
    try await HubFixture.run(configuration()) { hub in
      let reply = try await hub.send(.GET, "/v1/openapi.json")
      #expect(reply.status == 200 && reply.body.readableBytes > 200_000)
      #expect(reply.headers.first(name: "Content-Length") == "\(reply.body.readableBytes)")
    }
  }

  @Test func whoTakesNothingOfTheirResponseIsDisconnected() async throws {
    var configuration = configuration()
    (configuration.connections.requestRate, configuration.connections.anonymousRequestRate) = (100_000, 100_000)
    try await HubFixture.run(configuration) { hub in
      let connection = try RawConnection(port: hub.port)
      let head = "GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer \(HubFixture.metricsToken)\r\n\r\n"
      let requests = String(repeating: head, count: 40_000)
      let sending = Task.detached { connection.send(requests) }
      try await hub.eventually { try await hub.metric("connections_stalled_total") == 1 }
      await sending.value
    }
  }

  @Test func aClientThatGoesAwayIsNoError() async throws {
    let log = LogCapture()
    try await HubFixture.run(configuration(), logger: log.logger) { hub in
      for _ in 0..<5 {
        let connection = try RawConnection(port: hub.port)
        connection.send(Self.slowBody)
        try await Task.sleep(for: .milliseconds(20))
      }
      try await hub.eventually { log.lines(of: .debug).count { $0.contains("went away") } == 5 }
      #expect(log.lines(of: .error).isEmpty && log.lines(of: .warning).isEmpty)
    }
  }
}

/// Keeps what is logged.
private final class LogCapture: Sendable {
  private let kept = Mutex<[(Logger.Level, String)]>([])

  var logger: Logger {
    var logger = Logger(label: "hub") { _ in Handler(capture: self) }
    logger.logLevel = .debug
    return logger
  }

  func lines(of level: Logger.Level) -> [String] { kept.withLock { $0.filter { $0.0 == level }.map(\.1) } }

  private struct Handler: LogHandler {
    let capture: LogCapture
    var metadata: Logger.Metadata = [:]
    var logLevel: Logger.Level = .debug

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
      capture.kept.withLock { $0.append((event.level, "\(event.message)")) }
    }
  }
}
