import ControlMessages
import FoundationEssentials
import Logging
import NIOCore
import NIOHTTP1

/// What is asked by HTTP, answered by the methods of ``MethodTable``.
struct ControlRequests: Sendable {
  let control: any DeviceControl
  let access: ControlAccess
  let feed: MonitorFeed
  let logger: Logger

  func answer(_ request: LocalHTTPRequest) async -> LocalHTTPResponse {
    do {
      return try await route(request)
    } catch {
      return MethodError(VarlinkError(translating: error)).response
    }
  }

  private func route(_ request: LocalHTTPRequest) async throws -> LocalHTTPResponse {
    switch request.path {
    case "/status": return try await page(request) { .json(try JSONEncoder().encode(try await control.status())) }
    case "/snapshot.jpg": return try await page(request) { try await snapshot(request) }
    case "/events": return try await page(request) { events(request) }
    case "/interface": return try await page(request) { .text(InterfaceDescription.text) }
    case let path where path.hasPrefix("/methods/"):
      return try await call(String(path.dropFirst("/methods/".count)), request)
    default: return .failure(.notFound)
    }
  }

  private func page(
    _ request: LocalHTTPRequest, _ make: () async throws -> LocalHTTPResponse
  ) async throws -> LocalHTTPResponse {
    guard request.method == .GET || request.method == .HEAD else { return .methodNotAllowed("GET, HEAD") }
    return try await make()
  }

  private func snapshot(_ request: LocalHTTPRequest) async throws -> LocalHTTPResponse {
    _ = try MethodTable.method(DeviceMethod.snapshot.name, for: access)
    if let unknown = request.query.first(where: { $0.name != "camera" }) {
      throw VarlinkError.invalidParameter(unknown.name)
    }
    let image = try await control.snapshot(camera: request.query.first?.value)
    return LocalHTTPResponse(status: .ok, contentType: "image/jpeg", body: .bytes(image))
  }

  /// A client that reads too slowly is disconnected.
  private func events(_ request: LocalHTTPRequest) -> LocalHTTPResponse {
    let channel = request.channel
    let subscription = feed.subscribe { [logger] in
      logger.notice("a client of HTTP reads its events too slowly, disconnecting")
      channel.close(promise: nil)
    }
    channel.closeFuture.whenComplete { _ in subscription.cancel() }
    let access = access
    let messages = subscription.events.map { Self.message(access.shown($0)) }
    return LocalHTTPResponse(status: .ok, contentType: "text/event-stream", body: .events(messages))
  }

  /// In the form of a server-sent event; JSON has no line break outside of its texts, and escapes those within.
  private static func message(_ event: DeviceEvent) -> [UInt8] {
    guard let json = try? JSONEncoder().encode(event) else { return [] }
    return Array("event: \(event.name)\ndata: ".utf8) + json + Array("\n\n".utf8)
  }

  private func call(_ name: String, _ request: LocalHTTPRequest) async throws -> LocalHTTPResponse {
    let method = try MethodTable.method(name, for: access)
    let parameters: [UInt8]
    switch request.method {
    case .POST: parameters = request.body.isEmpty ? Array("{}".utf8) : request.body
    case .GET where method.access == .monitoring:
      parameters = try QueryParameters(request.query, for: method).json
    default: return .methodNotAllowed(method.access == .monitoring ? "GET, POST" : "POST")
    }
    logger.log(level: access == .monitoring ? .debug : .info, "control call", metadata: ["method": "\(name)"])
    let call = try VarlinkCall(method: name, parameters: parameters)
    switch try await method.carryOut(call, control) {
    case .reply(let message): return .json(VarlinkReply.parameters(of: message))
    case .monitor, .follow, .followHunt: throw VarlinkError.expectedMore
    }
  }
}

extension LocalHTTPResponse {
  static func json(_ bytes: some Sequence<UInt8>, status: HTTPResponseStatus = .ok) -> LocalHTTPResponse {
    LocalHTTPResponse(status: status, contentType: "application/json", body: .bytes(Array(bytes) + [0x0A]))
  }
}
