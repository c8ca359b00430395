internal import Foundation
internal import Hummingbird
internal import HummingbirdCore
internal import SystemSupport
internal import Logging
internal import NIOCore
internal import ServiceLifecycle

/// Hummingbird's application, but with connections of the hub's own.
struct HubApplication<Base: ApplicationProtocol>: ApplicationProtocol {
  typealias Responder = Base.Responder

  let base: Base
  let channel: HubChannel
  let connections: ConnectionRegistry
  let streams: EventStreamWakeups

  var responder: Base.Responder { get async throws { try await base.responder } }
  var server: HTTPServerBuilder { base.server }
  var eventLoopGroup: any EventLoopGroup { base.eventLoopGroup }
  var configuration: ApplicationConfiguration { base.configuration }
  var logger: Logger { base.logger }
  var services: [any Service] { base.services }

  func onServerRunning(_ channel: any Channel) async { await base.onServerRunning(channel) }

  func run() async throws {
    let server = channel.server(
      configuration: ServerConfiguration(address: configuration.address),
      onServerRunning: { channel in await onServerRunning(channel) }, eventLoopGroup: eventLoopGroup, logger: logger)
    let connected = ConnectionService(server: server, connections: connections, streams: streams, logger: logger)
    try await ServiceGroup(configuration: .init(services: services + [connected], logger: logger)).run()
  }
}

/// The server, until its last connection is closed and its last request is over: what requests need is there until then.
private struct ConnectionService: Service {
  /// Of requests that are cancelled: clients of the store give up sooner.
  private static let endLimit: Duration = .seconds(5)

  let server: any Service
  let connections: ConnectionRegistry
  let streams: EventStreamWakeups
  let logger: Logger

  func run() async throws {
    try await withGracefulShutdownHandler {
      try await server.run()
      await connections.waitUntilClosed()
      let count = await connections.tasks.end(within: Self.endLimit)
      if count > 0 {
        let metadata: Logger.Metadata = ["requests": "\(count)"]
        logger.warning("some requests did not end in time; what they change may be lost", metadata: metadata)
      }
    } onGracefulShutdown: {
      streams.stop()
    }
  }
}

/// The `Date` of responses (RFC 9110, section 6.6.1), written once in each second in which there are any.
final class DateField: Sendable {
  private let last = Mutex((second: Int64(0), text: ""))

  var text: String {
    let second = TokenAuthority.now
    return last.withLock { last in
      if last.second != second { last = (second, Self.text(of: Date(timeIntervalSince1970: Double(second)))) }
      return last.text
    }
  }

  /// As `Sun, 06 Nov 1994 08:49:37 GMT`.
  static func text(of date: Date) -> String {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    let parts = calendar.dateComponents([.year, .month, .day, .hour, .minute, .second, .weekday], from: date)
    let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    let (day, month) = (days[(parts.weekday ?? 1) - 1], months[(parts.month ?? 1) - 1])
    return String(
      format: "%@, %02d %@ %04d %02d:%02d:%02d GMT", day, parts.day ?? 1, month, parts.year ?? 1_970, parts.hour ?? 0,
      parts.minute ?? 0, parts.second ?? 0)
  }
}
