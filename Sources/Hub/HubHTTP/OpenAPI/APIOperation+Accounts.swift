internal import HTTPTypes
internal import HubCore
internal import Signalling

extension APIOperation {
  /// What operators do to accounts and calls, and people to their own password.
  static let accounts: [APIOperation] = lists + changes + credentials + callsInProgress + passwords

  private static let id = APIParameter.path("accountID", ["type": "string"], "Of a user or device.")
  private static let perMinute = HubLimits().tokensPerMinute

  private static let listing: [APIParameter] = [
    .query("search", ["type": "string"], "What the title contains, in whatever case, or the id begins with."),
    .query(
      "limit", ["type": "integer", "minimum": 1, "maximum": .number(Int64(AccountDesk.maximumListed))],
      "How many at most."),
    .query("after", ["type": "string"], "What an answer says as next: continues behind its last account."),
  ]

  private static let lists: [APIOperation] = [
    APIOperation(
      method: .get, path: "/v1/accounts", id: "listAccounts", subject: .accounts,
      summary: "List people and devices, by title.", access: .token([.operator]), parameters: listing,
      answers: [APIAnswer(help: "The accounts.", content: .json(AccountList.self))]),
    APIOperation(
      method: .get, path: "/v1/devices", id: "listDevices", subject: .accounts,
      summary: "List devices, online or not, by title.", access: .token([.operator]), parameters: listing,
      answers: [APIAnswer(help: "The devices.", content: .json(AccountList.self))]),
    APIOperation(
      method: .get, path: "/v1/accounts/{accountID}/logins", id: "listAccountLogins", subject: .accounts,
      summary: "List where a person is logged in.", access: .token([.operator]), parameters: [id],
      answers: [APIAnswer(help: "The logins.", content: .json(LoginList.self))]),
  ]

  private static let changes: [APIOperation] = [
    APIOperation(
      method: .post, path: "/v1/accounts", id: "createAccount", subject: .accounts,
      summary: "Create a person or a device; the answer alone has the key or the code.", access: .token([.operator]),
      body: .json(NewAccount.self, limit: maximumJSONBytes),
      answers: [APIAnswer(status: 201, help: "Created.", content: .json(AccountGrant.self))],
      refusals: [.badTitle(""), .titleInUse, .tooMany("", retryAfter: 0)], requestsPerMinute: perMinute),
    APIOperation(
      method: .patch, path: "/v1/accounts/{accountID}", id: "changeAccount", subject: .accounts,
      summary: "Change title, role or groups, or disable the account.", access: .token([.operator]), parameters: [id],
      body: .json(AccountChange.self, limit: maximumJSONBytes),
      answers: [APIAnswer(help: "As it is now.", content: .json(AccountEntry.self))],
      refusals: [.badTitle(""), .titleInUse]),
    APIOperation(
      method: .delete, path: "/v1/accounts/{accountID}", id: "removeAccount", subject: .accounts,
      summary: "Remove a person or a device; its tokens end within seconds.", access: .token([.operator]),
      parameters: [id], answers: [.done]),
  ]

  private static let credentials: [APIOperation] = [
    APIOperation(
      method: .post, path: "/v1/accounts/{accountID}/enrolment", id: "renewEnrolmentKey", subject: .accounts,
      summary: "Give a device a new key, as for another board in its place; the old one ends.",
      access: .token([.operator]), parameters: [id],
      answers: [APIAnswer(help: "The new key.", content: .json(AccountGrant.self))],
      refusals: [.tooMany("", retryAfter: 0)], requestsPerMinute: perMinute),
    APIOperation(
      method: .post, path: "/v1/accounts/{accountID}/password", id: "resetPassword", subject: .accounts,
      summary: "End a person's password; the answer has a one-time code to choose another by.",
      access: .token([.operator]), parameters: [id],
      answers: [APIAnswer(help: "The code.", content: .json(AccountGrant.self))],
      refusals: [.tooMany("", retryAfter: 0)], requestsPerMinute: perMinute),
    APIOperation(
      method: .delete, path: "/v1/accounts/{accountID}/logins", id: "endAccountLogins", subject: .accounts,
      summary: "End all logins of a person.", access: .token([.operator]), parameters: [id], answers: [.done]),
  ]

  private static let callsInProgress: [APIOperation] = [
    APIOperation(
      method: .get, path: "/v1/active-calls", id: "listActiveCalls", subject: .accounts,
      summary: "List calls in progress whose parties meet in one of the operator's groups, the oldest first.",
      access: .token([.operator]),
      answers: [APIAnswer(help: "The calls.", content: .json(ActiveCalls.self))]),
    APIOperation(
      method: .delete, path: "/v1/active-calls/{sessionID}", id: "endActiveCall", subject: .accounts,
      summary: "End such a call for both parties.", access: .token([.operator]),
      parameters: [.path("sessionID", ["type": "string"], "From the list.")], answers: [.done],
      refusals: [.sessionUnknown]),
  ]

  private static let passwords: [APIOperation] = [
    APIOperation(
      method: .post, path: "/v1/password", id: "choosePassword", subject: .accounts,
      summary: "Choose a password by a one-time code, and log in.", access: .anyone,
      body: .json(PasswordChoice.self, limit: maximumJSONBytes),
      answers: [APIAnswer(help: "Logged in.", content: .json(LoginResponse.self))],
      refusals: [.badCredentials, .tooMany("", retryAfter: 0)]),
    APIOperation(
      method: .put, path: "/v1/password", id: "changePassword", subject: .accounts,
      summary: "Change one's own password: all logins end, and the answer is a new one.",
      access: .token([.operator, .user]), body: .json(PasswordChange.self, limit: maximumJSONBytes),
      answers: [APIAnswer(help: "Changed.", content: .json(LoginResponse.self))],
      refusals: [.tooMany("", retryAfter: 0)]),
  ]
}
