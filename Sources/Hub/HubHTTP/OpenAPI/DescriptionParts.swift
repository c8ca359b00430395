internal import HubCore
internal import Signalling

/// Makes the description's operations, and collects the schemas and responses that they refer to.
final class DescriptionParts {
  private let reader = ShapeReader(notes: APINotes.all)
  /// Refusals by what they have in common.
  private(set) var responses: [String: JSONTree] = [:]

  /// Notes on members that no type has, once all is read.
  var strayNotes: [String] { reader.strayNotes }

  /// The schemas of all that was referred to, and of each event.
  func allSchemas() throws -> [String: JSONTree] {
    let events = try EventName.allCases.map { try event($0) }
    _ = try reader.schema(of: KeySetAnswer.self)
    _ = try reader.schema(of: Problem.self)
    return reader.components.merging([
      "Event": ["description": "An event as its fields have it, with the JSON of data.", "oneOf": .list(events)]
    ]) { first, _ in first }
  }

  private func event(_ name: EventName) throws -> JSONTree {
    [
      "type": "object", "title": .text(name.rawValue), "required": ["event", "data"],
      "properties": [
        "id": ["type": "string", "description": "For Last-Event-ID; absent of presence."],
        "event": ["const": .text(name.rawValue)], "data": try reader.schema(of: name.payload),
      ],
    ]
  }

  func schema(of type: any (Decodable & Sendable).Type) throws -> JSONTree { try reader.schema(of: type) }

  func operation(_ operation: APIOperation) throws -> JSONTree {
    var answers: [String: JSONTree] = [:]
    for answer in operation.answers { answers["\(answer.status)"] = try response(answer) }
    for (status, problems) in Dictionary(grouping: problems(of: operation), by: \.status) {
      answers["\(status)"] = refusal(status, problems)
    }
    var members: [String: JSONTree] = [
      "operationId": .text(operation.id), "summary": .text(operation.summary),
      "tags": [.text(operation.subject.rawValue)], "security": security(operation.access),
      "responses": .object(answers),
    ]
    if let rate = operation.requestsPerMinute { members["description"] = "At most \(rate) a minute for one user." }
    if !operation.parameters.isEmpty { members["parameters"] = .list(operation.parameters.map(parameter)) }
    if let body = operation.body { members["requestBody"] = try request(body) }
    return .object(members)
  }

  private func security(_ access: APIOperation.Access) -> JSONTree {
    switch access {
    case .anyone: []
    case .token(let roles): [["accessToken": .list(roles.map { .text($0.rawValue) })]]
    case .metricsToken: [["metricsToken": []]]
    case .viewer: [["accessToken": ["operator", "user"]], ["viewToken": []]]
    case .uploadTicket: [["uploadTicket": []]]
    case .imageTicket: [["imageTicket": []]]
    }
  }

  func parameter(_ parameter: APIParameter) -> JSONTree {
    [
      "name": .text(parameter.name), "in": .text(parameter.place.rawValue), "schema": parameter.schema,
      "description": .text(parameter.help), "required": .bool(parameter.isRequired),
    ]
  }

  private func request(_ body: APIOperation.Body) throws -> JSONTree {
    switch body {
    case .json(let type, let limit, let isRequired, let narrowing):
      [
        "required": .bool(isRequired), "description": "At most \(limit) bytes.",
        "content": ["application/json": ["schema": Self.narrowed(try reader.schema(of: type), by: narrowing)]],
      ]
    case .text(let type, let limit):
      [
        "required": true, "description": "At most \(limit) bytes.", "content": [type: ["schema": ["type": "string"]]],
      ]
    case .bytes(let limit):
      ["description": "At most \(limit) bytes, less for most requests.", "content": ["application/octet-stream": [:]]]
    }
  }

  private static func narrowed(_ schema: JSONTree, by keywords: JSONTree) -> JSONTree {
    keywords == [:] ? schema : ["allOf": [schema, keywords]]
  }

  private func response(_ answer: APIAnswer) throws -> JSONTree {
    var members: [String: JSONTree] = ["description": .text(answer.help)]
    switch answer.content {
    case .none: break
    case .json(let type): members["content"] = ["application/json": ["schema": try reader.schema(of: type)]]
    case .other(let types):
      var content: [String: JSONTree] = [:]
      for (type, schema) in types { content[type] = schema == [:] ? [:] : ["schema": schema] }
      members["content"] = .object(content)
    }
    if !answer.headers.isEmpty { members["headers"] = headers(answer.headers) }
    return .object(members)
  }

  private func headers(_ fields: [APIParameter]) -> JSONTree {
    var headers: [String: JSONTree] = [:]
    for field in fields {
      let header: JSONTree = ["schema": field.schema, "description": .text(field.help)]
      headers[field.name] = header.adding(field.isRequired ? ["required": true] : [:])
    }
    return .object(headers)
  }

  // MARK: Refusals

  /// Those of any request, and those that what the operation has leads to.
  private func problems(of operation: APIOperation) -> [Problem] {
    var refusals: [HubRefusal] = [.foreignHost, .foreignOrigin, .overloaded("", retryAfter: 0)]
    var problems: [Problem] = [
      .malformed(""), .requestTimeout, .targetTooLong(0), .expectationFailed, .headerTooLarge, .tooBusy,
    ]
    switch operation.access {
    case .anyone, .uploadTicket, .imageTicket: break
    case .token(let roles): refusals += [.notAuthenticated] + (roles.isEmpty ? [] : [.notAllowed("")])
    case .metricsToken: refusals.append(.notAuthenticated)
    case .viewer: refusals += [.notAuthenticated, .notAllowed("")]
    }
    if !operation.parameters.isEmpty { refusals.append(.invalid(field: "", reason: "")) }
    if operation.parameters.contains(where: { $0.place == .path }) { refusals.append(.notFound("")) }
    switch operation.body {
    case .json:
      refusals.append(.invalid(field: "", reason: ""))
      problems.append(.tooLarge(0))
    case .text(let type, _): problems += [.tooLarge(0), .unsupportedMediaType(type), .unusableOffer("")]
    case .bytes, nil: break
    }
    return (refusals + operation.refusals).map(\.problem) + problems + operation.problems
  }

  /// Refers to the response that all refusals with this status and these types share.
  private func refusal(_ status: Int, _ problems: [Problem]) -> JSONTree {
    let types = Set(problems.map(\.type)).sorted()
    let name = types.joined(separator: ".")
    var members: [String: JSONTree] = [
      "description": .text(Set(problems.map(\.title)).sorted().joined(separator: "; ") + "."),
      "content": [
        Problem.mediaType: [
          "schema": [
            "allOf": [["$ref": "#/components/schemas/Problem"]],
            "properties": [
              "type": ["enum": .list(types.map { .text($0) })], "status": ["const": .number(Int64(status))],
            ],
          ]
        ]
      ],
    ]
    if let field = Self.field(of: status) { members["headers"] = headers([field]) }
    responses[name] = .object(members)
    return ["$ref": "#/components/responses/\(name)"]
  }

  private static func field(of status: Int) -> APIParameter? {
    switch status {
    case 401:
      .header("WWW-Authenticate", ["type": "string", "const": "Bearer"], "RFC 6750, section 3.", isRequired: true)
    case 429, 503:
      // Which is not known where there are too many connections.
      .header(
        "Retry-After", ["type": "integer", "minimum": 0], "In so many seconds at the earliest.",
        isRequired: status == 429)
    default: nil
    }
  }
}
