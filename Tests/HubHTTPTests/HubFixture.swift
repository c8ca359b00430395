import Foundation
import HTTPConnections
import HubCore
import HubHTTP
import HubStore
import HubStoreSQLite
import Logging
import NIOCore
import NIOFoundationCompat
import NIOHTTP1
import Signalling

/// A user or device that is logged in.
struct Member {
  var id: String
  var token: String
}

/// A real hub on a loopback port, and a client for it.
struct HubFixture {
  static let password = "long enough"
  static let metricsToken = "a token for figures"
  static let cheap = PasswordHash.Cost(logRounds: 4, blockSize: 1, parallelism: 1)

  let port: Int
  let accounts: Accounts
  let store: SQLiteStore
  let database: String
  let server: HubServer
  private let client: HTTPConnectionPool

  /// Runs `body` against a hub that is gone afterwards, with its files.
  ///
  /// - Parameters:
  ///   - closed: has no metrics.
  ///   - authorityFile: of the hub's certificate, where it has one.
  static func run(
    _ configuration: HubConfiguration = HubConfiguration(), limits: HubLimits = HubLimits(),
    passwordCost: PasswordHash.Cost = cheap, closed: Bool = false,
    authorityFile: String? = nil,
    logger: Logger = Logger(label: "hub") { _ in SwiftLogNoOpLogHandler() },
    _ body: @Sendable (HubFixture) async throws -> Void
  ) async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("hub-http-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    var configuration = configuration
    configuration.listen = ListenAddress(host: "127.0.0.1", port: 0)
    if !closed { configuration.metricsToken = Self.metricsToken }
    let store = try SQLiteStore(path: folder + "/hub.sqlite")
    let server = try await HubServer(
      configuration: configuration, store: store, limits: limits, passwordCost: passwordCost, logger: logger)
    let scheme = configuration.tls == nil ? "http" : "https"
    try await withLiveServer {
      server.makeApplication(onRunning: $0)
    } _: { port in
      let client = try Self.makeClient("\(scheme)://127.0.0.1:\(port)", authorityFile)
      let result: Result<Void, any Error>
      do {
        result = .success(
          try await body(
            HubFixture(
              port: port, accounts: Accounts(store: store), store: store, database: folder + "/hub.sqlite",
              server: server, client: client)))
      } catch {
        result = .failure(error)
      }
      await client.shutdown()
      try result.get()
    }
  }

  private static func makeClient(_ url: String, _ authorityFile: String?) throws -> HTTPConnectionPool {
    guard let origin = HTTPOrigin(url) else { throw FixtureError.noPort }
    var limits = HTTPConnectionPool.Limits()
    limits.connections = 256
    limits.idleTimeout = .seconds(60)
    return HTTPConnectionPool(origin, limits: limits, authorityFile: authorityFile)
  }

  func addPerson(_ title: String, role: AccountRole = .user, groups: Set<String> = []) async throws -> Member {
    _ = try await accounts.add(
      NewPerson(title: title, role: role, groups: groups, password: Self.password), cost: Self.cheap,
      id: UUID().uuidString, now: 0)
    return try await login(LoginRequest(userTitle: title, password: Self.password))
  }

  func addDevice(_ title: String, groups: Set<String> = []) async throws -> Member {
    let (_, key) = try await accounts.enrolDevice(
      title: title, groups: groups, replacing: false, id: UUID().uuidString, now: 0)
    return try await login(LoginRequest(userTitle: title, enrolmentKey: key.text))
  }

  func login(_ request: LoginRequest) async throws -> Member {
    let reply = try await send(.POST, "/v1/login", request)
    guard reply.status == 200 else { throw FixtureError.unexpected(reply.status, reply.text) }
    let response = try reply.decode(LoginResponse.self)
    return Member(id: response.userID, token: response.accessToken)
  }

  func renew(_ member: Member) async throws -> Member {
    let reply = try await send(.POST, "/v1/token", by: member)
    guard reply.status == 200 else { throw FixtureError.unexpected(reply.status, reply.text) }
    return Member(id: member.id, token: try reply.decode(LoginResponse.self).accessToken)
  }

  // MARK: Requests

  func send(
    _ method: HTTPMethod, _ path: String, _ body: some Encodable, by member: Member? = nil,
    headers: [(String, String)] = []
  ) async throws -> Reply {
    let bytes = ByteBuffer(data: try JSONEncoder().encode(body))
    return try await send(method, path, bytes: bytes, by: member, headers: headers)
  }

  func send(
    _ method: HTTPMethod, _ path: String, bytes: ByteBuffer? = nil, by member: Member? = nil,
    headers: [(String, String)] = []
  ) async throws -> Reply {
    let body = bytes.map { HTTPRequest.Body.bytes(Array($0.readableBytesView)) }
    let answer = try await open(method, path, body: body ?? .none, by: member, headers: headers)
    let octets = try await answer.body.collect(upTo: 64 << 20)
    return Reply(status: Int(answer.status.code), headers: answer.headers, body: ByteBuffer(bytes: octets))
  }

