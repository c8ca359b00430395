import Logging
import NIOHTTP1
import SystemSupport

/// Lets requests through that bear the token.
final class TokenGate: Sendable {
  private let token: (@Sendable () throws -> String)?
  private let logger: Logger
  /// Refusals are logged once, until a request is let through again.
  private let isReported = Mutex(false)

  /// - Parameter token: nil lets all through.
  init(_ token: (@Sendable () throws -> String)?, _ logger: Logger) {
    self.token = token
    self.logger = logger
  }

  /// Why a request is not let through; nil where it is.
  func refusal(of request: LocalHTTPRequest) -> LocalHTTPResponse? {
    guard let token else { return nil }
    do {
      if let given = request.bearerToken, !given.isEmpty, constantTimeEqual(given.utf8, try token().utf8) {
        isReported.withLock { $0 = false }
        return nil
      }
      report(.notice, "a request by HTTP was refused: its token is missing or wrong")
    } catch {
      report(.error, "requests by HTTP are refused: \(error)")
    }
    var response = LocalHTTPResponse.failure(.unauthorized)
    response.headers = [("WWW-Authenticate", "Bearer")]
    return response
  }

  private func report(_ level: Logger.Level, _ message: Logger.Message) {
    let wasReported = isReported.withLock { isReported in
      defer { isReported = true }
      return isReported
    }
    if !wasReported { logger.log(level: level, message) }
  }
}
