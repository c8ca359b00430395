/// A request to an object store, without its body.
public struct StorageRequest: Sendable {
  public struct Field: Hashable, Sendable {
    public var name: String
    public var value: String

    public init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  /// `GET`, `PUT` …
  public var method: String
  /// Absolute, percent-encoded.
  public var path: String
  /// Names and values, unencoded.
  public var query: [Field]
  /// Header fields beside `Host` and what the signature adds.
  public var headers: [Field]
  /// The SHA-256 digest of the body, in hexadecimal.
  public var payloadDigest: String

  /// The digest of no body.
  public static let emptyDigest = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

  public init(
    _ method: String, _ path: String, query: [Field] = [], headers: [Field] = [], payloadDigest: String = emptyDigest
  ) {
    self.method = method
    self.path = path
    self.query = query
    self.headers = headers
    self.payloadDigest = payloadDigest
  }

  /// Path and query as the request's first line has them.
  public var target: String { query.isEmpty ? path : "\(path)?\(canonicalQuery)" }

  /// Encoded, and in the order of the encoded names and values.
  var canonicalQuery: String {
    let pairs = query.map { (name: $0.name.percentEncoded, value: $0.value.percentEncoded) }
    return pairs.sorted { ($0.name, $0.value) < ($1.name, $1.value) }.map { "\($0.name)=\($0.value)" }
      .joined(separator: "&")
  }
}
