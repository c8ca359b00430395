internal import Signalling

extension APINotes {
  static let accounts: ShapeReader.Notes = [
    "AccountEntry": [
      "role": text("An administrator is an operator whose reach is all accounts."),
      "credentialExpiresAt": text("Of a one-time code, in milliseconds since 1970."), "createdAt": time,
      "isDisabled": text("Whether neither credential nor tokens are taken."),
      "lastSeen": text("When it was online last, to within some minutes, in milliseconds since 1970."),
      "report": text("What a device reported last, also while it is offline."),
      "reportedAt": text("When that was, in milliseconds since 1970."),
      "client": text("The program that was online last (User-Agent)."),
    ],
    "AccountList": [
      "count": text("Of those that match, on all pages."),
      "next": text("Where the answer was cut off: what to ask for the rest with, as after."),
    ],
    "NewAccount": [
      "role": text("Of a person; absent: user."), "groups": text("Absent: one's own only one, else default."),
      "password": text("Of a person; absent: the answer has a one-time code to choose one by."),
    ],
    "AccountGrant": [
      "enrolmentKey": text("Of a device; shown this once."),
      "code": text("Of a person, for POST /v1/password; shown this once."),
    ],
    "AccountChange": ["isDisabled": text("True ends its logins.")],
    "ActiveCall": ["startedAt": time],
    "AccountIDsRequest": ["titles": text("1 to \(AccountIDsRequest.maxTitles), of at most 128 bytes each.")],
    "TitledAccount": [
      "title": text("As it was asked for."),
      "userTitle": text("As the account has it: the same but for case, spaces and letters that look alike."),
    ],
  ]
}
