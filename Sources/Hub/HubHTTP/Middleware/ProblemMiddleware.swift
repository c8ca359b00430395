internal import HTTPTypes
internal import HubCore
internal import HubStore
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
    } catch HubStoreError.unavailable {
      let refusal = HubRefusal.overloaded("accounts cannot be reached", retryAfter: .random(in: 1...5))
      return response(refusal.problem, retryAfter: refusal.retryAfter)
    } catch HubStoreError.diskFull {
      let refusal = HubRefusal.overloaded("the disk of the hub's database is full or read-only", retryAfter: 30)
      return response(refusal.problem, retryAfter: refusal.retryAfter)
    } catch let error as NIOTooManyBytesError {
      return response(.tooLarge(error.maxBytes ?? maximumJSONBytes))
    } catch let error as HTTPError {
      return response(problem(for: error))
    } catch is CancellationError {
      throw CancellationError()
    } catch let failure as RequestFailure {
      return response(failure.problem, headers: failure.headers)
    } catch let error where isClientAbort(error) {
      context.logger.debug("a client went away during its request", metadata: ["error": "\(error)"])
      return response(.malformed("the request is not whole"))
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

  private func response(_ problem: Problem, retryAfter: Int? = nil, headers: HTTPFields = [:]) -> Response {
    var response = Response.text(
      problem.json, type: Problem.mediaType, status: HTTPResponse.Status(code: problem.status))
    for field in headers { response.headers[field.name] = field.value }
    if let retryAfter { response.headers[.retryAfter] = "\(retryAfter)" }
    if problem.status == 401 { response.headers[.wwwAuthenticate] = "Bearer" }
    return response
  }
}
