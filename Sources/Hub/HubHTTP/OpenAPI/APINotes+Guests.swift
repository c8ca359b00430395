internal import HubStore
internal import Signalling

extension APINotes {
  static let guests: ShapeReader.Notes = [
    "InvitationRequest": [
      "": ["oneOf": [["required": ["deviceID"]], ["required": ["group"]]]],
      "name": text("What the device sees as the guest's title."), "deviceID": text("The device that may be called."),
      "group": text("The group whose devices may be called."),
      "from": text("Milliseconds since 1970; absent: now."),
      "until": text("Milliseconds since 1970, within \(Invitations.longestDays) days."),
    ],
    "InvitationGrant": ["code": text("Secret; shown this once. In a link it stands behind #/guest/.")],
    "InvitationEntry": [
      "from": time, "until": time, "createdAt": time, "madeBy": text("The title of who made it."),
      "usedAt": text("When a browser got it, in milliseconds since 1970; absent until then."),
      "address": text("From where."), "client": text("The User-Agent of that request."),
    ],
    "InvitationView": [
      "deviceTitle": text("Absent for a group."), "group": text("Absent for a device."), "from": time, "until": time,
      "now": text("By the hub's clock, in milliseconds since 1970."),
      "challenge": text("For redeem; good for two minutes."),
    ],
    "InvitationRedemption": [
      "key": text("32 random octets in base64url by which the browser is known from then on."),
      "challenge": text("From check, with proof, in place of key."),
      "proof": text("HMAC-SHA256 of the challenge by the key, in base64url."),
    ],
    "GuestOverview": ["until": time],
    "AuditEntry": [
      "id": text("For before."), "at": time, "kind": word("", AuditKind.allCases.map(\.rawValue)),
      "count": text("How often; more than 1 in summaries."), "lastAt": text("When last, in summaries."),
    ],
    "AuditActor": [
      "address": text("Of an IPv6 address the network."),
      "loginID": text("As in the list of logins."),
    ],
    "AuditPage": [
      "next": text("For before; absent where there is no more. A page may have no items and be continued.")
    ],
  ]
}
