import NIOCore
import NIOHTTP1

/// A whole HTTP/1.1 answer, after which the connection is closed.
struct PrometheusAnswer {
  var status: HTTPResponseStatus
  var body = ""
  var contentType = "text/plain; charset=utf-8"

  /// Figures in the text format that every Prometheus reads.
  static func metrics(_ text: String) -> PrometheusAnswer {
    PrometheusAnswer(status: .ok, body: text, contentType: "text/plain; version=0.0.4; charset=utf-8")
  }

  static func failure(_ status: HTTPResponseStatus) -> PrometheusAnswer {
    PrometheusAnswer(status: status, body: "\(status.reasonPhrase)\n")
  }

  /// - Parameter isHead: leaves the body out (RFC 9110 §9.3.2).
  func bytes(isHead: Bool) -> ByteBuffer {
    var lines = ["HTTP/1.1 \(status.code) \(status.reasonPhrase)"]
    if status == .methodNotAllowed { lines.append("Allow: GET, HEAD") }
    lines += [
      "Content-Type: \(contentType)", "Content-Length: \(body.utf8.count)", "Cache-Control: no-store",
      "Cross-Origin-Resource-Policy: same-origin", "X-Content-Type-Options: nosniff", "Connection: close", "",
      isHead ? "" : body,
    ]
    return ByteBuffer(string: lines.joined(separator: "\r\n"))
  }
}
