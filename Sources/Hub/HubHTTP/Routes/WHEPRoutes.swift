internal import Foundation
internal import HTTPTypes
internal import HubCore
internal import HubStore
internal import Hummingbird
internal import SDP
internal import Signalling

/// `/v1/whep/{userID}` and what is below it: players view a device (draft-ietf-wish-whep), by an account's token or the
/// token in a link. It is another face of sessions: the device is called by a viewer, and decides.
struct WHEPRoutes {
  static let path = "/v1/whep"
  static let offerType = "application/sdp"
  static let fragmentType = "application/trickle-ice-sdpfrag"

  let views: ViewService
  let limits: HubLimits

  func add(to router: some RouterMethods<HubRequestContext>) {
    router.post("\(Self.path)/:userID") { request, context in
      try await answer(request, context) { try await begin($0, request) }
    }
    router.patch("\(Self.path)/:userID/:id") { request, context in
      try await answer(request, context) { try await change(try sessionID(context), $0, request) }
    }
    router.delete("\(Self.path)/:userID/:id") { request, context in
      try await answer(request, context) { target in
        try await views.end(try sessionID(context), by: target.viewer)
        return Response(status: .ok, headers: [.cacheControl: "no-store", .contentLength: "0"])
      }
    }
  }

  /// What a request is about, and by whom.
  private struct Target {
    var deviceID: String
    var viewer: Viewer
  }

  /// Counts what is refused.
  private func answer(
    _ request: Request, _ context: HubRequestContext, _ body: (Target) async throws -> Response
  ) async throws -> Response {
    let deviceID = try context.parameters.require("userID")
    var actor = AuditActor(.unknown, address: LoginRecord.Origin(request, context).address)
    do {
      if request.method == .post { try views.admit(context.clientAddress) }
      let viewer = try await views.authentication.viewer(of: deviceID, request, context)
      actor = viewer.auditActor
      return try await body(Target(deviceID: deviceID, viewer: viewer))
    } catch let refusal as HubRefusal {
      views.noteRefusal(refusal.problem.status, of: deviceID, to: actor)
      throw refusal
    } catch let failure as RequestFailure {
      views.noteRefusal(failure.problem.status, of: deviceID, to: actor)
      throw failure
    }
  }

  // MARK: Beginning

  private func begin(_ target: Target, _ request: Request) async throws -> Response {
    try Self.require(Self.offerType, of: request)
    guard Self.accepts(Self.offerType, request) else {
      throw RequestFailure(problem: .notAcceptable("the answer is \(Self.offerType)"))
    }
    let body = try await request.collectBody(upTo: MessageLimits.description)
    let begun = try await views.begin(ViewOffer(String(buffer: body)), of: target.deviceID, by: target.viewer)
    var response = Response.text(begun.answer, type: Self.offerType, status: .created)
    response.headers[.location] = Self.location(of: begun.id, target)
    response.headers[.eTag] = begun.view.entityTag(of: begun.id)
    response.headers[.acceptPatch] = Self.fragmentType
    for server in begun.iceServers { for url in server.urls { response.headers.append(Self.link(url, server)) } }
    return response
  }

  /// Relative to the request's address, since the hub may lie below a path of a proxy's. Whoever has a link has no other
  /// token for what follows.
  private static func location(of id: SessionID, _ target: Target) -> String {
    let token = target.viewer.linkToken.map { "?\(TokenAuthority.viewLinkParameter)=\($0)" } ?? ""
    return "\(target.deviceID)/\(id)\(token)"
  }

  /// RFC 9725, section 4.6.
  private static func link(_ url: String, _ server: ICEServer) -> HTTPField {
    var text = "<\(url)>; rel=\"ice-server\""
    if let name = server.username { text += "; username=\"\(quoted(name))\"" }
    if let credential = server.credential {
      text += "; credential=\"\(quoted(credential))\"; credential-type=\"password\""
    }
    return HTTPField(name: .link, value: text)
  }

  private static func quoted(_ text: String) -> String {
    text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
  }

  // MARK: Changing

  private func change(_ id: SessionID, _ target: Target, _ request: Request) async throws -> Response {
    try Self.require(Self.fragmentType, of: request)
    guard let condition = request.headers[.ifMatch] else { throw RequestFailure(problem: .preconditionRequired) }
    guard let view = try await views.view(id, of: target.viewer) else { throw HubRefusal.sessionUnknown }
    guard Self.matches(condition, view.entityTag(of: id)) else { throw RequestFailure(problem: .preconditionFailed) }
    let body = try await request.collectBody(upTo: TrickleFragment.maximumByteCount)
    let fragment: TrickleFragment
    do {
      fragment = try TrickleFragment(parsing: String(buffer: body))
    } catch {
      throw RequestFailure(problem: .unusableOffer("\(error)"))
    }
    guard let name = fragment.iceUsernameFragment, name != view.usernameFragment else {
      try await views.trickle(fragment, in: id, by: target.viewer, limits)
      return .noContent
    }
    guard let password = fragment.icePassword else {
      throw RequestFailure(problem: .unusableOffer("a=ice-pwd is missing beside another a=ice-ufrag"))
    }
    let (answer, after) = try await views.restart(
      view, in: id, by: target.viewer, usernameFragment: name, password: password, fragment)
    var response = Response.text(answer.text, type: Self.fragmentType)
    response.headers[.eTag] = after.entityTag(of: id)
    return response
  }

  // MARK: Fields

  private static func matches(_ condition: String, _ tag: String) -> Bool {
    condition.split(separator: ",").contains { part in
      let wanted = part.trimmingPrefix(while: \.isWhitespace)
      return wanted == "*" || wanted == tag
    }
  }

  /// A media type without its parameters.
  private static func require(_ type: String, of request: Request) throws(RequestFailure) {
    let given = request.headers[.contentType].map(essence)
    guard given == type else { throw RequestFailure(problem: .unsupportedMediaType(type)) }
  }

  private static func accepts(_ type: String, _ request: Request) -> Bool {
    let fields = request.headers[values: .accept]
    guard !fields.isEmpty else { return true }
    return fields.flatMap { $0.split(separator: ",") }.contains {
      [type, "application/*", "*/*"].contains(essence($0))
    }
  }

  private static func essence(_ text: some StringProtocol) -> String {
    (text.split(separator: ";").first ?? "").split(separator: " ").joined().lowercased()
  }

  private func sessionID(_ context: HubRequestContext) throws(HubRefusal) -> SessionID {
    guard let text = context.parameters.get("id"), let id = SessionID(text) else { throw .sessionUnknown }
    return id
  }
}
