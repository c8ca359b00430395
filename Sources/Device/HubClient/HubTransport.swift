import FoundationEssentials
import HTTPConnections
import MediaCore
import NIOCore
import NIOHTTP1
import Signalling
import SystemSupport

/// HTTP to the hub: one thread, few connections, bounded answers. Knows nothing of tokens or retries.
final class HubTransport: Sendable {
  /// An answer whose body has been read.
  struct Answer: Sendable {
    var status: Int
    var body: [UInt8]
    /// How long the hub asks to wait.
    var retryAfter: TimeSpan?
  }

  private static let maximumAnswer = 1 << 20
  /// The hub keeps up to 2.5 MiB of one user's events.
  private static let maximumPoll = 4 << 20

  let configuration: HubClientConfiguration
  private let connections: HTTPConnectionPool

  init(configuration: HubClientConfiguration) {
    self.configuration = configuration
    var limits = HTTPConnectionPool.Limits()
    limits.connectTimeout = configuration.requestTimeout
    limits.idleTimeout = configuration.idleTimeout
    connections = HTTPConnectionPool(configuration.origin, limits: limits, route: configuration.route)
  }

  /// One request and its whole answer within the request time-out.
  func send(_ method: HTTPMethod, _ path: String, token: String?, json: [UInt8]?) async throws(HubClientError) -> Answer
  {
    var request = HTTPRequest(method, path, headers: Self.headers(token: token))
    if let json {
      request.headers.add(name: "Content-Type", value: "application/json")
      request.body = .bytes(json)
    }
    return try await exchange(request, within: configuration.requestTimeout)
  }

  /// Opens a streamed answer; only the head is awaited within the limit.
  func open(
    _ path: String, token: String, headers: HTTPHeaders, within limit: Duration
  ) async throws(HubClientError) -> HTTPAnswer {
    let request = HTTPRequest(.GET, path, headers: Self.headers(token: token, headers))
    return try await mapErrors {
      try await withTimeLimit(limit) { try await self.connections.execute(request) }
    }
  }

  /// One request for events that the hub may keep waiting for ``EventStreamPace/longestSilence``, and its whole answer.
  func poll(_ path: String, token: String, headers: HTTPHeaders) async throws(HubClientError) -> Answer {
    let request = HTTPRequest(.GET, path, headers: Self.headers(token: token, headers))
    let limit = configuration.requestTimeout + .seconds(EventStreamPace.longestSilence)
    return try await exchange(request, within: limit, upTo: Self.maximumPoll)
  }

  /// Posts a streamed body.
  func upload(
    _ path: String, token: String, headers: HTTPHeaders, body: HTTPRequest.Body
  ) async throws(HubClientError) -> Answer {
    let request = HTTPRequest(.POST, path, headers: Self.headers(token: token, headers), body: body)
    return try await exchange(request, within: configuration.uploadTimeout)
  }

  /// Closes all connections and ends the thread.
  func shutdown() async { await connections.shutdown() }

  private func exchange(
    _ request: HTTPRequest, within limit: Duration, upTo maximum: Int = maximumAnswer
  ) async throws(HubClientError) -> Answer {
    try await mapErrors {
      try await withTimeLimit(limit) {
        let answer = try await self.connections.execute(request)
        return Answer(
          status: Int(clamping: answer.status.code), body: try await answer.body.collect(upTo: maximum),
          retryAfter: answer.retryAfter)
      }
    }
  }

  private static func headers(token: String?, _ others: HTTPHeaders = [:]) -> HTTPHeaders {
    var headers: HTTPHeaders = ["Accept": "application/json", "User-Agent": "livesessionsd/\(ProgramVersion.text)"]
    if let token { headers.add(name: "Authorization", value: "Bearer \(token)") }
    for (name, value) in others { headers.replaceOrAdd(name: name, value: value) }
    return headers
  }

  private func mapErrors<Value>(_ operation: () async throws -> Value) async throws(HubClientError) -> Value {
    do {
      return try await operation()
    } catch let error as HubClientError {
      throw error
    } catch HTTPConnectionError.timedOut, ChannelError.connectTimeout {
      throw .timedOut
    } catch {
      throw .unreachable(ConnectionFailure.message(for: error))
    }
  }
}

extension HubTransport.Answer {
  /// The JSON of a successful answer.
  func decode<Value: Decodable>(_ type: Value.Type = Value.self) throws(HubClientError) -> Value {
    do {
      return try JSONDecoder().decode(type, from: Data(body))
    } catch {
      throw .malformedAnswer(String(describing: error))
    }
  }

  /// Throws unless the status says success.
  func checkStatus() throws(HubClientError) {
    guard !(200..<300).contains(status) else { return }
    throw .refused(
      status: status, problem: try? JSONDecoder().decode(Problem.self, from: Data(body)), retryAfter: retryAfter)
  }
}
