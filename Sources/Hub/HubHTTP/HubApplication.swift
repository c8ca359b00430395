internal import Foundation
internal import HTTPTypes
internal import HubCore
internal import Hummingbird
internal import HummingbirdCore
internal import SystemSupport
internal import Logging
internal import NIOCore
internal import ServiceLifecycle

/// Hummingbird's application, but for the clock that keeps the `Date` field: it ticks each second, also without
/// requests.
struct HubApplication<Base: ApplicationProtocol>: ApplicationProtocol {
  typealias Responder = Base.Responder

  let base: Base
  private let date = DateField()

  init(_ base: Base) { self.base = base }

  var responder: Base.Responder { get async throws { try await base.responder } }
  var server: HTTPServerBuilder { base.server }
  var eventLoopGroup: any EventLoopGroup { base.eventLoopGroup }
  var configuration: ApplicationConfiguration { base.configuration }
  var logger: Logger { base.logger }
  var services: [any Service] { base.services }

  func onServerRunning(_ channel: any Channel) async { await base.onServerRunning(channel) }

  func run() async throws {
    let responder = try await base.responder
    let server = try base.server.buildServer(
      configuration: ServerConfiguration(address: configuration.address), eventLoopGroup: eventLoopGroup, logger: logger
    ) { (request, writer: consuming ResponseWriter, channel) in
      var response = await Self.respond(to: request, on: channel, by: responder, logger)
      response.headers[.date] = date.text
      try await writer.write(response: response.head, body: response.body)
    } onServerRunning: { channel in
      await onServerRunning(channel)
    }
    try await ServiceGroup(configuration: .init(services: services + [server], logger: logger)).run()
  }

  /// A response that no middleware has made has no message.
  private static func respond(
    to request: Request, on channel: any Channel, by responder: Responder, _ logger: Logger
  ) async -> Response {
    var logger = logger
    logger[metadataKey: "hb.request.id"] = .stringConvertible(RequestID())
    do {
      let context = Responder.Context(source: .init(channel: channel, logger: logger))
      return try await responder.respond(to: request, context: context)
    } catch {
      logger.debug("a request failed", metadata: ["error": "\(type(of: error))"])
      return Response(status: .internalServerError)
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
