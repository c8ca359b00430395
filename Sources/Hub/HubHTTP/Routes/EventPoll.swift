internal import Foundation
internal import HubCore
internal import Hummingbird
internal import Signalling

/// One request for the events of a polled stream: long polling of the log that streams read, in their format.
///
/// The first request opens the stream and is answered with `hello` at once; the next ones name it and the last event, and
/// are answered when there is another, or after ``Signalling/EventStreamPace/longestSilence``. A request that does not
/// follow the last answer opens another stream.
struct EventPoll {
  let hub: Hub
  let principals: PrincipalCache
  let admission: LoginRateLimiter
  let principal: Principal
  let claims: AccessClaims

  /// - Parameter streamID: of the answer before; empty in a first request.
  func answer(_ streamID: String, after lastEventID: String) async throws -> Response {
    try hub.polledStreams.admit(principal.userID, now: .now)
    if let stream = hub.polledStreams.take(streamID, of: principal.userID, after: lastEventID),
      let events = try await follow(stream)
    {
      return Self.response(events)
    }
    return Self.response(try await open(after: lastEventID))
  }

  private func open(after lastEventID: String) async throws -> [LoggedEvent] {
    try admission.admit(.stream, of: principal.userID)
    try await hub.backplane.checkStreamLimit(of: principal.userID)
    let streamID = UUID().uuidString.lowercased()
    let opening = try await hub.backplane.openStream(streamID, for: principal, lastEventID: lastEventID)
    let stream = PolledStream(
      streamID: streamID, userID: principal.userID, cursor: opening.cursor,
      lastEventID: opening.hello.id ?? lastEventID)
    return [opening.hello] + (try await closingOnFailure(stream) { try await read(stream) } ?? [])
  }

  /// What comes next; nil when the stream had to be closed.
  private func follow(_ stream: PolledStream) async throws -> [LoggedEvent]? {
    try await closingOnFailure(stream) {
      let wakeups = hub.streams.register(
        stream.streamID, until: claims.exp, login: claims.loginID, waitsLong: true)
      defer { hub.streams.unregister(stream.streamID) }
      guard let events = try await hub.backplane.readStream(stream.streamID, of: stream.userID, after: stream.cursor)
      else { return nil }
      if !events.events.isEmpty { return keep(stream, events) }
      await Self.next(wakeups)
      guard try await principals.principal(for: claims) != nil else { throw HubRefusal.notAuthenticated }
      return try await read(stream)
    }
  }

  private static func next(_ wakeups: AsyncStream<Void>) async {
    var iterator = wakeups.makeAsyncIterator()
    _ = await iterator.next()
  }

  private func read(_ stream: PolledStream) async throws -> [LoggedEvent]? {
    try await hub.backplane.readStream(stream.streamID, of: stream.userID, after: stream.cursor).map {
      keep(stream, $0)
    }
  }

  private func keep(_ stream: PolledStream, _ read: (events: [LoggedEvent], cursor: UInt64)) -> [LoggedEvent] {
    var stream = stream
    let repeated = stream.unnumbered
    stream.cursor = read.cursor
    stream.lastEventID = read.events.last { $0.id != nil }?.id ?? stream.lastEventID
    stream.unnumbered = read.events.filter { $0.id == nil }
    if hub.polledStreams.putBack(stream, now: .now) { hub.clock.wake() }
    return repeated + read.events
  }

  /// Closes the stream unless `body` has kept it.
  private func closingOnFailure(
    _ stream: PolledStream, _ body: () async throws -> [LoggedEvent]?
  ) async throws -> [LoggedEvent]? {
    do {
      if let events = try await body() { return events }
    } catch {
      hub.backplane.closeStream(stream.streamID, of: stream.userID)
      throw error
    }
    hub.backplane.closeStream(stream.streamID, of: stream.userID)
    return nil
  }

  private static func response(_ events: [LoggedEvent]) -> Response {
    let text = events.isEmpty ? ": still here\n\n" : events.map(\.wireText).joined()
    return .text(text, type: "text/event-stream")
  }
}
