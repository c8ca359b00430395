public import ControlMessages
public import Logging

/// The methods of the control socket as requests of HTTP, for door controllers and scripts.
///
/// `GET /status`, `/snapshot.jpg`, `/events` (server-sent events) and `/interface`; `/methods/NAME` by POST with a JSON object of the
/// parameters, or by GET with a query where the method changes nothing. What a method does, and what it refuses, is the
/// same as at the socket.
public struct ControlHTTPServer: Sendable {
  /// Who may ask for what.
  public struct Permission: Sendable {
    public var access: ControlAccess
    /// The token that requests must bear, read at each; nil asks for none.
    public var token: (@Sendable () throws -> String)?

    public init(access: ControlAccess, token: (@Sendable () throws -> String)?) {
      self.access = access
      self.token = token
    }
  }

  /// Of a client that only has to ask, with room for a text that is to be spoken.
  public static var defaultLimits: LocalHTTPServer.Limits {
    var limits = LocalHTTPServer.Limits()
    limits.connections = 32
    limits.requestBytes = 65_536
    // A snapshot of a camera that sleeps takes seconds, and an action as long as its program runs.
    limits.time = .seconds(90)
    return limits
  }

  private let server: LocalHTTPServer
  private let control: any DeviceControl
  private let feed: MonitorFeed
  private let logger: Logger

  public init(
    _ place: LocalHTTPServer.Place, control: any DeviceControl, permission: Permission,
    limits: LocalHTTPServer.Limits = defaultLimits, logger: Logger
  ) {
    self.control = control
    self.logger = logger
    let feed = MonitorFeed(capacity: ControlServerLimits.monitoring.queuedEvents)
    self.feed = feed
    let gate = TokenGate(permission.token, logger)
    let requests = ControlRequests(control: control, access: permission.access, feed: feed, logger: logger)
    server = LocalHTTPServer(place, limits: limits) { request in
      if let refusal = gate.refusal(of: request) { return refusal }
      return await requests.answer(request)
    }
  }

  /// Serves until the task is cancelled. Call it once.
  ///
  /// - Parameter onListening: called with the port, which a Unix socket has none of.
  /// - Throws: when the address cannot be bound.
  public func run(onListening: @Sendable (Int?) -> Void = { _ in }) async throws {
    let events = await control.events()
    try await withThrowingTaskGroup(of: Void.self) { tasks in
      tasks.addTask { for await event in events { feed.publish(event) } }
      try await server.run { [logger] address, port in
        logger.info("control by HTTP is open", metadata: ["address": "\(address)"])
        onListening(port)
      }
      tasks.cancelAll()
    }
  }
}
