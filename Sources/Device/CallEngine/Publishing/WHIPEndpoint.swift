import HTTPConnections
import MediaCore
import NIOHTTP1
import SDP
import SafeText
import Signalling

/// What a server has made of an offer.
struct WHIPSession: Sendable, Hashable {
  var answer: String
  /// Where the session is restarted and ended.
  var resource: HTTPLocation
  var iceServers: [ICEServer]
}

/// A server's side of published sessions; a script in tests.
///
/// Every request ends within a bounded time.
protocol WHIPServing: Sendable {
  /// The servers through which paths may be found, before there is a session; empty where none are named.
  func iceServers() async -> [ICEServer]
  func begin(offer: String) async throws(PublishFailure) -> WHIPSession
  /// - Returns: the peer's description with what the restart has changed.
  func restart(_ session: WHIPSession, offer: String) async throws(PublishFailure) -> String
  func end(_ session: WHIPSession) async
}

/// An endpoint by HTTP (RFC 9725).
///
/// The token goes to the endpoint's own origin alone: a redirect or a resource elsewhere is asked without it. Nothing that
/// began by https continues by http.
struct WHIPEndpoint: WHIPServing {
  private static let requestTime = Duration.seconds(10)
  /// Servers are named by few endpoints, and the others are not waited for.
  private static let questionTime = Duration.seconds(3)
  private static let longestAnswer = SessionDescriptionParser.maximumByteCount
  private static let maximumRedirects = 3

  let target: PublishTarget

  func iceServers() async -> [ICEServer] {
    guard let reply = try? await ask(.OPTIONS, target.endpoint, within: Self.questionTime), reply.isSuccess else {
      return []
    }
    return ICEServerLinks.servers(in: reply.answer.headers["Link"])
  }

  /// Asks for what a question may ask for: whether the endpoint is there, and takes the token.
  func probe() async throws(PublishFailure) {
    let reply = try await ask(.OPTIONS, target.endpoint)
    // Not each endpoint answers questions; one that is not there answers the same to all.
    guard reply.isSuccess || reply.answer.status.code == 405 else { throw refusal(reply) }
  }

  func begin(offer: String) async throws(PublishFailure) -> WHIPSession {
    let reply = try await ask(.POST, target.endpoint, Content(type: "application/sdp", text: offer))
    guard reply.answer.status == .created else { throw refusal(reply) }
    guard reply.isOf(type: "application/sdp"), !reply.answer.body.isEmpty else {
      throw PublishFailure(
        "\(target.endpoint) answers with something else than SDP", remedy: Self.addressRemedy, .lasting)
    }
    return WHIPSession(
      answer: reply.text, resource: try resource(reply),
      iceServers: ICEServerLinks.servers(in: reply.answer.headers["Link"]))
  }

  func restart(_ session: WHIPSession, offer: String) async throws(PublishFailure) -> String {
    guard let fragment = ICERestartFragment.text(of: offer) else { throw .restartUnanswered }
    let content = Content(type: "application/trickle-ice-sdpfrag", text: fragment)
    // RFC 9725 §4.3.3: a restart matches whatever there is.
    let reply = try await ask(.PATCH, session.resource, content, headers: ["If-Match": "*"])
    guard reply.isSuccess else { throw refusal(reply) }
    guard reply.answer.status == .ok, let change = ICERestartFragment(parsing: reply.text) else {
      throw PublishFailure("the server does not restart sessions", remedy: "a new session begins")
    }
    return change.applied(to: session.answer)
  }

  func end(_ session: WHIPSession) async { _ = try? await ask(.DELETE, session.resource, within: .seconds(5)) }
}

// MARK: - Requests

extension WHIPEndpoint {
  fileprivate struct Content {
    var type: String
    var text: String
  }

  fileprivate struct Reply {
    var answer: HTTPWholeAnswer
    /// What has answered, behind redirects.
    var location: HTTPLocation

    var isSuccess: Bool { (200..<300).contains(answer.status.code) }
    var text: String { String(decoding: answer.body, as: UTF8.self) }

    func isOf(type: String) -> Bool {
      let named = answer.headers.first(name: "Content-Type")?.prefix { $0 != ";" }
      return named?.trimmingBlanks.lowercased() == type
    }
  }

  private static let addressRemedy = "see whether url in [[publish]] is that of a WHIP endpoint"

  /// Sends a request, following redirects that keep the method (RFC 9725 §4.5).
  private func ask(
    _ method: HTTPMethod, _ first: HTTPLocation, _ content: Content? = nil, headers: HTTPHeaders = [:],
    within time: Duration = requestTime
  ) async throws(PublishFailure) -> Reply {
    var location = first
    for _ in 0...Self.maximumRedirects {
      let answer = try await exchange(request(method, location, content, headers), location, within: time)
      guard answer.status.code == 307 || answer.status.code == 308 else {
        return Reply(answer: answer, location: location)
      }
      location = try follow(answer, from: location)
    }
    throw PublishFailure(
      "\(target.endpoint) redirects more than \(Self.maximumRedirects) times", remedy: Self.addressRemedy, .lasting)
  }

