import HTTPConnections
import Logging
import NIOHTTP1
public import Signalling

/// Answers the hub's requests for archives, images and events, a few at a time, each within the hub's byte limit.
public actor ArchiveUploader {
  /// Uploads at the same time; each holds one connection and one 64 KiB chunk.
  private static let maximumUploads = 8
  /// More for starting and stopping recordings and changing archives, which must not wait behind downloads.
  private static let reservedForRecording = 2

  private let client: HubClient
  private var content: RequestedContent
  private var uploads: [String: Task<Void, Never>] = [:]
  private var audit = HubAudit()
  private var isStopped = false

  public init(client: HubClient, content: RequestedContent) {
    self.client = client
    self.content = content
  }

  /// What the hub may see and control beside archives; nil is not permitted.
  public func add(
    _ timeline: (any TimelineProviding)?, _ recording: (any RecordingControl)?, _ changes: (any ArchiveChanging)? = nil
  ) {
    (content.timeline, content.recording, content.changes) = (timeline, recording, changes)
  }

  /// For when there is more that the archives can be shown with.
  public func replaceArchives(by archives: any ArchiveProviding) { content.archives = archives }

  /// Starts to answer a request and returns at once.
  ///
  /// A request beyond the limit is not answered: the hub lets it time out and returns 503 or 504 to the requester.
  public func answer(_ request: RequestEvent) {
    guard !isStopped, Identifier.isValid(request.uploadID), uploads[request.uploadID] == nil else { return }
    guard uploads.count < Self.maximumUploads + (request.isForRecording ? Self.reservedForRecording : 0) else {
      client.logger.warning("too many archive downloads at once; one was not answered")
      return
    }
    uploads[request.uploadID] = Task {
      await self.upload(request)
      self.uploads[request.uploadID] = nil
    }
  }

  /// Breaks off all uploads and waits for their ends; none begins after it.
  public func stop() async {
    isStopped = true
    // They hold what asks this one.
    (content.timeline, content.recording, content.changes) = (nil, nil, nil)
    for task in uploads.values { task.cancel() }
    await finish()
  }

  /// Waits for the uploads that are under way.
  func finish() async {
    for task in uploads.values { await task.value }
  }

  private func upload(_ request: RequestEvent) async {
    do {
      let answer = try await prepare(request)
      note(answer, to: request)
      try await client.upload(answer, uploadID: request.uploadID)
    } catch {
      // Usually a viewer who has seen enough.
      if !Task.isCancelled { client.logger.info("an archive download broke off: \(error)") }
    }
  }

  private func note(_ answer: ArchiveAnswer, to request: RequestEvent) {
    guard let path = ArchiveRequestPath(request.path) else { return }
    if let line = audit.line(of: path, status: answer.status, now: .now) { client.logger.info("\(line)") }
  }

  private func prepare(_ request: RequestEvent) async throws -> ArchiveAnswer {
    do {
      return try await ArchiveAnswer.make(request, from: content)
    } catch {
      client.logger.error("an archive cannot be read: \(error)")
      return .notFound
    }
  }
}

extension RequestEvent {
  fileprivate var isForRecording: Bool {
    switch ArchiveRequestPath(path) {
    case .recording, .change: true
    case .list, .manifest, .file, .clip, .thumbnail, .cameras, .snapshot, .events, .eventImage, .recordings, nil: false
    }
  }
}

extension HubClient {
  /// Posts the answer to where the hub waits for it; once only, since the address is good once.
  func upload(_ answer: ArchiveAnswer, uploadID: String) async throws(HubClientError) {
    guard Identifier.isValid(uploadID) else { throw .invalidIdentifier }
    var headers: HTTPHeaders = ["Content-Type": answer.contentType, "X-Status": String(answer.status)]
    if let contentRange = answer.contentRange { headers.add(name: "X-Content-Range", value: contentRange) }
    if let name = answer.fileName { headers.add(name: "X-File-Name", value: name) }
    let body: HTTPRequest.Body =
      switch answer.content {
      case .bytes(let bytes): .bytes(bytes)
      case .file(let file, let range):
        .chunks(ArchiveFileChunks(file: file, range: range), length: answer.content.count)
      }
    let token = try await credentials.current()
    let reply = try await transport.upload(
      "/v1/uploads/\(uploadID)", token: token.text, headers: headers, body: body)
    try reply.checkStatus()
  }
}
