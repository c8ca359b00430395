internal import HTTPTypes
internal import HubCore
internal import HubStore
internal import Hummingbird
internal import Signalling

/// `GET /v1/users/{id}/archives…` (which are `PATCH` and `DELETE`, too), `/cameras`, `/snapshot…`, `/events`, `/events/{eventID}/picture`, `/recordings` and `/recording`
/// (which is `PUT`, too), answered by the device's `POST /v1/uploads/{uploadID}`.
///
/// Bytes pass from one request to the other chunk by chunk: a slow reader slows the device down.
struct ArchiveRoutes {
  /// Where uploads go; their ids stand behind it.
  static let uploads = "/v1/uploads/"
  /// What a device may answer.
  static let uploadStatuses = [200, 206, 403, 404, 409, 416]
  /// Bytes of the `Range` field.
  static let longestRange = 64
  /// Images pass as what the hub has found them to be, and no others.
  static let passedTypes: Set<String> = [
    "application/json", "application/gpx+xml", "audio/webm", "video/webm", "text/plain",
  ]
  let hub: Hub
  let tokens: TokenAuthority
  let connections: ConnectionRegistry
  let store: any HubStore
  let audit: AuditLog
  private let statusField = HTTPField.Name("X-Status")!
  private let rangeField = HTTPField.Name("X-Content-Range")!
  private let nameField = HTTPField.Name("X-File-Name")!

  init(hub: Hub, tokens: TokenAuthority, connections: ConnectionRegistry, store: any HubStore, audit: AuditLog) {
    (self.hub, self.tokens, self.connections, self.store, self.audit) = (hub, tokens, connections, store, audit)
  }

  /// What other nodes hand on, each with a ticket for this one upload in place of the device's token.
  func addRelayed(to router: some RouterMethods<HubRequestContext>) {
    router.post("/v1/uploads/:uploadID/relayed") { request, context in
      let uploadID = try context.parameters.require("uploadID")
      guard let ticket = request.headers[UploadRelay.ticket] else { throw HubRefusal.notFound("no such upload") }
      try await hub.backplane.claimRelayedUpload(uploadID, ticket: ticket)
      connections.noteAuthenticated(context.channel)
      return try await take(request, uploadID)
    }
  }

  func add(to router: some RouterMethods<HubRequestContext>) {
    let archives = router.group("/v1/users/:userID/archives")
    archives.get { request, context in try await fetchArchive(ArchivePath(), request, context) }
    archives.get(":archiveID") { request, context in
      try await fetchArchive(ArchivePath(archiveID: context.parameters.get("archiveID")), request, context)
    }
    archives.get(":archiveID/:file") { request, context in
      let path = try ArchivePath(
        archiveID: context.parameters.get("archiveID"), file: context.parameters.get("file"))
      try checkRights(.archive, context)
      guard let span = try request.clipSpan else { return try await fetchArchive(path, request, context) }
      return try await fetch(.clip(path, span, range: range(of: request)), context)
    }
    addViewing(to: router)
    addChanges(to: router)
    addSnapshots(to: router)
    router.get("/v1/users/:userID/events") { request, context in
      try await fetch(.events(try request.timelineSpan, after: try request.eventCursor), context)
    }
    router.get("/v1/users/:userID/recordings") { request, context in
      try await fetch(.recordings(try request.timelineSpan), context)
    }
    router.get("/v1/users/:userID/recording") { _, context in try await record(nil, context) }
    router.put("/v1/users/:userID/recording") { request, context in
      let wish = try await request.decode(RecordingWish.self, upTo: RecordingWish.maximumBytes)
      return try await record(wish.isRecording, context)
    }
    router.get("/v1/users/:userID/events/:eventID/picture") { _, context in
      guard let id = context.parameters.get("eventID").flatMap({ DetectedEventID($0) }) else {
        throw HubRefusal.invalid(field: "eventID", reason: "not an event's id")
      }
      return try await fetch(.eventImage(id), context)
    }
    router.post("/v1/uploads/:uploadID") { request, context in try await upload(request, context) }
  }

