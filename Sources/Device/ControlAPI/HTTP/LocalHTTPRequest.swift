import FoundationEssentials
import NIOCore
import NIOHTTP1

/// A whole HTTP/1.1 request of a program on this machine.
struct LocalHTTPRequest: Sendable {
  let method: HTTPMethod
  /// Percent-decoded, without the query.
  let path: String
  /// What follows `?`, in its order.
  let query: [URLQueryItem]
  let headers: HTTPHeaders
  let body: [UInt8]
  /// The connection, which the server closes after the answer.
  let channel: any Channel

  /// Returns nil where the target is no path.
  init?(_ head: HTTPRequestHead, body: [UInt8], channel: any Channel) {
    guard head.uri.hasPrefix("/"), let target = URLComponents(string: head.uri) else { return nil }
    method = head.method
    path = target.path
    query = target.queryItems ?? []
    headers = head.headers
    self.body = body
    self.channel = channel
  }

  /// The token of `Authorization: Bearer` (RFC 6750 §2.1); nil without one, or with several.
  var bearerToken: String? {
    let values = headers["Authorization"]
    guard values.count == 1, let space = values[0].firstIndex(of: " ") else { return nil }
    guard values[0][..<space].lowercased() == "bearer" else { return nil }
    return String(values[0][space...].drop { $0 == " " })
  }
}
