internal import HTTPTypes
internal import HubCore
internal import Signalling

extension APIOperation {
  static let push: [APIOperation] = [
    APIOperation(
      method: .get, path: "/v1/push", id: "readPush", subject: .push,
      summary: "The key for PushManager.subscribe, and which of the user's browsers are rung.",
      answers: [APIAnswer(help: "Push is on.", content: .json(PushOverview.self))], refusals: [.pushOff]),
    APIOperation(
      method: .post, path: "/v1/push/subscriptions", id: "subscribe", subject: .push,
      summary: "Have this browser rung: what PushSubscription.toJSON() gives. It ends with the login.",
      access: .token([.operator, .user]),
      body: .json(PushSubscriptionRequest.self, limit: PushRoutes.maximumBytes),
      answers: [APIAnswer(status: 201, help: "Kept.", content: .json(PushSubscriptionGrant.self))],
      refusals: [.pushOff, .notAllowed(""), .wrongState(""), .tooMany("", retryAfter: 0)],
      requestsPerMinute: HubLimits().pushSubscriptionsPerMinute),
    APIOperation(
      method: .delete, path: "/v1/push/subscriptions/{subscriptionID}", id: "unsubscribe", subject: .push,
      summary: "Have a browser rung no longer.",
      parameters: [.path("subscriptionID", ["type": "string"], "From the list.")], answers: [.done],
      refusals: [.pushOff, .notFound("")]),
  ]
}
