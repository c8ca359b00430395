internal import Foundation
internal import HTTPTypes
internal import HubCore
internal import Hummingbird
internal import NIOCore
internal import NIOFoundationCompat

/// No JSON body is larger, SDP included.
let maximumJSONBytes = 64 << 10

extension Request {
  /// Decodes the JSON body; what is wrong with it is named by its field.
  func decode<Body: Decodable>(_ type: Body.Type, upTo limit: Int = maximumJSONBytes) async throws -> Body {
    let bytes = try await collectBody(upTo: limit)
    do {
      return try JSONDecoder().decode(type, from: Data(bytes.readableBytesView))
    } catch let error as DecodingError {
      throw HubRefusal(error)
    }
  }

  /// As ``decode(_:)``, nil when the body is empty.
  func decodeIfPresent<Body: Decodable>(_ type: Body.Type) async throws -> Body? {
    let bytes = try await collectBody()
    guard bytes.readableBytes > 0 else { return nil }
    do {
      return try JSONDecoder().decode(type, from: Data(bytes.readableBytesView))
    } catch let error as DecodingError {
      throw HubRefusal(error)
    }
  }

  func collectBody(upTo limit: Int = maximumJSONBytes) async throws -> ByteBuffer {
    if let length = headers[.contentLength].flatMap({ Int($0) }), length > limit {
      throw NIOTooManyBytesError(maxBytes: limit)
    }
    return try await body.collect(upTo: limit)
  }
}

extension HubRefusal {
  init(_ error: DecodingError) {
    switch error {
    case .keyNotFound(let key, let context):
      self = .invalid(field: Self.path(context.codingPath + [key]), reason: "is missing")
    case .typeMismatch(let type, let context):
      self = .invalid(field: Self.path(context.codingPath), reason: "must be \(Self.words(for: type))")
    case .valueNotFound(_, let context):
      self = .invalid(field: Self.path(context.codingPath), reason: "must not be null")
    case .dataCorrupted(let context):
      let isSyntax = context.codingPath.isEmpty
      self = .invalid(
        field: isSyntax ? "body" : Self.path(context.codingPath),
        reason: isSyntax ? "is no valid JSON" : "has no valid value")
    @unknown default:
      self = .invalid(field: "body", reason: "cannot be read")
    }
  }

  /// A type by its name in JSON.
  private static func words(for type: any Any.Type) -> String {
    switch type {
    case is String.Type: "a text"
    case is Bool.Type: "true or false"
    case is any FixedWidthInteger.Type: "a whole number"
    case is any BinaryFloatingPoint.Type: "a number"
    case is [String: Any].Type: "an object"
    case is [Any].Type: "a list"
    default: "something else"
    }
  }

  private static func path(_ keys: [any CodingKey]) -> String {
    keys.isEmpty ? "body" : keys.map { $0.intValue.map { "[\($0)]" } ?? $0.stringValue }.joined(separator: ".")
  }
}

extension Response {
  /// A JSON answer, never cached.
  static func json(_ body: some Encodable, status: HTTPResponse.Status = .ok) throws -> Response {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return Response(ByteBuffer(bytes: try encoder.encode(body)), type: "application/json", status: status)
  }

  /// As the other, for what is asked for often.
  static func json(_ body: some JSONWritable, status: HTTPResponse.Status = .ok) -> Response {
    Response(ByteBuffer(bytes: body.json.bytes), type: "application/json", status: status)
  }

  static func text(_ text: String, type: String, status: HTTPResponse.Status = .ok) -> Response {
    Response(ByteBuffer(string: text), type: type, status: status)
  }

  private init(_ body: ByteBuffer, type: String, status: HTTPResponse.Status) {
    self.init(
      status: status,
      headers: [.contentType: type, .contentLength: "\(body.readableBytes)", .cacheControl: "no-store"],
      body: ResponseBody(byteBuffer: body))
  }

  static var noContent: Response { Response(status: .noContent, headers: [.cacheControl: "no-store"]) }
}