  /// A response whose body is still to be read.
  func open(
    _ method: HTTPMethod, _ path: String, body: HTTPRequest.Body = .none, by member: Member? = nil,
    headers: [(String, String)] = []
  ) async throws -> HTTPAnswer {
    var fields = HTTPHeaders(headers)
    if let member { fields.add(name: "Authorization", value: "Bearer \(member.token)") }
    return try await client.execute(HTTPRequest(method, path, headers: fields, body: body))
  }

  // MARK: Being online

  func publish(_ member: Member, stream: EventReader, at location: UserLocation? = nil) async throws {
    let update = PresenceUpdate(
      userLocation: location, kind: .device, isAudio: true, isVideo: true, eventStreamID: stream.streamID)
    let reply = try await send(.PUT, "/v1/presence", update, by: member)
    guard reply.status == 204 else { throw FixtureError.unexpected(reply.status, reply.text) }
  }

  /// Runs `body` with an open event stream of `member`.
  func withEvents<Value: Sendable>(
    of member: Member, after lastEventID: String? = nil, _ body: @Sendable (EventReader) async throws -> Value
  ) async throws -> Value {
    let headers = lastEventID.map { [("Last-Event-ID", $0)] } ?? []
    let response = try await open(.GET, "/v1/events", by: member, headers: headers)
    let (stream, continuation) = AsyncStream.makeStream(of: ServerSentEvent.self)
    return try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        defer { continuation.finish() }
        var parser = ServerSentEventParser()
        for try await chunk in response.body {
          for event in parser.push(Array(chunk.readableBytesView)) { continuation.yield(event) }
        }
      }
      defer { group.cancelAll() }
      return try await body(try await EventReader(stream))
    }
  }

  /// Polls until `condition` holds; the test's own time limit is the hub's.
  func eventually(_ condition: () async throws -> Bool) async throws {
    for _ in 0..<500 {
      if try await condition() { return }
      try await Task.sleep(for: .milliseconds(20))
    }
    throw FixtureError.neverHappened
  }

  func metrics() async throws -> Reply {
    try await send(.GET, "/metrics", headers: [("Authorization", "Bearer \(Self.metricsToken)")])
  }

  func metric(_ name: String) async throws -> Int? {
    let lines = try await metrics().text.split(separator: "\n")
    return lines.first { $0.hasPrefix("livesessions_hub_\(name) ") }?.split(separator: " ").last.flatMap { Int($0) }
  }
}

enum FixtureError: Error {
  case noPort
  case unexpected(Int, String)
  case streamEnded
  case neverHappened
}

/// A whole response.
struct Reply {
  var status: Int
  var headers: HTTPHeaders
  var body: ByteBuffer

  var text: String { String(buffer: body) }

  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    try JSONDecoder().decode(type, from: Data(body.readableBytesView))
  }

  /// The `type` of a problem document; nil when it is none.
  var problem: String? {
    guard headers.first(name: "Content-Type") == "application/problem+json" else { return nil }
    return try? decode(Problem.self).type
  }

  var detail: String? { (try? decode(Problem.self))?.detail }
}

/// Reads one event stream; its `hello` has been read already.
final class EventReader: Sendable {
  let streamID: String
  let hello: HelloEvent
  let helloID: String
  private let events: AsyncStream<ServerSentEvent>

  init(_ events: AsyncStream<ServerSentEvent>) async throws {
    self.events = events
    var iterator = events.makeAsyncIterator()
    guard let event = await iterator.next(), event.name == "hello" else { throw FixtureError.streamEnded }
    hello = try JSONDecoder().decode(HelloEvent.self, from: Data(event.data))
    helloID = event.id
    streamID = hello.eventStreamID
  }

  /// The next event, other than presence and the call history's, which come when they come.
  func next() async throws -> ServerSentEvent {
    for await event in events where !["presence", EventName.callHistory.rawValue].contains(event.name) { return event }
    throw FixtureError.streamEnded
  }

  /// The next event's payload, which must be of that name.
  func next<Payload: Decodable>(_ name: EventName, as type: Payload.Type) async throws -> Payload {
    let event = try await next()
    guard event.name == name.rawValue else {
      throw FixtureError.unexpected(0, "\(event.name) instead of \(name.rawValue)")
    }
    return try JSONDecoder().decode(type, from: Data(event.data))
  }

  /// The call history's next event; leaves others out.
  func nextHistory() async throws -> CallHistoryEvent {
    for await event in events where event.name == EventName.callHistory.rawValue {
      return try JSONDecoder().decode(CallHistoryEvent.self, from: Data(event.data))
    }
    throw FixtureError.streamEnded
  }
}
