import Archive
import DeviceConfiguration
import HTTPConnections
import MediaCore
import NIOHTTP1
import ObjectStorage
import TransportCrypto

/// A bucket of an S3-compatible store.
///
/// Small objects go in one request, others in parts of which those that the store has are not sent again. Each part's
/// SHA-256 digest is signed, so that the store refuses what was damaged on the way. What the store does not take as it is
/// goes in another form, which is remembered (``StoreHabits``).
struct S3Store: RemoteStore {
  private let connections: BucketConnections
  private let configured: StoreHabits
  private let credentials: StorageCredentials
  private let prefix: String
  private let environment: UploadEnvironment

  /// - Parameters:
  ///   - settings: where its certificate's authority, and the prefix of keys, stand.
  ///   - credentials: whose rights are used.
  init(
    _ bucket: UploadSettings.Bucket, _ settings: UploadSettings, _ credentials: StorageCredentials,
    _ environment: UploadEnvironment
  ) throws(UploadFailure) {
    let place = StorePlace(
      endpoint: bucket.endpointHost, region: bucket.region, bucket: bucket.name, isPathStyle: bucket.isPathStyle)
    configured = StoreHabits(place, checksum: bucket.checksums.kind)
    connections = BucketConnections(
      scheme: bucket.scheme, authorityFile: settings.authorityFile, route: environment.route)
    self.credentials = credentials
    prefix = settings.prefix
    self.environment = environment
    // What is wrong with the address shows before anything is read.
    _ = try connections.connection(to: place)
  }

  func put(_ object: UploadObject, _ memory: PartsMemory) async throws {
    guard object.content.byteCount <= MultipartPlan.largestObject else {
      throw UploadFailure.tooLarge(object.content.byteCount)
    }
    do {
      try await putOnce(object, memory)
    } catch let failure as UploadFailure {
      guard try await canStartOver(failure, object, memory) else { throw failure }
      try await putOnce(object, PartsMemory(begun: nil, note: memory.note))
    }
  }

  /// Whether an object in parts that came to nothing has better prospects from its beginning.
  private func canStartOver(_ failure: UploadFailure, _ object: UploadObject, _ memory: PartsMemory) async throws
    -> Bool
  {
    switch failure.code {
    case "NoSuchUpload":
      // The store has forgotten it: a rule of the bucket removes what stays unfinished.
      try await memory.note(nil, 0)
      return true
    case "EntityTooSmall":
      let refused = memory.begun?.partSize ?? plan(object).partSize
      environment.memory.change(configured) { $0.learn(tooSmall: refused) }
      try await memory.note(nil, 0)
      return true
    default: return false
    }
  }

  fileprivate func plan(_ object: UploadObject) -> MultipartPlan {
    let asked = environment.memory.habits(or: configured).smallestPart
    return MultipartPlan(byteCount: object.content.byteCount, partSize: max(asked, MultipartPlan.smallestPart))
  }

  private func putOnce(_ object: UploadObject, _ memory: PartsMemory) async throws {
    let plan = plan(object)
    if plan.isSinglePart { return try await putWhole(object) }
    try await PartsTransfer(store: self, object: object, key: prefix + object.key, memory: memory).run()
  }

  private func putWhole(_ object: UploadObject) async throws {
    let (key, content) = (prefix + object.key, object.content)
    let digest = try await content.digest(from: 0, byteCount: content.byteCount, environment.hashing)
    let answer = try await send(.checked, body(content, from: 0, content.byteCount)) { requests, kind in
      let checksum = try await content.checksum(kind, from: 0, byteCount: content.byteCount, environment.hashing)
      return requests.put(key, contentType: object.contentType, digest: digest, checksum)
    }
    guard answer.headers.contains(name: "ETag") else { throw UploadFailure.noTag }
    if try Self.check(answer, digest) == nil { try await checkLength(key, content.byteCount) }
  }

  func abandon(_ uploadID: String, of key: String) async throws {
    _ = try await send { requests, _ in requests.abortParts(of: uploadID, prefix + key) }
  }

  /// Begins an object of several parts and has the store forget it: that needs the rights that an upload needs.
  func probe() async throws {
    let key = prefix + "livesessions-doctor"
    let uploadID = try await beginParts(key, "application/octet-stream")
    _ = try await send { requests, _ in requests.abortParts(of: uploadID, key) }
  }

