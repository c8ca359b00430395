public import NIOCore
public import NIOHTTP1

/// A request as the caller gives it; `Host` and `Content-Length` are added.
public struct HTTPRequest: Sendable {
  public enum Body: Sendable {
    case none
    case bytes([UInt8])
    /// Buffers that together have `length` octets, taken one at a time, each when the one before has left.
    case chunks(any AsyncSequence<ByteBuffer, any Error> & Sendable, length: Int64)
  }

  public var method: HTTPMethod
  /// Begins with a slash; comes after the origin's own.
  public var path: String
  public var headers: HTTPHeaders
  public var body: Body

  public init(_ method: HTTPMethod, _ path: String, headers: HTTPHeaders = [:], body: Body = .none) {
    self.method = method
    self.path = path
    self.headers = headers
    self.body = body
  }

  func head(for origin: HTTPOrigin) -> HTTPRequestHead {
    var fields = headers
    fields.replaceOrAdd(name: "Host", value: origin.hostField)
    if let length = contentLength { fields.replaceOrAdd(name: "Content-Length", value: String(length)) }
    return HTTPRequestHead(version: .http1_1, method: method, uri: origin.pathPrefix + path, headers: fields)
  }

  /// Sent for methods that have a body, even an empty one (RFC 9110 §8.6).
  private var contentLength: Int64? {
    switch body {
    case .none: method == .POST || method == .PUT ? 0 : nil
    case .bytes(let bytes): Int64(bytes.count)
    case .chunks(_, let length): length
    }
  }
}
