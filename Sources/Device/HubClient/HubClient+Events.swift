import HTTPConnections
import Logging
import MediaCore
import NIOCore
import NIOHTTP1
import Signalling

extension HubClient {
  /// Reads the hub's events until the task is cancelled, and hands each over, one at a time and in order.
  ///
  /// The stream is opened again whenever it breaks, after the last event that was handed over, so that the hub can
  /// send what was missed. While `deliver` runs nothing is read: a slow receiver slows the hub down instead of
  /// filling memory here, so it should pass work on rather than do it. Where streams are held back, events are polled.
  public func run(_ deliver: (HubStreamEvent) async -> Void) async {
    var position = EventStreamResumption()
    let pauses = transport.configuration.reconnectPauses
    var pause = Backoff(initial: TimeSpan(pauses.lowerBound), maximum: TimeSpan(pauses.upperBound))
    while !Task.isCancelled {
      let opened = ContinuousClock.now
      var requested: TimeSpan?
      do {
        try await readEvents(&position, deliver)
        continue
      } catch {
        requested = error.retryAfter
        position.route.failed(error)
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

  private func readEvents(
    _ position: inout EventStreamResumption, _ deliver: (HubStreamEvent) async -> Void
  ) async throws(HubClientError) {
    if position.route.isPolling { return try await pollEvents(&position, deliver) }
    try await readStream(&position, greetingLimit: transport.configuration.requestTimeout, deliver)
  }

  /// Returns when the hub has ended the stream together with the token that it was opened with, and there is another
  /// token; throws for any other end. It counts as connected once the first event was read: a proxy answers for a hub
  /// that is silent, or keeps what it says.
  private func readStream(
    _ position: inout EventStreamResumption, greetingLimit: Duration, _ deliver: (HubStreamEvent) async -> Void
  ) async throws(HubClientError) {
    let end = ContinuousClock.now + greetingLimit
    let (response, token) = try await openStream(after: position.lastEventID, within: greetingLimit)
    var parser = ServerSentEventParser(lastEventID: position.lastEventID)
    var isGreeted = false
    while let chunk = try await nextChunk(of: response.body, until: isGreeted ? nil : end) {
      let events = parser.push(Array(chunk.readableBytesView))
      if !isGreeted, !events.isEmpty {
        isGreeted = true
        position.route.streamWorks()
        reachability.succeeded()
      }
      await hand(events, &position, deliver)
      if parser.skippedEvents > 0, !position.hasSkipped { skip("one that is too long", &position) }
      position.reconnectionTime = parser.reconnectionTime.map { .milliseconds($0) } ?? .zero
    }
    guard try await credentials.current().text != token.text else { throw .unreachable("the event stream ended") }
  }

  private func nextChunk(
    of body: HTTPAnswer.Body, until end: ContinuousClock.Instant?
  ) async throws(HubClientError) -> ByteBuffer? {
    do {
      guard let end else { return try await Self.nextPiece(of: body) }
      return try await withTimeLimit(end - .now) { try await Self.nextPiece(of: body) }
    } catch HubClientError.timedOut {
      throw .eventsHeldBack
    } catch {
      throw .unreachable(ConnectionFailure.message(for: error))
    }
  }

  private static func nextPiece(of body: HTTPAnswer.Body) async throws -> ByteBuffer? {
    var pieces = body.makeAsyncIterator()
    return try await pieces.next()
  }

  /// Asks for events by one request after the other, until one fails or a stream works. Throws, or returns, as a stream
  /// does.
  private func pollEvents(
    _ position: inout EventStreamResumption, _ deliver: (HubStreamEvent) async -> Void
  ) async throws(HubClientError) {
    var streamID = ""
    var nextTrial = ContinuousClock.now
    while true {
      let asked = ContinuousClock.now
      let events = try await poll(streamID, after: position.lastEventID)
      for event in events {
        if let hello = await handle(event, &position, deliver) { streamID = hello.eventStreamID }
        position.lastEventID = event.id
      }
      if streamID.isEmpty { throw .malformedAnswer("it does not begin with hello") }
      guard ContinuousClock.now >= nextTrial else {
        try? await Task.sleep(until: asked + Self.pause(after: events), clock: .continuous)
        continue
      }
      do {
        // What the hub has opened for the polls stays meanwhile.
        return try await readStream(&position, greetingLimit: Self.trialLimit, deliver)
      } catch  where position.route.isPolling && error.isSilence {
        position.route.streamIsHeldBack()
        reachability.succeededByPolling()
        nextTrial = .now + EventRoute.trialInterval
      }
    }
  }

  /// Whatever answers at once without an event, a cache perhaps, or with a greeting each time, nodes behind a balancer that
  /// takes one after the other, is not asked in a loop.
  private static func pause(after events: [ServerSentEvent]) -> Duration {
    if events.isEmpty { return .seconds(1) }
    return events[0].name == EventName.hello.rawValue ? .seconds(2) : .milliseconds(50)
  }

  /// How long a stream that is tried while events are polled may be silent: an event may wait for its end.
  private static let trialLimit: Duration = .seconds(3)

  private func poll(_ streamID: String, after lastEventID: String) async throws(HubClientError) -> [ServerSentEvent] {
    guard streamID.isEmpty || Identifier.isValid(streamID) else { throw .invalidIdentifier }
    let path = "\(Self.eventsPath)?\(EventStreamPace.pollQuery)=\(streamID)"
    let headers = Self.headers(after: lastEventID)
    let token = try await credentials.current()
    var answer = try await transport.poll(path, token: token.text, headers: headers)
    if answer.status == 401 {
      let fresh = try await credentials.replacement(for: token)
      answer = try await transport.poll(path, token: fresh.text, headers: headers)
    }
    try answer.checkStatus()
    var parser = ServerSentEventParser(lastEventID: lastEventID)
    return parser.push(answer.body)
  }

  private func hand(
    _ events: [ServerSentEvent], _ position: inout EventStreamResumption, _ deliver: (HubStreamEvent) async -> Void
  ) async {
    for event in events {
      await handle(event, &position, deliver)
      position.lastEventID = event.id
    }
  }

  /// Returns the hub's greeting, if it is that.
  @discardableResult
  private func handle(
    _ event: ServerSentEvent, _ position: inout EventStreamResumption, _ deliver: (HubStreamEvent) async -> Void
  ) async -> HelloEvent? {
    do {
      guard let typed = try HubEvent(event) else { return nil }
      await deliver(.event(typed))
      guard case .hello(let hello) = typed else { return nil }
      position.isOpen = true
      return hello
    } catch {
      skip("\(error)", &position)
      return nil
    }
  }

  private func skip(_ cause: String, _ position: inout EventStreamResumption) {
    let level = position.hasSkipped ? Logger.Level.debug : .warning
    position.hasSkipped = true
    logger.log(level: level, "an event of the hub was skipped: \(cause); further ones are logged at level debug")
  }

  private static let eventsPath = "/v1/events"

  private static func headers(after lastEventID: String) -> HTTPHeaders {
    var headers: HTTPHeaders = ["Accept": "text/event-stream", "Cache-Control": "no-store"]
    if !lastEventID.isEmpty { headers.add(name: "Last-Event-ID", value: lastEventID) }
    return headers
  }

  private func openStream(
    after lastEventID: String, within limit: Duration
  ) async throws(HubClientError) -> (response: HTTPAnswer, token: AccessToken) {
    let headers = Self.headers(after: lastEventID)
    var token = try await credentials.current()
    var response = try await transport.open(Self.eventsPath, token: token.text, headers: headers, within: limit)
    if response.status.code == 401 {
      token = try await credentials.replacement(for: token)
      response = try await transport.open(Self.eventsPath, token: token.text, headers: headers, within: limit)
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
