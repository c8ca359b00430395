import DeviceConfiguration
import HTTPConnections
import MediaCore
import NIOHTTP1
import ObjectStorage

/// A web server that takes files by PUT (RFC 9110 §9.3.4) below a URL.
///
/// HTTP has no parts: what is interrupted is sent again from the start.
struct WebStore: RemoteStore {
  private let connection: StoreConnection
  private let prefix: String
  private let authorization: String?
  private let environment: UploadEnvironment

  /// - Parameter authorization: the value of the `Authorization` field; nil sends none.
  init(
    url: String, _ settings: UploadSettings, authorization: String?, _ environment: UploadEnvironment
  ) throws(UploadFailure) {
    connection = try StoreConnection(url: url, authorityFile: settings.authorityFile, route: environment.route)
    prefix = settings.prefix
    self.authorization = authorization
    self.environment = environment
  }

  /// The digest goes with it (RFC 9530), for servers that compare it; the length is asked for afterwards.
  func put(_ object: UploadObject, _ memory: PartsMemory) async throws {
    let byteCount = object.content.byteCount
    let digest = try await object.content.digest(from: 0, byteCount: byteCount, environment.hashing)
    let body = PacedBody(content: object.content, offset: 0, byteCount: byteCount, gate: environment.gate)
    var headers = headers()
    headers.add(name: "Content-Type", value: object.contentType)
    headers.add(name: "Content-Digest", value: "sha-256=:\(digest.base64):")
    let answer = try await connection.send(
      HTTPRequest(.PUT, path(object), headers: headers, body: .chunks(body, length: Int64(clamping: byteCount))))
    guard answer.isSuccess else {
      throw UploadFailure(status: answer.status, retryAfter: answer.retryAfter)
    }
    try await checkLength(object)
  }

  /// Where reading is not permitted, the answer to PUT has to do.
  private func checkLength(_ object: UploadObject) async throws {
    let answer = try await connection.send(HTTPRequest(.HEAD, path(object), headers: headers()))
    guard answer.isSuccess, let reported = answer.headers.first(name: "Content-Length").flatMap({ UInt64($0) }),
      reported != object.content.byteCount
    else { return }
    throw UploadFailure(
      cause: .passing, text: "the server has \(reported) bytes of a file of \(object.content.byteCount)")
  }

  /// Nothing is ever begun.
  func abandon(_ uploadID: String, of key: String) async throws {}

  /// There is no way to try PUT without leaving something; whether the server answers is seen.
  func probe() async throws {
    let path = connection.origin.pathPrefix.isEmpty ? "/" : ""
    let answer = try await connection.send(HTTPRequest(.HEAD, path, headers: headers()))
    guard answer.status == 401 || answer.status >= 500 else { return }
    throw UploadFailure(status: answer.status, retryAfter: answer.retryAfter)
  }

  func shutdown() async { await connection.shutdown() }

  private func path(_ object: UploadObject) -> String { "/" + (prefix + object.key).percentEncodedPath }

  private func headers() -> HTTPHeaders { authorization.map { ["Authorization": $0] } ?? [:] }
}
