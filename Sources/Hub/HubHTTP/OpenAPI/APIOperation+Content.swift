internal import HTTPTypes
internal import HubCore
internal import Signalling

extension APIOperation {
  /// What operators ask devices for, through the hub.
  static let content: [APIOperation] = [
    asking(
      .archive, "/archives", "listArchives", "List a device's archives.", APIAnswer(json: ArchiveList.self)),
    asking(
      .archive, "/archives/{archiveID}", "readArchive", "An archive's manifest.",
      APIAnswer(json: ArchiveManifest.self), [archiveID]),
    asking(
      .archive, "/archives/{archiveID}/{file}", "readArchiveFile", "A file of an archive, or a clip of it.", files,
      [archiveID, file] + clip),
    asking(
      .thumbnail, "/archives/{archiveID}/thumbnail", "readArchiveImage", "What an archive shows.", image, [archiveID]),
    changing(.patch, "changeArchive", "Lock, unlock or rename an archive."),
    changing(.delete, "deleteArchive", "Delete an archive that is not locked."),
    APIOperation(
      method: .post, path: "/v1/users/{userID}/archives/{archiveID}/view", id: "viewArchive", subject: .content,
      summary: "A cookie by which the page's players read the archive.", access: .token([.operator, .device]),
      parameters: [userID, archiveID],
      answers: [
        APIAnswer(
          status: 204, help: "The cookie: for this archive, for a quarter of an hour.",
          headers: [.header("Set-Cookie", ["type": "string"], "RFC 6265.")])
      ], refusals: [DeviceContent.Kind.archive.refusal]),
    asking(.cameras, "/cameras", "listCameras", "A device's cameras.", APIAnswer(json: CameraNames.self)),
    asking(.snapshot, "/snapshot", "takeSnapshot", "What the main camera sees now.", image),
    asking(
      .snapshot, "/snapshot/{camera}", "takeSnapshotOf", "What a camera sees now.", image,
      [.path("camera", ["type": "string", "pattern": form("CameraName")], "From the list of cameras.")]),
    asking(
      .timeline, "/events", "listDeviceEvents", "What the device noticed, the newest first.",
      APIAnswer(json: EventPage.self),
      span + [.query("after", ["type": "string", "pattern": form("EventCursor")], "next of the page before.")]),
    asking(
      .eventImage, "/events/{eventID}/picture", "readEventImage", "The image of an event.", image,
      [.path("eventID", ["type": "string", "pattern": form("DetectedEventID")], "From the list of events.")]),
    asking(
      .timeline, "/recordings", "listRecordings", "When the device recorded, the newest first.",
      APIAnswer(json: RecordedSpans.self), span),
    asking(
      .recording, "/recording", "readRecording", "Whether the device records manually.",
      APIAnswer(json: RecordingState.self)),
    setting, pushedImage,
  ]

  /// Asks by `GET …/users/{userID}` and so on.
  private static func asking(
    _ kind: DeviceContent.Kind, _ path: String, _ id: String, _ summary: String, _ answer: APIAnswer,
    _ parameters: [APIParameter] = []
  ) -> APIOperation {
    var operation = APIOperation(
      method: .get, path: "/v1/users/{userID}" + path, id: id, subject: .content, summary: summary,
      access: .token([.operator, .device]), parameters: [userID] + parameters, answers: [answer],
      refusals: [
        kind.refusal, .receiverOffline, kind.absence, .deviceUnable(""), .deviceUnresponsive,
        .tooMany("", retryAfter: 0),
      ], requestsPerMinute: kind.requestsPerMinute(HubLimits()))
    if kind.isImage { operation.refusals.append(.deviceFaulty("")) }
    if kind == .archive {
      operation.parameters.append(range)
      operation.answers += [part, APIAnswer(status: 416, help: "The file has no such bytes.", headers: [contentRange])]
    }
    return operation
  }