  private func follow(_ answer: HTTPWholeAnswer, from location: HTTPLocation) throws(PublishFailure) -> HTTPLocation {
    guard let next = answer.headers.first(name: "Location").flatMap({ location.resolving($0) }) else {
      throw PublishFailure("\(location) redirects to no address", remedy: Self.addressRemedy, .lasting)
    }
    return try requireSecure(next, after: location)
  }

  private func requireSecure(
    _ next: HTTPLocation, after location: HTTPLocation
  ) throws(PublishFailure) -> HTTPLocation {
    guard location.origin.isSecure, !next.origin.isSecure else { return next }
    throw PublishFailure(
      "\(location) leads from https to \(next), where others could read along",
      remedy: "have the server name addresses of https", .lasting)
  }

  private func request(
    _ method: HTTPMethod, _ location: HTTPLocation, _ content: Content?, _ headers: HTTPHeaders
  ) throws(PublishFailure) -> HTTPRequest {
    var request = HTTPRequest(method, location.path, headers: headers)
    request.headers.add(name: "User-Agent", value: "livesessionsd")
    if let token = try token(), location.origin == target.endpoint.origin {
      request.headers.add(name: "Authorization", value: "Bearer \(token)")
    }
    guard let content else { return request }
    request.headers.add(name: "Content-Type", value: content.type)
    request.body = .bytes(Array(content.text.utf8))
    return request
  }

  private func token() throws(PublishFailure) -> String? {
    do {
      return try target.readToken()
    } catch {
      throw PublishFailure("\(error)", remedy: "correct that; it is read anew each time", .lasting)
    }
  }

  private func exchange(
    _ request: HTTPRequest, _ location: HTTPLocation, within time: Duration
  ) async throws(PublishFailure) -> HTTPWholeAnswer {
    var limits = HTTPConnectionPool.Limits()
    (limits.connections, limits.connectTimeout, limits.idleTimeout) = (1, time, time)
    // Requests are minutes or hours apart.
    let pool = HTTPConnectionPool(
      location.origin, limits: limits, authorityFile: target.authorityFile, route: target.route)
    let result: Result<HTTPWholeAnswer, any Error>
    do {
      result = .success(try await pool.exchange(request, within: time, upTo: Self.longestAnswer))
    } catch {
      result = .failure(error)
    }
    await pool.shutdown()
    switch result {
    case .success(let answer): return answer
    case .failure(let error):
      throw PublishFailure(
        "\(location): \(ConnectionFailure.message(for: error))", remedy: "it is tried again")
    }
  }
}

// MARK: - Answers

extension WHIPEndpoint {
  private func resource(_ reply: Reply) throws(PublishFailure) -> HTTPLocation {
    guard let text = reply.answer.headers.first(name: "Location"), let resource = reply.location.resolving(text) else {
      throw PublishFailure(
        "\(target.endpoint) names no address of the session (Location)", remedy: Self.addressRemedy, .lasting)
    }
    return try requireSecure(resource, after: reply.location)
  }

  private func refusal(_ reply: Reply) -> PublishFailure {
    let status = reply.answer.status
    let (remedy, course) = remedy(reply)
    return PublishFailure(
      "\(reply.location) answers with \(status.code)\(reason(reply))", remedy: remedy, course,
      retryAfter: reply.answer.headers.retryAfter)
  }

  /// What the server says, where it says it in a line of text.
  private func reason(_ reply: Reply) -> String {
    guard reply.isOf(type: "text/plain") else { return "" }
    let line = reply.text.prefix(200).prefix { !$0.isNewline }
    return line.isEmpty ? "" : " (\(String(line).escapingControls))"
  }

  private func remedy(_ reply: Reply) -> (String, PublishFailure.Course) {
    switch reply.answer.status.code {
    case 401, 403:
      let isElsewhere = reply.location.origin != target.endpoint.origin
      return isElsewhere
        ? ("the endpoint leads elsewhere, where its token is not sent: set url to that address", .lasting)
        : ("see whether token_file has the token of this endpoint", .lasting)
    case 404, 405, 410, 501: return (Self.addressRemedy, .lasting)
    case 400, 406, 415, 422: return ("see whether the server takes VP8 and Opus", .lasting)
    case 429, 503: return ("it is tried again when the server permits", .passing)
    default: return ("the server's log says why; it is tried again", .passing)
    }
  }
}

extension Substring {
  fileprivate var trimmingBlanks: Substring {
    var text = self
    while text.last == " " || text.last == "\t" { text.removeLast() }
    return text.drop { $0 == " " || $0 == "\t" }
  }
}
