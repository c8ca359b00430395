internal import HTTPTypes
internal import HubCore
internal import Signalling

extension APIOperation {
  static let calls: [APIOperation] = [
    APIOperation(
      method: .get, path: "/v1/calls", id: "listCalls", subject: .calls,
      summary: "List one's calls that are over, the newest first; for operators also those of devices.",
      access: .token([.operator, .user]),
      parameters: [
        .query(
          "before", ["type": "string", "pattern": "^[0-9]{1,15}-[A-Za-z0-9_-]{1,128}$"],
          "Older ones: next of the answer before."),
        .query(
          "limit", ["type": "integer", "minimum": 1, "maximum": .number(Int64(CallQuery.maximumLimit))],
          "How many at most, \(CallQuery().limit) without."),
        .query("userID", ["type": "string"], "Only calls with this user or device."),
      ],
      answers: [APIAnswer(help: "The calls.", content: .json(CallPage.self))], refusals: [.notAllowed("")]),
    APIOperation(
      method: .put, path: "/v1/calls/seen", id: "seeCalls", subject: .calls,
      summary: "Say until which call one has seen the list, so that no page shows those as missed.",
      access: .token([.operator, .user]), body: .json(CallsSeen.self, limit: CallRoutes.maximumBytes),
      answers: [.done], refusals: [.notAllowed("")]),
  ]
}
