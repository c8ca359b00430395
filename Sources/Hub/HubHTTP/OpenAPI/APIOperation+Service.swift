internal import HTTPTypes
internal import HubCore
internal import Signalling

extension APIOperation {
  static let service: [APIOperation] = [
    APIOperation(
      method: .get, path: "/healthz", id: "checkHealth", subject: .service, summary: "Whether the hub works.",
      access: .anyone, answers: [APIAnswer(help: "It does.", content: .json(HealthAnswer.self))],
      problems: [ServiceRoutes.unhealthy("")]),
    APIOperation(
      method: .get, path: "/metrics", id: "readMetrics", subject: .service,
      summary: "Metrics for Prometheus, where hub.toml names a token.", access: .metricsToken,
      answers: [APIAnswer(help: "The metrics.", content: .other([("text/plain", ["type": "string"])]))],
      refusals: [.notFound("")]),
    APIOperation(
      method: .get, path: "/.well-known/jwks.json", id: "readKeys", subject: .service,
      summary: "The public keys of session tokens and device certificates.", access: .anyone,
      answers: [
        APIAnswer(
          help: "The keys.",
          content: .other([("application/jwk-set+json", ["$ref": "#/components/schemas/KeySetAnswer"])]))
      ]),
    APIOperation(
      method: .get, path: DescriptionRoute.path, id: "readDescription", subject: .service,
      summary: "This description.", access: .anyone,
      parameters: [.header("If-None-Match", ["type": "string"], "The ETag of an earlier answer.")],
      answers: [
        APIAnswer(help: "OpenAPI 3.1.", content: .other([("application/json", ["type": "object"])])),
        APIAnswer(status: 304, help: "It is as before."),
      ]),
  ]

  /// All that the hub's routes do, but for the page's files.
  static let all: [APIOperation] = [
    logins, accounts, guests, presence, eventStream, sessions, views, calls, push, content, devices, service,
  ].flatMap(\.self)
}
