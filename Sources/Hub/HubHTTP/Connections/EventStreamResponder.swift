internal import Hummingbird

/// Has requests for event streams answered in tasks of their own, which end before the stream begins to be written.
///
/// A task keeps the memory of its deepest calls until it ends (1 KiB pieces), and a stream's task lives for days: router,
/// middleware and the checks of a token would hold some 20 KiB of each.
struct EventStreamResponder<Base: HTTPResponder>: HTTPResponder where Base.Context == HubRequestContext {
  let base: Base

  func respond(to request: Request, context: HubRequestContext) async throws -> Response {
    guard request.uri.path == EventRoutes.path else { return try await base.respond(to: request, context: context) }
    let answering = Task { try await base.respond(to: request, context: context) }
    return try await withTaskCancellationHandler {
      try await answering.value
    } onCancel: {
      answering.cancel()
    }
  }
}
