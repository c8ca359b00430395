import HTTPConnections
import Logging
import MediaCore
import NIOCore
import NIOHTTP1
import Signalling

extension HubClient {
  /// Reads the event stream until the task is cancelled, and hands each event over, one at a time and in order.
  ///
  /// The stream is opened again whenever it breaks, after the last event that was handed over, so that the hub can
  /// send what was missed. While `deliver` runs nothing is read: a slow receiver slows the hub down instead of
  /// filling memory here, so it should pass work on rather than do it.
  public func run(_ deliver: (HubStreamEvent) async -> Void) async {
    var position = EventStreamResumption()
    let pauses = transport.configuration.reconnectPauses
    var pause = Backoff(initial: TimeSpan(pauses.lowerBound), maximum: TimeSpan(pauses.upperBound))
    while !Task.isCancelled {
      let opened = ContinuousClock.now
      var requested: TimeSpan?
      do {
        try await readStream(&position, deliver)
        continue
      } catch {
        requested = error.retryAfter
        if !Task.isCancelled { reachability.failed(error) }
      }
      if Task.isCancelled { break }
      if position.isOpen {
        position.isOpen = false
        await deliver(.closed)
      }
      if ContinuousClock.now - opened > .seconds(10) { pause.reset() }
      let wait = Duration(pause.next(random: .random(in: 0..<1), requested: requested))
      // Cancelled: the loop's condition ends it.
      if await retryPause.wait(for: max(wait, position.reconnectionTime)) { pause.reset() }
    }
  }

  /// Returns when the hub has ended the stream together with the token that it was opened with, and there is another
  /// token; throws for any other end.
  private func readStream(
    _ position: inout EventStreamResumption, _ deliver: (HubStreamEvent) async -> Void
  ) async throws(HubClientError) {
    let (response, token) = try await openStream(after: position.lastEventID)
    reachability.succeeded()
    var parser = ServerSentEventParser(lastEventID: position.lastEventID)
    do {
      for try await chunk in response.body {
        for event in parser.push(Array(chunk.readableBytesView)) {
          await handle(event, &position, deliver)
          position.lastEventID = event.id
        }
        if parser.skippedEvents > 0, !position.hasSkipped { skip("one that is too long", &position) }
        position.reconnectionTime = parser.reconnectionTime.map { .milliseconds($0) } ?? .zero
      }
    } catch {
      throw .unreachable(ConnectionFailure.words(for: error))
    }
    guard try await credentials.current().text != token.text else { throw .unreachable("the event stream ended") }
  }

  private func handle(
    _ event: ServerSentEvent, _ position: inout EventStreamResumption, _ deliver: (HubStreamEvent) async -> Void
  ) async {
    do {
      guard let typed = try HubEvent(event) else { return }
      if case .hello = typed { position.isOpen = true }
      await deliver(.event(typed))
    } catch {
      skip("\(error)", &position)
    }
  }

  private func skip(_ cause: String, _ position: inout EventStreamResumption) {
    let level = position.hasSkipped ? Logger.Level.debug : .warning
    position.hasSkipped = true
    logger.log(level: level, "an event of the hub was skipped: \(cause); further ones are logged at level debug")
  }

  private func openStream(
    after lastEventID: String
  ) async throws(HubClientError) -> (response: HTTPAnswer, token: AccessToken) {
    var headers: HTTPHeaders = ["Accept": "text/event-stream", "Cache-Control": "no-store"]
    if !lastEventID.isEmpty { headers.add(name: "Last-Event-ID", value: lastEventID) }
    var token = try await credentials.current()
    var response = try await transport.open("/v1/events", token: token.text, headers: headers)
    if response.status.code == 401 {
      token = try await credentials.replacement(for: token)
      response = try await transport.open("/v1/events", token: token.text, headers: headers)
    }
    guard response.status.code == 200 else {
      throw .refused(
        status: Int(clamping: response.status.code), problem: nil, retryAfter: response.retryAfter)
    }
    let contentType = response.headers.first(name: "Content-Type") ?? ""
    guard contentType.lowercased().hasPrefix("text/event-stream") else {
      throw .malformedAnswer("the event stream has the type \(contentType.prefix(64))")
    }
    return (response, token)
  }
}
