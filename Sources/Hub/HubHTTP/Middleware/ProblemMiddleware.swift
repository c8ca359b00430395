internal import Foundation
internal import HTTPTypes
internal import HubCore
internal import Hummingbird
internal import Logging
internal import NIOCore
internal import Signalling

/// Turns every error into a problem document (RFC 9457).
struct ProblemMiddleware: RouterMiddleware {
  func handle(
    _ request: Request, context: HubRequestContext, next: NextResponder
  ) async throws -> Response {
    do {
      return try await next(request, context)
    } catch let refusal as HubRefusal {
      return response(refusal.problem, retryAfter: refusal.retryAfter)
    } catch is NIOTooManyBytesError {
      let limit = "the body is larger than \(maximumJSONBytes) bytes"
      return response(Problem(type: "too-large", title: "Body too large", status: 413, detail: limit))
    } catch let error as HTTPError {
      return response(problem(for: error))
    } catch is CancellationError {
      throw CancellationError()
    } catch {
      context.logger.error("request failed", metadata: ["error": "\(type(of: error))"])
      return response(Problem(type: "internal", title: "The hub failed to handle this", status: 500))
    }
  }

  private func problem(for error: HTTPError) -> Problem {
    let status = error.status
    if status == .notFound { return Problem(type: "not-found", title: "No such resource", status: 404) }
    return Problem(type: "http-error", title: status.reasonPhrase, status: status.code, detail: error.body)
  }

  private func response(_ problem: Problem, retryAfter: Int? = nil) -> Response {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let body = (try? encoder.encode(problem)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
    var response = Response.text(
      body, type: "application/problem+json", status: HTTPResponse.Status(code: problem.status))
    if let retryAfter { response.headers[.retryAfter] = "\(retryAfter)" }
    if problem.status == 401 { response.headers[.wwwAuthenticate] = "Bearer" }
    return response
  }
}
