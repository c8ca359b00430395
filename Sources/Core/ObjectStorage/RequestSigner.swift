public import TransportCrypto

/// Who asks an object store.
public struct StorageCredentials: Hashable, Sendable {
  public var accessKeyID: String
  /// Never shown.
  public var secretKey: String

  public init(accessKeyID: String, secretKey: String) {
    self.accessKeyID = accessKeyID
    self.secretKey = secretKey
  }

  /// Reads `KEYID:SECRET`, the form of a line of s3fs's password file; nil for anything else.
  public init?(_ text: String) {
    guard let colon = text.firstIndex(of: ":"), colon > text.startIndex else { return nil }
    accessKeyID = String(text[..<colon])
    secretKey = String(text[text.index(after: colon)...])
    let isPrintable = (accessKeyID + secretKey).utf8.allSatisfy { (0x21...0x7E).contains($0) }
    guard isPrintable, !secretKey.isEmpty, !accessKeyID.contains("/"), !accessKeyID.contains(",") else { return nil }
  }
}

extension StorageCredentials: CustomStringConvertible {
  public var description: String { "credentials of \(accessKeyID)" }
}

// Embedded Swift has no reflection.
#if !hasFeature(Embedded)
  extension StorageCredentials: CustomReflectable {
    public var customMirror: Mirror { Mirror(self, children: ["accessKeyID": accessKeyID]) }
  }
#endif

/// A moment as Signature Version 4 writes it: `20130524T000000Z`.
public struct SigningTime: Hashable, Sendable {
  public let text: String

  /// - Parameter rfc3339: whole seconds in UTC, such as `2013-05-24T00:00:00Z`.
  public init(rfc3339: String) { text = rfc3339.filter { $0 != "-" && $0 != ":" } }

  var day: String { String(text.prefix(8)) }
}

/// Signs requests with AWS Signature Version 4 in a header field, the payload included.
///
/// https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
public struct RequestSigner: Sendable {
  private let credentials: StorageCredentials
  private let region: String
  private let service: String
  private let hashing: any SHA256Hashing

  private static let algorithm = "AWS4-HMAC-SHA256"

  /// - Parameter region: such as `eu-central-1`; stores of one place mostly call theirs `us-east-1`.
  public init(_ credentials: StorageCredentials, region: String, service: String = "s3", hashing: any SHA256Hashing) {
    self.credentials = credentials
    self.region = region
    self.service = service
    self.hashing = hashing
  }

  /// A request with its time, its payload's digest and its signature.
  ///
  /// - Parameter host: the value of the `Host` field with which it will be sent.
  public func signed(_ request: StorageRequest, host: String, at time: SigningTime) -> StorageRequest {
    var signed = request
    signed.headers += [
      StorageRequest.Field("x-amz-content-sha256", request.payloadDigest),
      StorageRequest.Field("x-amz-date", time.text),
    ]
    let authorization = authorization(of: signed, host: host, at: time)
    signed.headers.append(StorageRequest.Field("Authorization", authorization))
    return signed
  }

  /// The `Authorization` field of a request that has all others.
  func authorization(of request: StorageRequest, host: String, at time: SigningTime) -> String {
    let fields = Self.canonicalFields(request, host: host)
    let signature = hashing.hmacSHA256(key: key(time), Array(stringToSign(request, host: host, at: time).utf8))
    return "\(Self.algorithm) Credential=\(credentials.accessKeyID)/\(scope(time)), "
      + "SignedHeaders=\(Self.names(fields)), Signature=\(signature.hexadecimal)"
  }

  func stringToSign(_ request: StorageRequest, host: String, at time: SigningTime) -> String {
    let digest = hashing.sha256(Array(canonicalRequest(request, host: host).utf8)).hexadecimal
    return [Self.algorithm, time.text, scope(time), digest].joined(separator: "\n")
  }

  func canonicalRequest(_ request: StorageRequest, host: String) -> String {
    let fields = Self.canonicalFields(request, host: host)
    let headers = fields.map { "\($0.name):\($0.value)\n" }.joined()
    return [
      request.method, request.path, request.canonicalQuery, headers, Self.names(fields), request.payloadDigest,
    ].joined(separator: "\n")
  }

  private func scope(_ time: SigningTime) -> String { "\(time.day)/\(region)/\(service)/aws4_request" }

  private func key(_ time: SigningTime) -> [UInt8] {
    [time.day, region, service, "aws4_request"].reduce(Array("AWS4\(credentials.secretKey)".utf8)) { key, part in
      hashing.hmacSHA256(key: key, Array(part.utf8))
    }
  }

  /// Names in small letters and in order; blanks around and within values are one at most.
  private static func canonicalFields(_ request: StorageRequest, host: String) -> [StorageRequest.Field] {
    ([StorageRequest.Field("host", host)] + request.headers).map { field in
      StorageRequest.Field(field.name.lowercased(), field.value.split(separator: " ").joined(separator: " "))
    }.sorted { $0.name < $1.name }
  }

  private static func names(_ fields: [StorageRequest.Field]) -> String {
    fields.map { $0.name }.joined(separator: ";")
  }
}