  private static func changing(_ method: HTTPRequest.Method, _ id: String, _ summary: String) -> APIOperation {
    var operation = asking(
      .change, "/archives/{archiveID}", id, summary, APIAnswer(json: ArchiveState.self), [archiveID])
    operation.method = method
    if method == .patch { operation.body = .json(ArchiveWish.self, limit: ArchiveWish.maximumBytes) }
    return operation
  }

  private static let setting: APIOperation = {
    var operation = asking(
      .recording, "/recording", "setRecording", "Start or stop recording manually.",
      APIAnswer(json: RecordingState.self))
    operation.method = .put
    operation.body = .json(RecordingWish.self, limit: RecordingWish.maximumBytes)
    return operation
  }()

  /// The same image as `readEventImage` gives, by the ticket of a push message.
  private static let pushedImage: APIOperation = {
    var operation = asking(
      .eventImage, "", "readPushedImage", "The image of an event that a push message is about.", image,
      [
        .path("eventID", ["type": "string", "pattern": form("DetectedEventID")], "From the push message."),
        .header(EventImageRoutes.ticket.canonicalName, ["type": "string"], "imageTicket of the push message."),
      ])
    (operation.path, operation.access) = ("/v1/event-images/{userID}/{eventID}", .imageTicket)
    operation.refusals.append(.notFound(""))
    return operation
  }()

  // MARK: Parts

  private static func form(_ type: String) -> JSONTree { .text(TextForm.of[type]?.pattern ?? "") }

  private static let userID = APIParameter.path("userID", ["type": "string"], "The device.")
  private static let archiveID = APIParameter.path(
    "archiveID", ["type": "string", "pattern": form("ArchiveID")], "From the list of archives.")
  private static let file = APIParameter.path(
    "file", ["type": "string", "pattern": "^[A-Za-z0-9_-][A-Za-z0-9_.-]{0,127}$"], "A filename of the manifest.")
  private static let time: JSONTree = ["type": "integer", "minimum": 0, "maximum": .number(TimelineSpan.latest)]
  private static let span = [
    APIParameter.query("from", time, "The first moment, in milliseconds since 1970.", isRequired: true),
    .query("before", time, "The moment behind the last, a week after the first at most.", isRequired: true),
  ]
  private static let seconds: JSONTree = ["type": "number", "minimum": 0]
  private static let clip = [
    APIParameter.query(
      "from", seconds,
      "With to: a clip of the file's stream from this second of the archive on, or from the key frame before it."),
    .query("to", seconds, "The second behind its last, a quarter of an hour later at most."),
  ]
  private static let range = APIParameter.header(
    "Range", ["type": "string", "examples": ["bytes=0-65535"]],
    "One range of bytes; others are ignored, and those of more than \(ArchiveRoutes.longestRange) characters.")
  private static let contentRange = APIParameter.header("Content-Range", ["type": "string"], "RFC 9110, section 14.4.")
  private static let anything: JSONTree = [:]
  private static let image = APIAnswer(
    help: "A JPEG image.", content: .other([(type: UploadHead.imageType, schema: anything)]))
  private static let fileContent = APIAnswer.Content.other(
    ArchiveRoutes.passedTypes.union(["application/octet-stream"]).sorted().map { (type: $0, schema: anything) })
  private static let files = APIAnswer(help: "The file, whole.", content: fileContent)
  private static let part = APIAnswer(
    status: 206, help: "The range.", content: fileContent, headers: [contentRange])

  // MARK: Devices

