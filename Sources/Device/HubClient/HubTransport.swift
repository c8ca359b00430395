import AsyncHTTPClient
import FoundationEssentials
import NIOCore
import NIOHTTP1
import NIOPosix
import Signalling

/// HTTP to the hub: one thread, few connections, bounded answers. Knows nothing of tokens or retries.
final class HubTransport: Sendable {
  /// An answer whose body has been read.
  struct Answer: Sendable {
    var status: Int
    var body: [UInt8]
  }

  private static let maximumAnswer = 1 << 20
  private static let timeouts: [HTTPClientError] = [
    .deadlineExceeded, .readTimeout, .writeTimeout, .connectTimeout, .getConnectionFromPoolTimeout,
  ]

  let configuration: HubClientConfiguration
  private let threads = MultiThreadedEventLoopGroup(numberOfThreads: 1)
  private let client: HTTPClient

  init(configuration: HubClientConfiguration) {
    self.configuration = configuration
    let idle = TimeAmount(configuration.idleTimeout)
    var settings = HTTPClient.Configuration()
    settings.timeout = .init(connect: TimeAmount(configuration.requestTimeout), read: idle, write: idle)
    // A redirect could carry the bearer token to somebody else.
    settings.redirectConfiguration = .disallow
    settings.connectionPool.idleTimeout = .seconds(60)
    settings.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 8
    // A retry belongs to who knows whether repeating is harmless.
    settings.connectionPool.retryConnectionEstablishment = false
    settings.decompression = .disabled
    client = HTTPClient(eventLoopGroupProvider: .shared(threads), configuration: settings)
  }

  /// One request and its whole answer within the request time-out.
  func send(_ method: HTTPMethod, _ path: String, token: String?, json: [UInt8]?) async throws(HubClientError) -> Answer
  {
    var request = makeRequest(method, path, token: token)
    if let json {
      request.headers.add(name: "Content-Type", value: "application/json")
      request.body = .bytes(json)
    }
    let finished = request
    return try await mapErrors {
      try await withTimeLimit(self.configuration.requestTimeout) {
        let response = try await self.client.execute(finished, deadline: .distantFuture)
        let body = try await response.body.collect(upTo: Self.maximumAnswer)
        return Answer(status: Int(clamping: response.status.code), body: Array(body.readableBytesView))
      }
    }
  }

  /// Opens a streamed answer; only the head is awaited within the request time-out.
  func open(
    _ path: String, token: String, headers: [(String, String)]
  ) async throws(HubClientError) -> HTTPClientResponse {
    var request = makeRequest(.GET, path, token: token)
    for (name, value) in headers { request.headers.replaceOrAdd(name: name, value: value) }
    let finished = request
    return try await mapErrors {
      try await self.client.execute(finished, timeout: TimeAmount(self.configuration.requestTimeout))
    }
  }

  /// Posts a streamed body.
  func upload(
    _ path: String, token: String, headers: [(String, String)], body: HTTPClientRequest.Body
  ) async throws(HubClientError) -> Answer {
    var request = makeRequest(.POST, path, token: token)
    for (name, value) in headers { request.headers.replaceOrAdd(name: name, value: value) }
    request.body = body
    let finished = request
    return try await mapErrors {
      try await withTimeLimit(self.configuration.uploadTimeout) {
        let response = try await self.client.execute(finished, deadline: .distantFuture)
        let answer = try await response.body.collect(upTo: Self.maximumAnswer)
        return Answer(status: Int(clamping: response.status.code), body: Array(answer.readableBytesView))
      }
    }
  }

  /// Closes all connections and ends the thread.
  func shutdown() async {
    // Both fail only when they have been shut down already.
    try? await client.shutdown()
    try? await threads.shutdownGracefully()
  }

  private func makeRequest(_ method: HTTPMethod, _ path: String, token: String?) -> HTTPClientRequest {
    var request = HTTPClientRequest(url: configuration.baseURL + path)
    request.method = method
    request.headers.add(name: "Accept", value: "application/json")
    request.headers.add(name: "User-Agent", value: "livesessionsd")
    if let token { request.headers.add(name: "Authorization", value: "Bearer \(token)") }
    return request
  }

  private func mapErrors<Value>(_ operation: () async throws -> Value) async throws(HubClientError) -> Value {
    do {
      return try await operation()
    } catch let error as HubClientError {
      throw error
    } catch let error as HTTPClientError where Self.timeouts.contains(error) {
      throw .timedOut
    } catch {
      throw .unreachable(ConnectionFailure.words(for: error))
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
    throw .refused(status: status, problem: try? JSONDecoder().decode(Problem.self, from: Data(body)))
  }
}
