import Archive
import DeviceConfiguration
import HTTPConnections
import MediaCore
import NIOHTTP1
import ObjectStorage
import TransportCrypto
import UploadControl

/// A bucket of an S3-compatible store.
///
/// Small objects go in one request, others in parts of which those that the store has are not sent again. Each part carries
/// its SHA-256 digest, signed, so that the store refuses what was damaged on the way.
struct S3Store: RemoteStore {
  private let connection: StoreConnection
  private let requests: S3Requests
  private let signer: RequestSigner
  private let prefix: String
  private let environment: UploadEnvironment

  /// - Parameters:
  ///   - settings: where its certificate's authority, and the prefix of keys, stand.
  ///   - credentials: whose rights are used.
  init(
    _ bucket: UploadSettings.Bucket, _ settings: UploadSettings, _ credentials: StorageCredentials,
    _ environment: UploadEnvironment
  ) throws(UploadFailure) {
    connection = try StoreConnection(url: bucket.origin, authorityFile: settings.authorityFile)
    requests = S3Requests(bucketInPath: bucket.isPathStyle ? bucket.name : nil)
    signer = RequestSigner(credentials, region: bucket.region, hashing: environment.hashing)
    prefix = settings.prefix
    self.environment = environment
  }

  func put(_ object: UploadObject, _ memory: PartsMemory) async throws {
    let plan = MultipartPlan(byteCount: object.content.byteCount)
    if plan.isSinglePart { return try await putWhole(object) }
    do {
      try await PartsTransfer(store: self, object: object, key: prefix + object.key, memory: memory).run()
    } catch let failure as UploadFailure where failure.code == "NoSuchUpload" {
      // The store has forgotten it: a rule of the bucket removes what stays unfinished.
      try await memory.note(nil, 0)
      let fresh = PartsMemory(begun: nil, note: memory.note)
      try await PartsTransfer(store: self, object: object, key: prefix + object.key, memory: fresh).run()
    }
  }

  private func putWhole(_ object: UploadObject) async throws {
    let byteCount = object.content.byteCount
    let digest = try await object.content.digest(from: 0, byteCount: byteCount, environment.hashing)
    let request = requests.put(prefix + object.key, contentType: object.contentType, digest: digest)
    let body = PacedBody(content: object.content, offset: 0, byteCount: byteCount, gate: environment.gate)
    let answer = try await send(request, body)
    try Self.check(answer, digest)
    if answer.headers.first(name: Self.checksumField) == nil { try await checkLength(prefix + object.key, byteCount) }
  }

  func abandon(_ uploadID: String, of key: String) async throws {
    _ = try await send(requests.abortParts(of: uploadID, prefix + key))
  }

  /// Begins an object of several parts and has the store forget it: that needs the rights that an upload needs.
  func probe() async throws {
    let key = prefix + "livesessions-doctor"
    let answer = try await send(requests.beginParts(key, contentType: "application/octet-stream"))
    if let uploadID = StorageAnswer.value("UploadId", in: answer.body) {
      _ = try await send(requests.abortParts(of: uploadID, key))
    }
  }

  func shutdown() async { await connection.shutdown() }
}

// MARK: - Requests

extension S3Store {
  private static let checksumField = "x-amz-checksum-sha256"

  /// Sends a request and returns an answer that is a success.
  fileprivate func send(_ request: StorageRequest, _ body: PacedBody? = nil) async throws -> StoreConnection.Answer {
    let content = body.map { HTTPRequest.Body.chunks($0, length: Int64(clamping: $0.byteCount)) }
    return try await send(request, content ?? .none)
  }

  fileprivate func send(_ request: StorageRequest, _ body: HTTPRequest.Body) async throws -> StoreConnection.Answer {
    let time = SigningTime(rfc3339: UTCTime.text(environment.now() / 1_000))
    let signed = signer.signed(request, host: connection.origin.hostField, at: time)
    var headers = HTTPHeaders()
    for field in signed.headers { headers.add(name: field.name, value: field.value) }
    let answer = try await connection.send(
      HTTPRequest(HTTPMethod(rawValue: signed.method), signed.target, headers: headers, body: body))
    let error = StorageAnswer.error(in: answer.body)
    guard answer.isSuccess, error == nil else {
      throw UploadFailure(status: answer.status, error: error, retryAfter: answer.retryAfter)
    }
    return answer
  }

  /// A store that keeps checksums tells what it has.
  fileprivate static func check(_ answer: StoreConnection.Answer, _ digest: [UInt8]) throws {
    guard let told = answer.headers.first(name: checksumField), told != digest.base64 else { return }
    throw UploadFailure(cause: .passing, text: "the store has other bytes than were sent", code: "BadDigest")
  }

  /// One that keeps none is asked for the length.
  fileprivate func checkLength(_ key: String, _ byteCount: UInt64) async throws {
    let answer = try await send(requests.head(key))
    guard let told = answer.headers.first(name: "Content-Length").flatMap({ UInt64($0) }), told != byteCount else {
      return
    }
    throw UploadFailure(cause: .passing, text: "the store has \(told) bytes of an object of \(byteCount)")
  }
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
      let plan = MultipartPlan(byteCount: byteCount)
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
  fileprivate func beginParts(_ key: String, _ contentType: String) async throws -> String {
    let answer = try await send(requests.beginParts(key, contentType: contentType))
    guard let uploadID = StorageAnswer.value("UploadId", in: answer.body), !uploadID.isEmpty,
      uploadID.utf8.count <= 2_048
    else {
      throw UploadFailure(
        cause: .settings, text: "the store's answer cannot be read", remedy: "is it an S3-compatible store?")
    }
    return uploadID
  }

  fileprivate func parts(of uploadID: String, _ key: String) async throws -> [StoredPart] {
    var (parts, marker) = ([StoredPart](), Int?.none)
    // Each page tells where the next begins, so that a store that always tells the same place ends it, too.
    while UInt64(parts.count) < MultipartPlan.mostParts {
      let answer = try await send(requests.listParts(of: uploadID, key, after: marker))
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
    let digest = try await content.digest(from: range.offset, byteCount: range.byteCount, environment.hashing)
    let body = PacedBody(
      content: content, offset: range.offset, byteCount: range.byteCount, gate: environment.gate)
    let answer = try await send(requests.putPart(number, of: uploadID, key, digest: digest), body)
    try Self.check(answer, digest)
    guard let tag = answer.headers.first(name: "ETag") else {
      throw UploadFailure(
        cause: .settings, text: "the store gives a part no ETag", remedy: "is it an S3-compatible store?")
    }
    return StoredPart(number: number, tag: tag, byteCount: range.byteCount, checksum: digest.base64)
  }

  fileprivate func completeParts(_ parts: [StoredPart], of uploadID: String, _ key: String) async throws {
    let body = S3Requests.partsBody(parts)
    let digest = environment.hashing.sha256(body)
    _ = try await send(requests.completeParts(of: uploadID, key, bodyDigest: digest), .bytes(body))
  }
}