  static let devices: [APIOperation] = [
    APIOperation(
      method: .post, path: ArchiveRoutes.uploads + "{uploadID}", id: "upload", subject: .device,
      summary: "The device's answer to the event request: what was asked for, or why not.", access: .token([.device]),
      parameters: uploadParameters, body: .bytes(limit: HubLimits().archiveMaximumBytes),
      answers: [.done, APIAnswer(status: 410, help: "Who asked is gone; the connection ends.")],
      refusals: [.notFound("")]),
    APIOperation(
      method: .post, path: ArchiveRoutes.uploads + "{uploadID}/relayed", id: "relayUpload", subject: .device,
      summary: "The same, handed on by another node of the hub.", access: .uploadTicket,
      parameters: uploadParameters, body: .bytes(limit: HubLimits().archiveMaximumBytes),
      answers: [.done, APIAnswer(status: 410, help: "Who asked is gone; the connection ends.")],
      refusals: [.notFound("")]),
    APIOperation(
      method: .post, path: "/v1/device-certificate", id: "certifyKey", subject: .device,
      summary: "Have the hub sign that a key is this device's.", access: .token([.device]),
      body: .json(DeviceCertificateRequest.self, limit: maximumJSONBytes),
      answers: [APIAnswer(help: "Signed.", content: .json(DeviceCertificateResponse.self))],
      refusals: [.notAllowed(""), .tooMany("", retryAfter: 0)], requestsPerMinute: HubLimits().tokensPerMinute),
    APIOperation(
      method: .post, path: "/v1/account-ids", id: "findAccountIDs", subject: .device,
      summary: "Find the ids of accounts by their titles, of those that share a group with the device.",
      access: .token([.device]), body: .json(AccountIDsRequest.self, limit: AccountIDRoutes.maximumBytes),
      answers: [APIAnswer(help: "Those found.", content: .json(AccountIDs.self))],
      refusals: [.notAllowed(""), .tooMany("", retryAfter: 0)], requestsPerMinute: HubLimits().tokensPerMinute),
    APIOperation(
      method: .post, path: "/v1/device-events", id: "reportEvent", subject: .device,
      summary: "Report what the device has noticed, for the hub's webhooks.", access: .token([.device]),
      body: .json(DetectedEvent.self, limit: DeviceEventRoutes.maximumBytes, narrowing: report),
      answers: [APIAnswer(status: 202, help: "Taken.")], refusals: [.notAllowed(""), .tooMany("", retryAfter: 0)],
      requestsPerMinute: HubLimits().deviceEventsPerMinute),
    APIOperation(
      method: .post, path: "/v1/device-events/push", id: "pushEvent", subject: .device,
      summary: "Have people's browsers show what the device has noticed, where they share a group with it.",
      access: .token([.device]),
      body: .json(
        EventPushRequest.self, limit: DeviceEventRoutes.maximumPushBytes, narrowing: ["properties": ["event": report]]),
      answers: [APIAnswer(status: 202, help: "Messages are on their way.", content: .json(EventPushGrant.self))],
      refusals: [.pushOff, .notAllowed(""), .tooMany("", retryAfter: 0)],
      requestsPerMinute: HubLimits().eventPushesPerMinute),
  ]

  /// What the hub passes on of events (``Signalling/DetectedEvent/refusal``): on the device there may be others.
  private static let report: JSONTree = {
    let name: JSONTree = ["type": "string", "pattern": form("GivenName")]
    let time: JSONTree = ["type": "integer", "minimum": 0, "maximum": .number(DetectedEvent.endOfTime - 1)]
    return [
      "required": ["rule"],
      "properties": ["source": name, "detail": name, "rule": name, "start": time, "end": time],
    ]
  }()

  private static let uploadParameters: [APIParameter] = [
    .path("uploadID", ["type": "string"], "From the event."),
    .header(
      "X-Status", ["type": "integer", "enum": .list(ArchiveRoutes.uploadStatuses.map { .number(Int64($0)) })],
      "What the device answers; 200 without."),
    .header("X-Content-Range", ["type": "string", "pattern": "^bytes "], "With 206 and 416."),
    .header("X-File-Name", ["type": "string"], "What a file of it is to be called, for Content-Disposition."),
  ]
}

extension APIAnswer {
  /// What the device sends as JSON.
  fileprivate init(json type: any (Decodable & Sendable).Type) {
    self.init(help: "The device's answer.", content: .json(type))
  }
}