  private func addSnapshots(to router: some RouterMethods<HubRequestContext>) {
    router.get("/v1/users/:userID/cameras") { _, context in try await fetch(.cameras, context) }
    router.get("/v1/users/:userID/snapshot") { _, context in try await fetch(.snapshot(.main), context) }
    router.get("/v1/users/:userID/snapshot/:camera") { _, context in
      guard let camera = context.parameters.get("camera").flatMap({ CameraName($0) }) else {
        throw HubRefusal.invalid(field: "camera", reason: "not a camera's name")
      }
      return try await fetch(.snapshot(camera), context)
    }
  }

  // MARK: The requester

  private func fetchArchive(
    _ path: ArchivePath, _ request: Request, _ context: HubRequestContext
  ) async throws -> Response {
    try await fetch(.archive(path, range: range(of: request)), context)
  }

  /// The device identifies the requester by a session token of this one request.
  private func record(_ isWanted: Bool?, _ context: HubRequestContext) async throws -> Response {
    try await fetch(by: context) { token in .recording(isWanted: isWanted, requesterToken: token) }
  }

  func fetch(
    by context: HubRequestContext, _ content: (_ requesterToken: String) -> DeviceContent
  ) async throws -> Response {
    let uploadID = makeRandomToken()
    let token = try await tokens.sessionToken(
      userID: try context.principal.userID, role: .moderator, sessionID: uploadID)
    return try await fetch(content(token), context, uploadID: uploadID)
  }

  func fetch(
    _ content: DeviceContent, _ context: HubRequestContext, uploadID: String = makeRandomToken()
  ) async throws -> Response {
    try await fetch(
      content, of: try context.parameters.require("userID"), by: try context.principal, context, uploadID: uploadID)
  }

  /// Before anything that was sent along is read.
  func checkRights(_ kind: DeviceContent.Kind, _ context: HubRequestContext) throws {
    let principal = try context.principal
    guard principal.role == .operator || principal.userID == context.parameters.get("userID") else {
      throw kind.refusal
    }
  }

  /// Has the device send something, on behalf of a person whose rights are checked.
  func fetch(
    _ content: DeviceContent, of deviceID: String, by requester: Principal, _ context: HubRequestContext,
    uploadID: String = makeRandomToken()
  ) async throws -> Response {
    await context.channel.closeWhenPeerIsDead()
    let transfer = hub.transfers.register(uploadID, maximumBytes: content.kind.maximumBytes(hub.limits))
    let lease = TransferLease(hub: hub, uploadID: uploadID)
    try await hub.backplane.request(content, of: deviceID, by: requester, uploadID: uploadID)
    guard let head = await transfer.waitForHead() else { throw HubRefusal.deviceUnresponsive }
    try await check(head, of: content, transfer)
    guard content.kind.isImage else { return response(head, transfer, lease) }
    guard head.status == 200 else { throw HubRefusal.deviceFaulty("its image is not whole") }
    return response(head.asImage, transfer, lease, start: try await transfer.imageStart())
  }

  /// What the device refuses.
  private func check(
    _ head: UploadHead, of content: DeviceContent, _ transfer: ArchiveTransfer
  ) async throws(HubRefusal) {
    switch head.status {
    case 403:
      let message = await transfer.refusal().map { "the device refuses: \($0)" }
      throw .notAllowed(message ?? "this device shows nothing here unless its configuration allows it")
    case 404: throw await transfer.refusal().map { .notFound("the device: \($0)") } ?? content.kind.lack
    case 409:
      let message = await transfer.refusal().map { "the device: \($0)" }
      throw .deviceUnable(message ?? "its status and its log say why")
    default: break
    }
  }

  /// One of other units, or that is too long, is ignored (RFC 9110, section 14.2).
  private func range(of request: Request) -> String? {
    guard let range = request.headers[.range], range.lowercased().hasPrefix("bytes="),
      range.utf8.count <= Self.longestRange
    else { return nil }
    return request.bearerToken == nil ? ArchiveView.shortened(range) : range
  }

