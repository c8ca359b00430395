internal import HTTPTypes
internal import HubCore
internal import Hummingbird
internal import Logging
internal import NIOCore
internal import NIOHTTP1

/// What answers requests: the routes, behind what is the same for all of them.
struct RequestService: Sendable {
  let responder: RouterResponder<HubRequestContext>
  let hosts: HostOriginCheck
  let trustedProxies: [AddressRange]
  let logger: Logger
  private let date = DateField()

  init(
    responder: RouterResponder<HubRequestContext>, hosts: HostOriginCheck, trustedProxies: [AddressRange],
    logger: Logger
  ) {
    (self.responder, self.hosts, self.trustedProxies) = (responder, hosts, trustedProxies)
    self.logger = logger
  }

  /// - Parameter peer: the connection's other end.
  func answer(
    _ request: Request, from peer: ClientAddress, on channel: any Channel, by writer: ConnectionWriter
  ) async {
    let client = peer.client(of: request.headers, behind: trustedProxies)
    var response = await respond(to: request, HubRequestContext(client: client, channel: channel, logger: logger))
    if request.method == .head, response.headers[.contentLength] == nil, let length = response.body.contentLength {
      response.headers[.contentLength] = "\(length)"
    }
    do {
      try await writer.write(response, date: date.text)
    } catch {
      writer.abandon()
    }
  }

  /// A response that no route has made has no message.
  private func respond(to request: Request, _ context: HubRequestContext) async -> Response {
    if let refusal = hosts.refusal(of: request) { return refusal }
    do {
      return try await responder.respond(to: request, context: context)
    } catch {
      logger.debug("a request failed", metadata: ["error": "\(type(of: error))"])
      return Response(status: .internalServerError)
    }
  }
}

extension HTTPRequest {
  /// A request that ``RequestHeadCheck`` has accepted.
  init(_ head: HTTPRequestHead) {
    self.init(
      method: Method(head.method.rawValue) ?? .get, scheme: "http", authority: head.headers.first(name: "Host"),
      path: Self.path(of: head.uri), headerFields: HTTPFields(head.headers))
  }

  /// Without scheme and host, where they are given (RFC 9112, section 3.2.2).
  private static func path(of target: String) -> String {
    guard target.utf8.first != UInt8(ascii: "/"), let scheme = target.firstRange(of: "://") else { return target }
    let rest = target[scheme.upperBound...].drop { $0 != "/" && $0 != "?" }
    return rest.first == "/" ? String(rest) : "/\(rest)"
  }
}

extension HTTPFields {
  /// All but `Host`, which is the request's authority.
  fileprivate init(_ headers: HTTPHeaders) {
    self.init()
    reserveCapacity(headers.count)
    for (name, value) in headers {
      guard let name = HTTPField.Name(name), name.canonicalName != "host" else { continue }
      append(HTTPField(name: name, value: value))
    }
  }
}

extension HTTPHeaders {
  /// The fields of a response, with its date and those of all responses.
  init(_ fields: HTTPFields, date: String) {
    var headers = SecurityHeaders.fields
    headers.reserveCapacity(headers.count + fields.count + 2)
    headers.append(("Date", date))
    for field in fields { headers.append((field.name.rawName, field.value)) }
    self.init(headers)
  }
}
