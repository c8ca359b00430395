import HTTPConnections
import MediaCore
import NIOCore
import NIOHTTP1
import ObjectStorage
import TLSClient

/// One request after the other to one store, each with a bounded answer.
final class StoreConnection: Sendable {
  struct Answer: Sendable {
    var status: Int
    var headers: HTTPHeaders
    var body: [UInt8]
    var retryAfter: TimeSpan?

    var isSuccess: Bool { (200..<300).contains(status) }
  }

  private static let longestAnswer = XMLLeaves.maximumByteCount
  /// For the body of an answer; a store that joins parts keeps the connection alive with blanks for minutes.
  private static let longestAnswerTime = Duration.seconds(600)

  let origin: HTTPOrigin
  private let pool: HTTPConnectionPool

  /// - Parameters:
  ///   - authorityFile: certificates (PEM) that are trusted besides the system's.
  ///   - route: whether the store is reached through a proxy.
  init(url: String, authorityFile: String?, route: ProxyRoute) throws(UploadFailure) {
    guard let origin = HTTPOrigin(url) else {
      throw UploadFailure(cause: .settings, text: "\(url) is no address", remedy: "correct it in [upload]")
    }
    self.origin = origin
    var limits = HTTPConnectionPool.Limits()
    limits.connections = 1
    // The store may put many parts together before it answers.
    limits.idleTimeout = .seconds(120)
    pool = HTTPConnectionPool(origin, limits: limits, authorityFile: authorityFile, route: route)
  }

  /// - Throws: ``UploadFailure`` where the store gave no answer; `CancellationError`.
  func send(_ request: HTTPRequest) async throws -> Answer {
    do {
      var request = request
      request.headers.replaceOrAdd(name: "User-Agent", value: "livesessionsd")
      let answer = try await pool.execute(request)
      return Answer(
        status: Int(clamping: answer.status.code), headers: answer.headers,
        body: try await answer.body.collect(upTo: Self.longestAnswer, within: Self.longestAnswerTime),
        retryAfter: answer.retryAfter)
    } catch let failure as UploadFailure {
      throw failure
    } catch {
      try Task.checkCancellation()
      throw UploadFailure.connection(error, to: "\(origin.host)")
    }
  }

  /// Ends the connection and its thread.
  func shutdown() async { await pool.shutdown() }
}
