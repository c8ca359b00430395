internal import Foundation
internal import HTTPTypes
internal import HubCore
internal import Signalling

/// The hub's HTTP API as an OpenAPI 3.1 document.
///
/// Each fact stands where the hub has it: members in their types, bounds in the limits, problems in the refusals.
/// What a request is, ``APIOperation`` says; tests compare that with the router.
enum APIDescription {
  /// As it is served, and stands in docs/reference.
  static func text() throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(document()), as: UTF8.self) + "\n"
  }

  static func document() throws -> JSONTree {
    let parts = DescriptionParts()
    var paths: [String: JSONTree] = [:]
    for operation in APIOperation.all {
      let method = operation.method.rawValue.lowercased()
      paths[operation.path] = (paths[operation.path] ?? [:]).adding([method: try parts.operation(operation)])
    }
    return [
      "openapi": "3.1.1", "info": info, "servers": [["url": "/"]], "paths": .object(paths),
      "webhooks": try APIWebhooks.all(parts),
      "tags": .list(APIOperation.Subject.allCases.map { ["name": .text($0.rawValue), "description": .text($0.help)] }),
      "components": [
        "schemas": .object(try parts.allSchemas()), "responses": .object(parts.responses),
        "securitySchemes": .object(securitySchemes),
      ],
    ]
  }

  private static let info: JSONTree = [
    "title": "LiveSessions hub", "version": "1",
    "description": """
    Calls between people and devices: who is online, signalling, and what devices recorded. Times are milliseconds \
    since 1970. A maxLength bounds the bytes of UTF-8. Optional members are absent, not null, in answers. Members that \
    are not described here are ignored in requests and may come in answers. Each GET is a HEAD, too. http-api.md tells \
    how requests and events belong together.
    """,
    "license": ["name": "Apache-2.0", "identifier": "Apache-2.0"],
  ]

  private static let securitySchemes: [String: JSONTree] = [
    "accessToken": [
      "type": "http", "scheme": "bearer", "bearerFormat": "JWT",
      "description": """
      From POST /v1/login or POST /v1/token. Where roles are named, only tokens of logins with one of them are taken: \
      operator and user are people, device logs in with an enrolment key, guest with an invitation, anonymous with \
      nothing. Session tokens of calls and requests are for devices to verify; no request is made with them.
      """,
    ],
    "metricsToken": [
      "type": "http", "scheme": "bearer", "description": "The secret of metrics_token_file in hub.toml.",
    ],
    "viewToken": [
      "type": "apiKey", "in": "query", "name": .text(TokenAuthority.viewLinkParameter),
      "description": "Of a link to view one device, from POST /v1/view-links: players send no Authorization field.",
    ],
    "uploadTicket": [
      "type": "apiKey", "in": "header", "name": .text(UploadRelay.ticket.canonicalName),
      "description": "Given by one node of the hub to another for one upload.",
    ],
    "imageTicket": [
      "type": "apiKey", "in": "header", "name": .text(EventImageRoutes.ticket.canonicalName),
      "description":
        "From a push message about an event: for its image alone, one hour, as long as the subscription lasts.",
    ],
  ]
}

extension APIOperation.Subject {
  fileprivate var help: String {
    switch self {
    case .logins: "Accounts' logins and tokens."
    case .accounts:
      "People and devices, for operators: of accounts all of whose groups are theirs; administrators' reach is all."
    case .guests: "Guests, who have an invitation in place of an account, and the audit log."
    case .presence: "Who is online, and where."
    case .events: "What happens, as it happens."
    case .sessions: "Calls."
    case .views: "Players view devices (draft-ietf-wish-whep); pages of allowed_origins may."
    case .calls: "Calls that are over."
    case .push: "Ringing and notifying people whose page is closed (RFC 8030)."
    case .content: "Recordings, events and images of devices, for operators of their groups: answered by the device."
    case .device: "What devices send."
    case .service: "Health, metrics and keys."
    }
  }
}