  /// - Parameter start: what was read already of a body that is an image.
  private func response(
    _ head: UploadHead, _ transfer: ArchiveTransfer, _ lease: TransferLease, start: ByteBuffer? = nil
  ) -> Response {
    let isImage = start != nil
    var headers: HTTPFields = [
      .contentType: isImage || Self.passedTypes.contains(head.contentType)
        ? head.contentType : "application/octet-stream",
      .acceptRanges: "bytes", .cacheControl: "no-store",
    ]
    if let name = head.fileName { headers[.contentDisposition] = "attachment; filename=\"\(name)\"" }
    headers[.contentRange] = head.contentRange
    headers[.contentLength] = head.contentLength.map(String.init)
    guard head.status != 416 else {
      headers[.contentLength] = "0"
      return Response(status: .rangeNotSatisfiable, headers: headers)
    }
    let body = ResponseBody(contentLength: head.contentLength) { writer in
      try await lease.holding {
        if let start { try await writer.write(start) }
        while let chunk = try await transfer.chunks.next() {
          try await writer.write(chunk)
          transfer.noteProgress()
        }
        try await writer.finish(nil)
      }
    }
    return Response(status: HTTPResponse.Status(code: head.status), headers: headers, body: body)
  }

  // MARK: The device

  private func upload(_ request: Request, _ context: HubRequestContext) async throws -> Response {
    let deviceID = try context.principal.userID
    let uploadID = try context.parameters.require("uploadID")
    let place = try await hub.backplane.claimUpload(uploadID, by: deviceID)
    switch place {
    case .here: return try await take(request, uploadID)
    case .node(let address, let ticket):
      return try await UploadRelay.relay(request, uploadID, to: address, ticket: ticket)
    }
  }

  private func take(_ request: Request, _ uploadID: String) async throws -> Response {
    guard let transfer = hub.transfers[uploadID] else { throw HubRefusal.notFound("no such upload") }
    transfer.begin(try uploadHead(request, transfer))
    do {
      try await pump(request, to: transfer)
    } catch {
      transfer.giveUp()
      return abortedResponse
    }
    return .noContent
  }

  private func uploadHead(_ request: Request, _ transfer: ArchiveTransfer) throws(HubRefusal) -> UploadHead {
    let status = request.headers[statusField].flatMap { Int($0) } ?? 200
    let length = request.headers[.contentLength].flatMap { Int($0) }
    guard Self.uploadStatuses.contains(status), Int64(length ?? 0) <= transfer.maximumBytes else {
      transfer.giveUp()
      throw .invalid(field: "X-Status, Content-Length", reason: "not acceptable")
    }
    let type = request.headers[.contentType]?.split(separator: ";").first.map(String.init) ?? ""
    let range = request.headers[rangeField].flatMap { $0.hasPrefix("bytes ") && $0.utf8.count <= 64 ? $0 : nil }
    let name = request.headers[nameField].flatMap { (try? ArchivePath(archiveID: "a", file: $0))?.file }
    return UploadHead(
      status: status, contentType: type, contentRange: range, contentLength: length, fileName: name)
  }

  private func pump(_ request: Request, to transfer: ArchiveTransfer) async throws {
    var remaining = transfer.maximumBytes
    for try await chunk in request.body {
      remaining -= Int64(chunk.readableBytes)
      guard remaining >= 0 else { throw TransferError.abandoned }
      try await transfer.chunks.send(chunk)
      transfer.noteProgress()
    }
    transfer.chunks.finish()
  }

  /// Closes the connection: reading on would let a device send what is discarded.
  private var abortedResponse: Response {
    let body = ResponseBody(contentLength: 0) { writer in
      try await writer.finish(nil)
      throw TransferError.abandoned
    }
    return Response(status: .gone, headers: [.contentLength: "0", .connection: "close"], body: body)
  }
}

/// The body of `PUT …/recording`.
struct RecordingWish: Decodable {
  static let maximumBytes = 1_024
  var isRecording: Bool
}

/// Ends a transfer whose reader is gone: also when the response's body is dropped without being written.
private final class TransferLease: Sendable {
  private let hub: Hub
  private let uploadID: String

  init(hub: Hub, uploadID: String) {
    self.hub = hub
    self.uploadID = uploadID
  }

  /// Keeps the lease alive as long as `body` runs.
  @concurrent
  func holding(_ body: @concurrent () async throws -> Void) async throws { try await body() }

  deinit {
    hub.transfers.giveUp(uploadID)
    hub.transfers.remove(uploadID)
    hub.backplane.finishUpload(uploadID)
  }
}
