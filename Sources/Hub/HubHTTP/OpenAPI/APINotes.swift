internal import HubCore
internal import Signalling

/// What the API's types do not say of their members: bounds and meaning, by type and member.
enum APINotes {
  static let all: ShapeReader.Notes = logins.merging(presence, uniquingKeysWith: keepingFirst)
    .merging(sessions, uniquingKeysWith: keepingFirst).merging(events, uniquingKeysWith: keepingFirst)
    .merging(accounts, uniquingKeysWith: keepingFirst).merging(guests, uniquingKeysWith: keepingFirst)
    .merging(calls, uniquingKeysWith: keepingFirst)
    .merging(push, uniquingKeysWith: keepingFirst)
    .merging(content, uniquingKeysWith: keepingFirst)

  private typealias Members = [String: [String: JSONTree]]

  private static func keepingFirst(_ first: Members, _ second: Members) -> Members { first }

  // MARK: Keywords

  static func text(_ help: String, atMost limit: Int? = nil) -> [String: JSONTree] {
    let bound: [String: JSONTree] = limit.map { ["maxLength": .number(Int64($0))] } ?? [:]
    return bound.merging(["description": .text(help)]) { first, _ in first }
  }

  private static func number(_ help: String, _ range: ClosedRange<Int64>) -> [String: JSONTree] {
    let bounds: [String: JSONTree] = ["minimum": .number(range.lowerBound), "maximum": .number(range.upperBound)]
    return help.isEmpty ? bounds : bounds.merging(text(help)) { first, _ in first }
  }

  /// A word of a list that grows.
  static func word(_ help: String, _ known: [String] = []) -> [String: JSONTree] {
    var keywords = TextForm.keywords("EventCode")
    if !help.isEmpty { keywords["description"] = .text(help) }
    if !known.isEmpty { keywords["examples"] = .list(known.map { .text($0) }) }
    return keywords
  }

  static let time = text("Milliseconds since 1970.")
  private static let largestInt32 = Int64(Int32.max)

  // MARK: Members

  private static let logins: ShapeReader.Notes = [
    "LoginRequest": [
      "": ["not": ["required": ["password", "enrolmentKey"]]],
      "userTitle": text("Who logs in; of no effect with an enrolment key."),
      "password": text("Of a person."), "enrolmentKey": text("Of a device, in place of a password."),
      "clientToken": text("From an earlier login of the same client: strangers' wrong passwords do not delay it."),
    ],
    "LoginResponse": [
      "accessToken": text("For the Authorization field of other requests."), "expiresAt": time,
      "expiresIn": text("Seconds to expiresAt."), "role": ["enum": .list(UserRole.allCases.map { .text($0.rawValue) })],
      "userTitle": text("The title that others see."), "clientToken": text("After a password: for the next login."),
    ],
    "LoginEntry": [
      "startedAt": time, "renewedAt": time, "address": text("From where the token was given or renewed last."),
      "client": text("The User-Agent of that request."),
      "isCurrent": text("Whether this request's token belongs to it."),
    ],
    "PublicKey": ["x": text("The Ed25519 key in base64url (RFC 8037).")],
    "HealthAnswer": ["status": ["const": "ok"]],
    "Problem": [
      "type": text("A short stable name."), "status": text("The status of the answer."),
      "detail": text("For people."),
    ],
  ]

  private static let permits: [String: JSONTree] = [
    "description": .text(
      "What a device permits at all: \(DevicePermission.allCases.map(\.rawValue).joined(separator: ", ")). Absent: unknown."
    ),
    "maxItems": .number(Int64(DevicePermission.maximumCount)),
  ]

  private static let presence: ShapeReader.Notes = [
    "UserLocation": [
      "latitude": number("Degrees, WGS 84.", -90...90), "longitude": number("Degrees, WGS 84.", -180...180),
      "horizontalAccuracy": text("Metres."),
    ],
    "PresenceUpdate": [
      "userTitle": text("Must be the account's own title."),
      "userLocation": text("Absent: as before. null: withdrawn."),
      "positionAge": number("Seconds since the sender was there.", 0...Int64(PresenceUpdate.longestPositionAge)),
      "eventStreamID": text("From the hello event of the stream to be called on."),
      "sessions": text("The sessions that the sender still has; the hub ends its others."),
      "permits": permits,
      "report": text("Of a device with an account: how it is. The hub keeps the last one."),
    ],
    "DeviceReport": [
      "uptime": text("Seconds since the daemon began."),
      "problems": text("The parts that do not work, \(DeviceReport.maxProblems) at most, as camera, or camera yard."),
      "problem": text("What is wrong with the first of them, for people."),
      "diskFree": text("Bytes, on the file system of recordings."), "diskCapacity": text("Bytes."),
      "temperature": text("Of the warmest zone, in degrees Celsius."),
      "lastEvent": text("The kind of the last event."), "lastEventAt": time, "permits": permits,
    ],
    "NearbyUser": [
      "permits": permits,
      "positionAge": text("Seconds since the user was there."),
      "distance": text("Metres from the place asked for, or from one's own."),
    ],
  ]

