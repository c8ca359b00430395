internal import Foundation
internal import HTTPTypes
internal import HubCore
internal import Hummingbird
internal import ServiceLifecycle
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
          try await serve(principal, claims, lastEventID: lastEventID, request: request, writer: &writer)
          try await writer.finish(nil)
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

  /// Runs until the client goes, its token runs out or is revoked, the stream overruns, or the hub stops.
  ///
  /// The stream opens here, not before: only what has begun to write is sure to be closed again.
  @concurrent
  private func serve(
    _ principal: Principal, _ claims: AccessClaims, lastEventID: String?, request: Request,
    writer: inout any ResponseBodyWriter
  ) async throws {
    let streamID = UUID().uuidString.lowercased()
    let wakeups = hub.streams.register(streamID, until: claims.exp, login: claims.loginID)
    defer { hub.streams.unregister(streamID) }
    let opening = try await hub.backplane.openStream(streamID, for: principal, lastEventID: lastEventID)
    defer { hub.backplane.closeStream(streamID, of: principal.userID) }
    try await writer.write(ByteBuffer(string: opening.hello.wireText))
    try await request.body.consumeWithCancellationOnInboundClose { _ in
      try await withGracefulShutdownHandler {
        try await write(streamID, to: &writer, claims: claims, from: opening.cursor, wakeups: wakeups)
      } onGracefulShutdown: {
        hub.streams.unregister(streamID)
      }
    }
  }

  @concurrent
  private func write(
    _ streamID: String, to writer: inout any ResponseBodyWriter, claims: AccessClaims, from start: UInt64,
    wakeups: AsyncStream<Void>
  ) async throws {
    var cursor = start
    var isFirst = true
    var iterator = wakeups.makeAsyncIterator()
    repeat {
      guard try await principals.principal(for: claims) != nil,
        let read = try await hub.backplane.readStream(streamID, of: claims.sub, after: cursor)
      else { return }
      cursor = read.cursor
      if !read.events.isEmpty {
        try await writer.write(ByteBuffer(string: read.events.map(\.wireText).joined()))
      } else if !isFirst {
        try await writer.write(ByteBuffer(string: ": still here\n\n"))
      }
      isFirst = false
    } while await iterator.next() != nil
  }
}

extension LoggedEvent {
  /// The event as the stream has it (WHATWG HTML, section 9.2.6).
  var wireText: String { (id.map { "id: \($0)\n" } ?? "") + "event: \(name.rawValue)\ndata: \(data)\n\n" }
}
