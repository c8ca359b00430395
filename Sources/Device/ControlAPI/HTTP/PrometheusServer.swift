public import ControlMessages
public import Logging
import NIOHTTP1

/// Answers `GET /metrics` with the daemon's metrics: every client on this machine may read them.
public struct PrometheusServer: Sendable {
  private let server: LocalHTTPServer
  private let logger: Logger

  /// - Parameter read: takes the figures.
  public init(
    _ place: LocalHTTPServer.Place, limits: LocalHTTPServer.Limits = LocalHTTPServer.Limits(), logger: Logger,
    read: @escaping @Sendable () async throws -> DeviceTelemetry
  ) {
    self.logger = logger
    server = LocalHTTPServer(place, limits: limits) { await Self.answer($0, logger, read) }
  }

  /// Serves until the task is cancelled. Call it once.
  ///
  /// - Parameter onListening: called with the port, which a Unix socket has none of.
  /// - Throws: when the address cannot be bound.
  public func run(onListening: @Sendable (Int?) -> Void = { _ in }) async throws {
    try await server.run { [logger] address, port in
      logger.info("figures are served at /metrics", metadata: ["address": "\(address)"])
      onListening(port)
    }
  }

  private static func answer(
    _ request: LocalHTTPRequest, _ logger: Logger, _ read: @Sendable () async throws -> DeviceTelemetry
  ) async -> LocalHTTPResponse {
    guard request.path == "/metrics" else { return .failure(.notFound) }
    guard request.method == .GET || request.method == .HEAD else { return .methodNotAllowed("GET, HEAD") }
    do {
      // The text format that every Prometheus reads.
      return .text(DeviceMetrics.text(try await read()), type: "text/plain; version=0.0.4; charset=utf-8")
    } catch {
      logger.warning("the figures cannot be taken: \(error)")
      return .failure(.internalServerError)
    }
  }
}
