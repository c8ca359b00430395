internal import HTTPTypes
internal import HubCore
internal import Signalling

extension APIOperation {
  /// Guests' invitations, and the audit log.
  static let guests: [APIOperation] = [
    APIOperation(
      method: .get, path: "/v1/invitations", id: "listInvitations", subject: .guests,
      summary: "List invitations to one's groups, the newest first.", access: .token([.operator]),
      answers: [APIAnswer(help: "The invitations.", content: .json(InvitationList.self))]),
    APIOperation(
      method: .post, path: "/v1/invitations", id: "invite", subject: .guests,
      summary: "Invite a guest to a device or to the devices of a group; the answer alone has the code.",
      access: .token([.operator]), body: .json(InvitationRequest.self, limit: InvitationRoutes.maximumBytes),
      answers: [APIAnswer(status: 201, help: "Invited.", content: .json(InvitationGrant.self))],
      refusals: [.badTitle(""), .notFound(""), .tooMany("", retryAfter: 0)],
      requestsPerMinute: HubLimits().tokensPerMinute),
    APIOperation(
      method: .post, path: "/v1/view-links", id: "makeViewLink", subject: .guests,
      summary: "Make a link by which whoever has it views a device by WHEP; it is revoked as an invitation is.",
      access: .token([.operator]), body: .json(ViewLinkRequest.self, limit: InvitationRoutes.maximumBytes),
      answers: [APIAnswer(status: 201, help: "Made.", content: .json(ViewLinkGrant.self))],
      refusals: [.badTitle(""), .notFound(""), .tooMany("", retryAfter: 0)],
      requestsPerMinute: HubLimits().tokensPerMinute),
    APIOperation(
      method: .delete, path: "/v1/invitations/{invitationID}", id: "revokeInvitation", subject: .guests,
      summary: "End an invitation and its guest's call.", access: .token([.operator]),
      parameters: [.path("invitationID", ["type": "string"], "From the list.")], answers: [.done],
      refusals: [.notFound("")]),
    APIOperation(
      method: .post, path: "/v1/invitations/check", id: "checkInvitation", subject: .guests,
      summary: "Ask what a code is good for; nothing is used by that.", access: .anyone,
      body: .json(InvitationCheck.self, limit: InvitationRoutes.maximumBytes),
      answers: [APIAnswer(help: "What it is good for.", content: .json(InvitationView.self))],
      refusals: [.notFound(""), .tooMany("", retryAfter: 0)]),
    APIOperation(
      method: .post, path: "/v1/invitations/redeem", id: "redeemInvitation", subject: .guests,
      summary: "Log in as a guest: first with a key that the browser has made, later with a proof that it has it.",
      access: .anyone, body: .json(InvitationRedemption.self, limit: InvitationRoutes.maximumBytes),
      answers: [APIAnswer(help: "Logged in, for some minutes.", content: .json(LoginResponse.self))],
      refusals: [.notFound(""), .tooMany("", retryAfter: 0)] + InvitationState.allCases.map { .invitation($0) }),
    APIOperation(
      method: .get, path: "/v1/invitation", id: "readInvitation", subject: .guests,
      summary: "Read what one may call as a guest.", access: .token([.guest]),
      answers: [APIAnswer(help: "The devices.", content: .json(GuestOverview.self))]),
    APIOperation(
      method: .get, path: "/v1/audit", id: "readAudit", subject: .guests,
      summary: "Read who did what to whom in one's groups, the newest first; administrators read all.",
      access: .token([.operator]),
      parameters: [
        .query("before", ["type": "string"], "The next of the page before."),
        .query(
          "limit", ["type": "integer", "minimum": 1, "maximum": .number(Int64(AuditRoutes.maximumLimit))],
          "How many at most, 50 without."),
        .query(
          "kind", ["type": "string", "enum": .list(AuditKind.allCases.map { .text($0.rawValue) })], "Only these."),
        .query("user", ["type": "string"], "Only those by or about this id."),
      ], answers: [APIAnswer(help: "The entries.", content: .json(AuditPage.self))]),
  ]
}