  func shutdown() async { await connections.shutdown() }
}

extension UploadSettings.Checksums {
  /// Nil for what the store takes.
  fileprivate var kind: PayloadChecksum.Kind? {
    switch self {
    case .auto: nil
    case .sha256: .sha256
    case .md5: .md5
    case .none: PayloadChecksum.Kind.none
    }
  }
}

// MARK: - Requests

extension S3Store {
  fileprivate enum RequestKind {
    /// Carries a checksum, where the store takes one.
    case checked
    case plain
  }

  private static let checksumField = "x-amz-checksum-sha256"

  private func body(_ content: any UploadContent, from offset: UInt64, _ byteCount: UInt64) -> HTTPRequest.Body {
    let body = PacedBody(content: content, offset: offset, byteCount: byteCount, gate: environment.gate)
    return .chunks(body, length: Int64(clamping: byteCount))
  }

  /// Sends a request in the form that the store takes, and returns an answer that is a success.
  ///
  /// - Parameter make: makes the request for a place and a checksum; called again where the store wants others.
  fileprivate func send(
    _ kind: RequestKind = .plain, _ body: HTTPRequest.Body = .none,
    _ make: (S3Requests, PayloadChecksum.Kind) async throws -> StorageRequest
  ) async throws -> StoreConnection.Answer {
    var negotiation = StoreNegotiation(environment.memory.habits(or: configured))
    while true {
      let habits = negotiation.habits
      let request = try await make(S3Requests(habits.place), habits.checksum)
      let answer = try await attempt(request, body, habits)
      guard let refusal = answer.refusal else {
        environment.memory.keep(habits, configured: configured)
        return answer
      }
      guard negotiation.adapt(to: refusal, hasChecksum: kind == .checked, now: environment.now()) else {
        throw UploadFailure(refusal, retryAfter: answer.retryAfter)
      }
    }
  }

  private func attempt(
    _ request: StorageRequest, _ body: HTTPRequest.Body, _ habits: StoreHabits
  ) async throws -> StoreConnection.Answer {
    let connection = try connections.connection(to: habits.place)
    let now = environment.now().addingReportingOverflow(habits.clockOffset).partialValue
    let signer = RequestSigner(credentials, region: habits.place.region, hashing: environment.hashing)
    let signed = signer.signed(
      request, host: connection.origin.hostField, at: SigningTime(rfc3339: UTCTime.text(now / 1_000)))
    var headers = HTTPHeaders()
    for field in signed.headers { headers.add(name: field.name, value: field.value) }
    do {
      return try await connection.send(
        HTTPRequest(HTTPMethod(rawValue: signed.method), signed.target, headers: headers, body: body))
    } catch let failure as UploadFailure where habits.place != configured.place && failure != .paused {
      // Where it was sent to is not there any more: the next attempt asks where it is configured to.
      environment.memory.change(configured) { $0.place = configured.place }
      throw failure
    }
  }

  /// The object's checksums as reported by the store; nil where it reports none.
  fileprivate static func check(_ answer: StoreConnection.Answer, _ digest: [UInt8]) throws -> String? {
    guard let reported = answer.headers.first(name: checksumField) else { return nil }
    guard reported == digest.base64 else {
      throw UploadFailure(cause: .passing, text: "the store has other bytes than were sent", code: "BadDigest")
    }
    return reported
  }

  /// One that keeps none is asked for the length: what answers to everything with success is no store.
  fileprivate func checkLength(_ key: String, _ byteCount: UInt64) async throws {
    let answer = try await send { requests, _ in requests.head(key) }
    guard let reported = answer.headers.first(name: "Content-Length").flatMap({ UInt64($0) }) else {
      throw UploadFailure(cause: .passing, text: "the store does not say how long an object is", remedy: .isItAStore)
    }
    guard reported != byteCount else { return }
    throw UploadFailure(cause: .passing, text: "the store has \(reported) bytes of an object of \(byteCount)")
  }
}

extension StoreConnection.Answer {
  /// What the store refuses, also in the body of a success, as CompleteMultipartUpload may; nil for a success.
  fileprivate var refusal: StorageRefusal? {
    let error = StorageAnswer.error(in: body)
    guard !isSuccess || error != nil else { return nil }
    return StorageRefusal(
      status: status, error: error, location: headers.first(name: "Location"),
      bucketRegion: headers.first(name: "x-amz-bucket-region"), date: headers.first(name: "Date"))
  }
}

