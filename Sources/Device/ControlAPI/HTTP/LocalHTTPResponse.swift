import NIOCore
import NIOHTTP1

/// An HTTP/1.1 answer, after which the connection is closed.
struct LocalHTTPResponse: Sendable {
  enum Body: Sendable {
    case bytes([UInt8])
    /// Server-sent events, until the stream or the client ends.
    case events(any AsyncSequence<[UInt8], Never> & Sendable)
  }

  var status: HTTPResponseStatus
  var contentType = "text/plain; charset=utf-8"
  var body = Body.bytes([])
  /// Besides those that each answer has.
  var headers: [(name: String, value: String)] = []

  static func text(_ text: String, type: String = "text/plain; charset=utf-8") -> LocalHTTPResponse {
    LocalHTTPResponse(status: .ok, contentType: type, body: .bytes(Array(text.utf8)))
  }

  static func failure(_ status: HTTPResponseStatus) -> LocalHTTPResponse {
    LocalHTTPResponse(status: status, body: .bytes(Array("\(status.reasonPhrase)\n".utf8)))
  }

  /// - Parameter allowed: the methods that there are, as `Allow` lists them.
  static func methodNotAllowed(_ allowed: String) -> LocalHTTPResponse {
    var response = failure(.methodNotAllowed)
    response.headers = [("Allow", allowed)]
    return response
  }

  /// The status line, the headers, and the body as far as it is there.
  ///
  /// - Parameter isHead: leaves the body out (RFC 9110 §9.3.2).
  func bytes(isHead: Bool) -> ByteBuffer {
    var lines = ["HTTP/1.1 \(status.code) \(status.reasonPhrase)"]
    lines += headers.map { "\($0.name): \($0.value)" }
    lines.append("Content-Type: \(contentType)")
    if case .bytes(let bytes) = body { lines.append("Content-Length: \(bytes.count)") }
    lines += [
      "Cache-Control: no-store", "Cross-Origin-Resource-Policy: same-origin", "X-Content-Type-Options: nosniff",
      "Connection: close", "", "",
    ]
    var buffer = ByteBuffer(string: lines.joined(separator: "\r\n"))
    if case .bytes(let bytes) = body, !isHead { buffer.writeBytes(bytes) }
    return buffer
  }
}
