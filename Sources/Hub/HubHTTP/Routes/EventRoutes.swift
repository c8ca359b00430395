internal import Foundation
internal import HTTPTypes
internal import HubCore
internal import Hummingbird
internal import Signalling

/// `GET /v1/events`: server-sent events with ids; with the query `poll`, those that there are, or one that comes soon.
struct EventRoutes {
  static let path = "/v1/events"

  let hub: Hub
  let principals: PrincipalCache
  let admission: LoginRateLimiter

  func add(to router: some RouterMethods<HubRequestContext>) {
    router.get(RouterPath(Self.path)) { request, context in
      let claims = try context.claims
      let principal = try context.principal
      let lastEventID = HTTPField.Name("Last-Event-ID").flatMap { request.headers[$0] }
      if let streamID = request.uri.queryParameters[Substring(EventStreamPace.pollQuery)] {
        let poll = EventPoll(
          hub: hub, principals: principals, admission: admission, principal: principal, claims: claims)
        return try await poll.answer(String(streamID), after: lastEventID ?? "")
      }
      try admission.admit(.stream, of: principal.userID)
      try await hub.backplane.checkStreamLimit(of: principal.userID)
      await context.channel.closeWhenPeerIsDead()
      return Response(
        status: .ok, headers: Self.headers,
        body: ResponseBody { writer in
          guard let writer = writer as? ConnectionWriter else { throw ClientAbort() }
          // The stream opens here, not before: only what has begun to write is sure to be closed again.
          try await EventStream.open(
            UUID().uuidString.lowercased(), of: principal, claims, after: lastEventID, hub, principals, writer)
        })
    }
  }

  /// Nothing follows on this connection: a client that resumes at once must not try its next request on it. Proxies are
  /// asked to pass on each event as it comes: nginx and those that follow it by a field of its own, others by RFC 9111
  /// section 5.2.2.6.
  private static var headers: HTTPFields {
    var fields: HTTPFields = [
      .contentType: "text/event-stream", .cacheControl: "no-store, no-transform", .connection: "close",
    ]
    if let buffering = HTTPField.Name("X-Accel-Buffering") { fields[buffering] = "no" }
    return fields
  }
}

extension LoggedEvent {
  /// The event as the stream has it (WHATWG HTML, section 9.2.6).
  var wireText: String { (id.map { "id: \($0)\n" } ?? "") + "event: \(name.rawValue)\ndata: \(data)\n\n" }
}
