import HTTPConnections
import NIOCore
import NIOHTTP1
import OpenSSLCrypto
public import TLSClient

/// Asks one time-stamping authority over HTTP (RFC 3161 §3.4). Bounded in size and time; one question at a time.
public struct TimeStampClient: Sendable {
  private let origin: HTTPOrigin
  private let limit: Duration
  private let route: ProxyRoute

  /// - Parameters:
  ///   - url: `http` or `https`; nil if it is none.
  ///   - limit: of a question and its whole answer.
  ///   - route: whether the authority is reached through a proxy.
  public init?(url: String, limit: Duration = .seconds(30), route: ProxyRoute = .direct) {
    guard let origin = HTTPOrigin(url) else { return nil }
    self.origin = origin
    self.limit = limit
    self.route = route
  }

  /// The authority's answer about a SHA-256 digest: a grant for this question; who signed it is for those to verify who use it.
  public func stamp(_ digest: [UInt8]) async throws -> [UInt8] {
    let request = try TimeStampRequest(digest: digest, nonce: OpenSSLCrypto().randomUInt64())
    let answer = try await answer(to: try request.makeDER())
    try TimeStampResponse(der: answer).check(request)
    return answer
  }

  private func answer(to query: [UInt8]) async throws -> [UInt8] {
    var limits = HTTPConnectionPool.Limits()
    limits.connections = 1
    let pool = HTTPConnectionPool(origin, limits: limits, route: route)
    let result = await Result { try await ask(pool, query) }
    await pool.shutdown()
    return try result.get()
  }

  private func ask(_ pool: HTTPConnectionPool, _ query: [UInt8]) async throws -> [UInt8] {
    do {
      let answer = try await pool.exchange(
        request(query), within: limit, upTo: TimeStampResponse.maximumByteCount)
      guard answer.status == .ok else { throw TimeStampClientError.status(Int(clamping: answer.status.code)) }
      return answer.body
    } catch HTTPConnectionError.timedOut {
      throw TimeStampClientError.timedOut
    }
  }

  private func request(_ query: [UInt8]) -> HTTPRequest {
    HTTPRequest(
      .POST, origin.pathPrefix.isEmpty ? "/" : "",
      headers: [
        "Content-Type": TimeStampRequest.contentType, "Accept": TimeStampRequest.answerType,
        "User-Agent": "livesessionsd",
      ], body: .bytes(query))
  }
}

/// Why an authority gave no answer.
public enum TimeStampClientError: Error, Equatable, Sendable, CustomStringConvertible {
  case timedOut
  case status(Int)

  public var description: String {
    switch self {
    case .timedOut: "no whole answer in time"
    case .status(let code): "it answers with HTTP status \(code)"
    }
  }
}

extension Result where Failure == any Error {
  fileprivate init(_ body: () async throws -> Success) async {
    do { self = .success(try await body()) } catch { self = .failure(error) }
  }
}
