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
      return .refusal(refusal)
    } catch HubStoreError.unavailable {
      return .refusal(.overloaded("accounts cannot be reached", retryAfter: .random(in: 1...5)))
    } catch HubStoreError.diskFull {
      return .refusal(.overloaded("the disk of the hub's database is full or read-only", retryAfter: 30))
    } catch let error as NIOTooManyBytesError {
      return .problem(.tooLarge(error.maxBytes ?? maximumJSONBytes))
    } catch let error as HTTPError {
      return .problem(problem(for: error))
    } catch is CancellationError {
      throw CancellationError()
    } catch let failure as RequestFailure {
      return .problem(failure.problem, headers: failure.headers)
    } catch let error where isClientAbort(error) {
      context.logger.debug("a client went away during its request", metadata: ["error": "\(error)"])
      return .problem(.malformed("the request is not whole"))
    } catch {
      context.logger.error("request failed", metadata: ["error": "\(type(of: error))"])
      return .problem(Problem(type: "internal", title: "The hub failed to handle this", status: 500))
    }
  }

  private func problem(for error: HTTPError) -> Problem {
    let status = error.status
    if status == .notFound { return Problem(type: "not-found", title: "No such resource", status: 404) }
    return Problem(type: "http-error", title: status.reasonPhrase, status: status.code, detail: error.body)
  }
}

extension Response {
  static func refusal(_ refusal: HubRefusal) -> Response {
    var response = problem(refusal.problem)
    if let seconds = refusal.retryAfter { response.headers[.retryAfter] = "\(seconds)" }
    return response
  }

  /// A problem document.
  static func problem(_ problem: Problem, headers: HTTPFields = [:]) -> Response {
    var response = text(problem.json, type: Problem.mediaType, status: HTTPResponse.Status(code: problem.status))
    for field in headers { response.headers[field.name] = field.value }
    if problem.status == 401 { response.headers[.wwwAuthenticate] = "Bearer" }
    return response
  }
}
