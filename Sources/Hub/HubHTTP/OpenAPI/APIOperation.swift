internal import HTTPTypes
internal import HubCore
internal import Signalling

/// One request of the API, as its description has it.
struct APIOperation: Sendable {
  enum Access: Sendable, Equatable {
    /// No token is needed.
    case anyone
    /// The access token of a login with one of these roles, or of any for none.
    case token([UserRole])
    /// The secret of `metrics_token_file`.
    case metricsToken
    /// An account's token, or that of a link in the query.
    case viewer
    /// Between the hub's nodes.
    case uploadTicket
    /// The ticket in a push message about an event.
    case imageTicket
  }

  enum Subject: String, Sendable, CaseIterable {
    case logins, accounts, guests, presence, events, sessions, views, calls, push, content, device, service
  }

  /// What is sent along.
  enum Body: Sendable {
    /// - Parameter narrowing: JSON Schema's keywords of what the type permits and this request does not.
    case json(any (Decodable & Sendable).Type, limit: Int, isRequired: Bool = true, narrowing: JSONTree = [:])
    /// A text of another type than JSON.
    case text(type: String, limit: Int)
    /// A file or an image, in whatever type it has.
    case bytes(limit: Int64)
  }

  var method: HTTPRequest.Method
  /// With its parameters in braces.
  var path: String
  var id: String
  var subject: Subject
  var summary: String
  var access: Access = .token([])
  var parameters: [APIParameter] = []
  var body: Body?
  var answers: [APIAnswer]
  /// Beside those that any request may be answered with.
  var refusals: [HubRefusal] = []
  var problems: [Problem] = []
  /// Of one user; nil where nothing but the connection's own limit bounds it.
  var requestsPerMinute: Int?

  /// As `GET /v1/users`.
  var route: String { "\(method.rawValue) \(path)" }
}

/// A part of a path, query or header.
struct APIParameter: Sendable {
  enum Place: String, Sendable { case path, query, header }

  var name: String
  var place: Place
  var schema: JSONTree
  var help: String
  var isRequired = false
}

/// An answer that is no refusal.
struct APIAnswer: Sendable {
  enum Content: Sendable {
    case none
    case json(any (Decodable & Sendable).Type)
    /// Of other types than JSON; each of them may come.
    case other([(type: String, schema: JSONTree)])
  }

  var status = 200
  var help: String
  var content: Content = .none
  var headers: [APIParameter] = []
}