  private static let sessions: ShapeReader.Notes = [
    "SessionRequest": ["offer": text("The caller's SDP.", atMost: MessageLimits.description)],
    "SessionGrant": [
      "publisherToken": text("The session token of a caller who may send; one of the two tokens is there."),
      "subscriberToken": text(
        "The session token of a caller who asked for no sound and no image of its own to be sent."),
    ],
    "SessionDescription": [
      "sdp": ["maxLength": .number(Int64(MessageLimits.description))],
      "offerNumber": number("Of an answer: which offer it is to; 0 placed the call.", 0...largestInt32),
    ],
    "SessionEnding": [
      "reason": word("Why.", Set(RejectReason.allCases.map(\.rawValue) + EndReason.allCases.map(\.rawValue)).sorted())
    ],
    "SessionCandidates": ["candidates": ["maxItems": .number(Int64(HubLimits().candidatesPerMessage))]],
    "Candidate": [
      "candidate": text("The candidate: attribute; empty at the end.", atMost: MessageLimits.candidate),
      "sdpMid": text("Counts with candidate.", atMost: MessageLimits.candidate),
      "sdpMLineIndex": number("", 0...largestInt32),
    ],
    "SessionSignal": [
      "type": [
        "minLength": 1, "maxLength": .number(Int64(MessageLimits.signalType)), "pattern": "^[!-~]+$",
        "examples": ["chat"],
      ],
      "data": text("Passed on as it is.", atMost: MessageLimits.signalData),
    ],
    "SessionControl": [
      "action": word(
        "What the device is to do.",
        ["mute", "unmute", "swap-camera", "choose-camera", "start-archive", "stop-archive"]),
      "target": TextForm.keywords("CameraName").merging(text("microphone, speaker, camera, or a camera's name.")) {
        $1
      },
    ],
    "SessionControlResult": [
      "action": word("What was asked for."), "target": TextForm.keywords("CameraName"),
      "reason": word("Why it was not done."), "detail": word("Says more about the reason."),
    ],
    "ArchiveAnnouncement": [
      "sessionID": text("In a request the path's id."), "status": ["enum": ["started", "stopped"]],
    ],
    "ICEServer": ["credential": text("Secret, and short-lived.")],
    "DeviceCertificateRequest": [
      "publicKey": text("An Ed25519 key of 32 octets, base64url without padding.")
        .merging(["pattern": "^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$"]) { $1 },
      "possession": text("The key's signature over who has it, base64url without padding.")
        .merging(["pattern": "^[A-Za-z0-9_-]{85}[AQgw]$"]) { $1 },
    ],
    "DeviceCertificateResponse": ["certificate": text("A JWT (RFC 7519), signed by the hub."), "expiresAt": time],
  ]

  private static let calls: ShapeReader.Notes = [
    "CallEntry": [
      "caller": text("As known when the call was placed, like receiver."),
      "media": text("What the caller asked for; watch: to receive alone."),
      "outcome": text("The receiver has missed unanswered, busy, cancelled, unreachable and failed calls."),
      "reason": word("With which the call ended.", EndReason.allCases.map(\.rawValue)), "startedAt": time,
      "ringingAt": text("When the receiver said that it rings; absent if it has not."),
      "answeredAt": text("Absent where no one has answered."), "endedAt": time,
      "isRecorded": text("Whether the device has announced a recording."),
      "archiveID": text("The recording at the device; to operators alone, in the list."),
    ],
    "CallPage": [
      "next": text("For before; absent where there are no older ones."),
      "missed": text("Calls to oneself that were missed since the list was seen."),
      "retention": text("Seconds for which calls are kept; 0: none are."),
    ],
    "CallsSeen": [
      "until": number("endedAt of the newest call that was shown.", CallQuery.times)
    ],
    "CallHistoryEvent": [
      "missed": text("As in GET /v1/calls."), "call": text("The call that was kept; absent where calls were seen."),
    ],
  ]

