internal import HTTPTypes
internal import HubCore
internal import Signalling

extension APIOperation {
  /// How one logs in, stays logged in and ends that.
  static let logins: [APIOperation] = [
    APIOperation(
      method: .post, path: "/v1/login", id: "logIn", subject: .logins,
      summary: "Log in with a password or an enrolment key, or anonymously where the hub allows that.", access: .anyone,
      body: .json(LoginRequest.self, limit: maximumJSONBytes),
      answers: [APIAnswer(help: "Logged in.", content: .json(LoginResponse.self))],
      refusals: [.badCredentials, .titleTaken, .badTitle(""), .tooMany("", retryAfter: 0)]),
    APIOperation(
      method: .post, path: "/v1/token", id: "renewToken", subject: .logins,
      summary: "Get a new token for the one that is sent, which is the login's newest and may have expired lately.",
      answers: [APIAnswer(help: "Renewed.", content: .json(LoginResponse.self))],
      refusals: [.tooMany("", retryAfter: 0)], requestsPerMinute: HubLimits().tokensPerMinute),
    APIOperation(
      method: .delete, path: "/v1/login", id: "logOut", subject: .logins, summary: "End the login of this token.",
      answers: [.done]),
    APIOperation(
      method: .get, path: "/v1/logins", id: "listLogins", subject: .logins,
      summary: "List where one is logged in, what was used last first.",
      answers: [APIAnswer(help: "The logins.", content: .json(LoginList.self))]),
    APIOperation(
      method: .delete, path: "/v1/logins", id: "endOtherLogins", subject: .logins,
      summary: "End all logins but this one.", answers: [.done]),
    APIOperation(
      method: .delete, path: "/v1/logins/{loginID}", id: "endLogin", subject: .logins, summary: "End one login.",
      parameters: [.path("loginID", ["type": "string"], "From the list.")], answers: [.done],
      refusals: [.notFound("")]),
  ]
}

extension APIAnswer {
  static let done = APIAnswer(status: 204, help: "Done.")
}

extension APIParameter {
  static func path(_ name: String, _ schema: JSONTree, _ help: String) -> APIParameter {
    APIParameter(name: name, place: .path, schema: schema, help: help, isRequired: true)
  }

  static func query(_ name: String, _ schema: JSONTree, _ help: String, isRequired: Bool = false) -> APIParameter {
    APIParameter(name: name, place: .query, schema: schema, help: help, isRequired: isRequired)
  }

  static func header(
    _ name: String, _ schema: JSONTree, _ help: String, isRequired: Bool = false
  ) -> APIParameter {
    APIParameter(name: name, place: .header, schema: schema, help: help, isRequired: isRequired)
  }
}