extension UploadFailure {
  fileprivate static let noTag = UploadFailure(
    cause: .settings, text: "the store gives what was sent no ETag", remedy: .isItAStore)
}

extension String {
  fileprivate static let isItAStore = "is it an S3-compatible store, and does no proxy or portal answer in its place?"
}

// MARK: - Parts

/// One object that goes in parts.
private struct PartsTransfer {
  let store: S3Store
  let object: UploadObject
  let key: String
  let memory: PartsMemory

  func run() async throws {
    let byteCount = object.content.byteCount
    if let begun = memory.begun {
      let plan = MultipartPlan(byteCount: byteCount, partSize: begun.partSize)
      let stored = plan.sound(try await store.parts(of: begun.uploadID, key))
      try await send(plan, begun.uploadID, stored)
    } else {
      let plan = store.plan(object)
      let uploadID = try await store.beginParts(key, object.contentType)
      try await memory.note(uploadID, plan.partSize)
      try await send(plan, uploadID, [])
    }
    try await memory.note(nil, 0)
  }

  private func send(_ plan: MultipartPlan, _ uploadID: String, _ stored: [StoredPart]) async throws {
    var parts = stored
    for number in plan.missing(stored) {
      let range = plan.range(of: number)
      parts.append(try await store.putPart(number, of: uploadID, key, object.content, range))
    }
    try await store.completeParts(parts, of: uploadID, key)
    try await store.checkLength(key, plan.byteCount)
  }
}

extension S3Store {
  private static let maxPages = 1_000

  fileprivate func beginParts(_ key: String, _ contentType: String) async throws -> String {
    let answer = try await send(.checked) { requests, kind in
      requests.beginParts(key, contentType: contentType, kind)
    }
    guard let uploadID = StorageAnswer.value("UploadId", in: answer.body), !uploadID.isEmpty,
      uploadID.utf8.count <= 2_048
    else {
      throw UploadFailure(
        cause: .settings, text: "the store's answer cannot be read", remedy: .isItAStore)
    }
    return uploadID
  }

  fileprivate func parts(of uploadID: String, _ key: String) async throws -> [StoredPart] {
    var (parts, marker) = ([StoredPart](), Int?.none)
    // Each page names where the next begins: a store that keeps naming the same place ends the loop, too, and
    // endless pages are limited by number.
    for _ in 0..<Self.maxPages where UInt64(parts.count) < MultipartPlan.maxParts {
      let after = marker
      let answer = try await send { requests, _ in requests.listParts(of: uploadID, key, after: after) }
      guard let list = try? StoredPartList(answer.body) else {
        throw UploadFailure(cause: .passing, text: "the store's list of parts cannot be read")
      }
      parts += list.parts
      guard let next = list.nextMarker, next > marker ?? 0 else { break }
      marker = next
    }
    return parts
  }

  fileprivate func putPart(
    _ number: Int, of uploadID: String, _ key: String, _ content: any UploadContent,
    _ range: (offset: UInt64, byteCount: UInt64)
  ) async throws -> StoredPart {
    let (offset, byteCount) = range
    let digest = try await content.digest(from: offset, byteCount: byteCount, environment.hashing)
    let answer = try await send(.checked, body(content, from: offset, byteCount)) { requests, kind in
      let checksum = try await content.checksum(kind, from: offset, byteCount: byteCount, environment.hashing)
      return requests.putPart(number, of: uploadID, key, digest: digest, checksum)
    }
    guard let tag = answer.headers.first(name: "ETag") else { throw UploadFailure.noTag }
    return StoredPart(number: number, tag: tag, byteCount: byteCount, checksum: try Self.check(answer, digest))
  }

  fileprivate func completeParts(_ parts: [StoredPart], of uploadID: String, _ key: String) async throws {
    let body = S3Requests.partsBody(parts)
    let digest = environment.hashing.sha256(body)
    _ = try await send(.plain, .bytes(body)) { requests, _ in
      requests.completeParts(of: uploadID, key, bodyDigest: digest)
    }
  }
}