  private static let push: ShapeReader.Notes = [
    "PushOverview": ["applicationServerKey": text("The hub's key (RFC 8292), 65 octets in base64url.")],
    "PushSubscriptionEntry": [
      "createdAt": time, "client": text("The User-Agent of the request that made it."),
      "isCurrentLogin": text("Whether the login of this request's token made it."),
    ],
    "PushSubscriptionRequest": [
      "endpoint": text("An https URL at a public push service.", atMost: PushEndpoint.longest),
      "language": text("The page's language tag.", atMost: 35),
    ],
    "EventPushRequest": ["recipients": text("1 to \(PushRecipient.maxCount) of user:ID and group:NAME.")],
    "EventPushGrant": ["browsers": text("That messages are sent to; 0 where none of these people has subscribed.")],
    "BrowserKeys": [
      "p256dh": text("An uncompressed point on P-256 in base64url."), "auth": text("16 octets in base64url."),
    ],
  ]

  private static let events: ShapeReader.Notes = [
    "SessionEvent": [
      "phones": text("Browsers that push messages ring."), "token": text("To a device: the receiver's."),
    ],
    "HelloEvent": [
      "eventStreamID": text("For PUT /v1/presence, and for the next request that polls."),
      "isReset": text("Whether events were lost since Last-Event-ID: ask for what was pending."),
      "heartbeatInterval": text("Seconds between two PUT /v1/presence, a quarter more or less."),
    ],
    "IncomingCallEvent": [
      "callerRole": text("As the hub has authenticated the caller."), "distance": text("Metres between the parties."),
      "token": text("The receiver's session token."), "callerToken": text("The caller's, to be verified."),
    ],
    "DescriptionEvent": [
      "offerNumber": text("In call.offer: for the answer."), "token": text("In call.answered: the receiver's."),
    ],
    "ControlEvent": ["role": text("The sender's, in the session.")],
    "RequestEvent": [
      "uploadID": text("For POST /v1/uploads/{uploadID}, once."), "path": text("What is wanted of the device."),
      "range": text("The Range field of who asks."), "maximumBytes": text("The hub reads no more."),
      "requester": text("Who asks, where that decides something."),
    ],
    "ContentRequester": ["token": text("A session token of this user for the uploadID.")],
    "PresenceEvent": ["": text("Someone of one's groups came, went or changed status.")],
  ]

  private static let content: ShapeReader.Notes = [
    "DetectedEvent": [
      "id": TextForm.keywords("DetectedEventID"), "kind": word("", EventKind.allCases.map(\.rawValue)),
      "source": text("Its name in the device's configuration.", atMost: MessageLimits.code),
      "camera": TextForm.keywords("CameraName"), "start": time, "end": text("Absent while it is ongoing."),
      "score": number("Of the strongest moment.", 0...100), "detail": text("For people.", atMost: MessageLimits.code),
      "rule": text("The device's rule by which it is sent; absent elsewhere.", atMost: MessageLimits.code),
      "picture": text("The image on the device."), "archives": text("Those that were recorded meanwhile."),
      "isInterrupted": text("Whether the daemon ended before the event."),
    ],
    "WebhookNotice": [
      "type": ["const": .text(WebhookNotice.deviceEvent)],
      "receivedAt": text("By the hub's clock, in milliseconds since 1970."),
      "page": text("Where the page shows the event: it comes behind the hub's own address."),
    ],
    "FrameRegion": [
      "": text("Thousandths of the frame, from the upper left."), "x": number("", 0...1_000),
      "y": number("", 0...1_000),
      "width": number("", 0...1_000), "height": number("", 0...1_000),
    ],
    "ArchiveList": ["count": text("Of all; items may be fewer.")],
    "ArchiveManifest": ["": text("See archives.md; more members may come."), "createdAt": time],
    "ArchivedFile": [
      "size": text("Bytes."), "startTimeOffset": text("Milliseconds from the archive's start."),
      "camera": TextForm.keywords("CameraName"),
    ],
    "RecordedSpans": ["hasMore": text("Whether older ones were left out.")],
    "RecordedSpan": ["start": time, "end": text("Absent while it is recorded.")],
    "EventPage": [
      "hasMore": text("Whether there are older ones in the span."),
      "next": TextForm.keywords("EventCursor").merging(text("For after.")) { $1 },
    ],
    "CameraNames": ["items": text("The main one first.")],
    "RecordingState": [
      "isRecording": text("Whether something is recorded manually."),
      "secondsLeft": text("Until it ends by itself."), "problem": text("Why nothing is written now."),
    ],
  ]
}
