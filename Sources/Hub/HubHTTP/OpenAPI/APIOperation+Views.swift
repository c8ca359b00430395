internal import HTTPTypes
internal import HubCore
internal import SDP
internal import Signalling

extension APIOperation {
  /// WHEP.
  static let views: [APIOperation] = [
    APIOperation(
      method: .post, path: "\(WHEPRoutes.path)/{userID}", id: "beginView", subject: .views,
      summary: "View a device: send an offer that receives, get the device's answer with all its candidates.",
      access: .viewer, parameters: [device],
      body: .text(type: WHEPRoutes.offerType, limit: MessageLimits.description),
      answers: [
        APIAnswer(
          status: 201, help: "The answer.", content: text(WHEPRoutes.offerType),
          headers: [
            .header(
              "Location", ["type": "string"], "Of the view, relative to the request's address.", isRequired: true),
            tag, .header("Accept-Patch", ["const": .text(WHEPRoutes.fragmentType)], "RFC 5789.", isRequired: true),
            .header("Link", ["type": "string"], "rel=ice-server: STUN and TURN servers (RFC 9725, section 4.6)."),
          ])
      ],
      refusals: [
        .notFound(""), .tooMany("", retryAfter: 0), .deviceUnresponsive, .deviceFaulty(""),
        .overloaded("", retryAfter: 0),
      ], problems: [.notAcceptable(""), .deviceOffline("")], requestsPerMinute: HubLimits().viewsPerMinute),
    APIOperation(
      method: .patch, path: "\(WHEPRoutes.path)/{userID}/{id}", id: "changeView", subject: .views,
      summary: "Trickle candidates, or restart ICE by other credentials.", access: .viewer,
      parameters: [
        device, view,
        APIParameter(
          name: "If-Match", place: .header, schema: ["type": "string"],
          help: "The view's ETag, or * to restart ICE; without it the answer is 428."),
      ],
      body: .text(type: WHEPRoutes.fragmentType, limit: TrickleFragment.maximumByteCount),
      answers: [
        APIAnswer(
          help: "ICE is restarted: the device's credentials and candidates.",
          content: text(WHEPRoutes.fragmentType), headers: [tag]),
        .done,
      ],
      refusals: [
        .sessionUnknown, .sessionEnded, .wrongState(""), .tooMany("", retryAfter: 0), .deviceUnresponsive,
        .deviceFaulty(""),
      ],
      problems: [.preconditionFailed, .preconditionRequired, .notAcceptable(""), .deviceOffline("")]),
    APIOperation(
      method: .delete, path: "\(WHEPRoutes.path)/{userID}/{id}", id: "endView", subject: .views,
      summary: "End a view.", access: .viewer, parameters: [device, view], answers: [APIAnswer(help: "It has ended.")],
      refusals: [.sessionUnknown, .sessionEnded, .tooMany("", retryAfter: 0)]),
  ]

  private static func text(_ type: String) -> APIAnswer.Content {
    let schema: JSONTree = ["type": "string"]
    return .other([(type, schema)])
  }

  private static let device = APIParameter.path("userID", ["type": "string"], "The device.")
  private static let view = APIParameter.path("id", ["type": "string"], "From Location.")
  private static let tag = APIParameter.header(
    "ETag", ["type": "string"], "Of the ICE session; strong.", isRequired: true)
}
