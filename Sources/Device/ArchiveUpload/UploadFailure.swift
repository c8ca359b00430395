import HTTPConnections
import MediaCore
import NIOCore
import ObjectStorage
import SafeText

/// Why something could not be sent, as text for people, with what to do about it.
struct UploadFailure: Error, Hashable, Sendable, CustomStringConvertible {
  var cause: UploadRetry.Cause
  var text: String
  var remedy: String?
  /// The store's own error code, such as `NoSuchUpload`.
  var code: String?
  /// Whether it is about one archive alone, so that others can go.
  var isLocal = false

  var description: String { remedy.map { "\(text); \($0)" } ?? text }

  /// A call came in while nothing may be sent during calls.
  static let paused = UploadFailure(cause: .passing, text: "a call is up")
  /// A file changed while it was sent.
  static let changed = UploadFailure(cause: .passing, text: "a file changed while it was sent", isLocal: true)

  /// More octets than the store takes in one object, or in one part.
  static func tooLarge(_ byteCount: UInt64) -> UploadFailure {
    UploadFailure(
      cause: .settings, text: "a file of \(byteCount / 1_000_000) MB is larger than the store takes",
      remedy: "set segment in [archive], so that files are shorter", isLocal: true)
  }

  /// Whether the connection itself did not come about, or broke.
  static func connection(_ error: any Error, to host: String) -> UploadFailure {
    let message = ConnectionFailure.message(for: error)
    var remedy = "does the network permit it, and is the store running?"
    if case HTTPConnectionError.tls = error {
      remedy =
        "the store needs a certificate for its name, of an authority known here (see ca_file in [upload]), and this machine a right clock"
    } else if message.hasSuffix("is not known") {
      remedy = "is the name in [upload] right, and does this machine have a name server?"
    }
    return UploadFailure(cause: .passing, text: "\(host) cannot be reached: \(message)", remedy: remedy)
  }
}

extension UploadFailure {
  /// What a store's refusal means.
  ///
  /// - Parameter refusal: of a bucket; a folder's server says no more than a status.
  init(_ refusal: StorageRefusal, retryAfter: TimeSpan?) {
    let (status, error) = (refusal.status, refusal.error)
    let detail = error.map { ": \($0.code)\($0.message.isEmpty ? "" : " (\($0.message))")".escapingControls } ?? ""
    self.init(
      cause: Self.cause(status, error?.code ?? "", retryAfter),
      text: "the store answers with status \(status)\(detail)",
      remedy: Self.remedy(error?.code ?? "", refusal) ?? Self.bucketRemedy(refusal) ?? Self.remedy(status),
      code: error?.code, isLocal: error?.code == "EntityTooLarge" || status == 413)
  }

  /// What the refusal of a server that takes files means.
  init(status: Int, retryAfter: TimeSpan?) {
    self.init(
      cause: Self.cause(status, "", retryAfter), text: "the store answers with status \(status)",
      remedy: Self.remedy(status), isLocal: status == 413)
  }

  private static func cause(_ status: Int, _ code: String, _ retryAfter: TimeSpan?) -> UploadRetry.Cause {
    switch (status, code) {
    case (503, _), (429, _), (_, "SlowDown"), (_, "RequestLimitExceeded"): .overload(requested: retryAfter)
    case (_, "RequestTimeout"), (_, "BadDigest"), (_, "XAmzContentSHA256Mismatch"), (_, "InternalError"): .passing
    case (_, "NoSuchUpload"), (_, "InvalidPart"), (_, "InvalidPartOrder"), (_, "EntityTooSmall"):
      .passing
    case (501, _), (505, _): .settings
    case (408, _), (409, _), (500..., _): .passing
    default: .settings
    }
  }

  /// By the store's error code (S3 API reference, "Error responses").
  private static func remedy(_ code: String, _ refusal: StorageRefusal) -> String? {
    switch code {
    case "ExpiredToken", "InvalidToken", "TokenRefreshRequired":
      "keys that expire cannot be used: write one that lasts into the file of credentials"
    case "NotImplemented", "InvalidArgument", "InvalidRequest", "MalformedXML", "MissingContentMD5":
      "the store does not take what was sent: set checksums = \"none\" or \"md5\" in [upload], and see the store's log"
    case "SecondLevelDomainForbidden", "PathStyleDisabled": "set path_style = false in [upload]"
    case "KeyTooLongError": "make prefix in [upload] shorter"
    case "EntityTooLarge": "the store takes no objects as large: set segment in [archive]"
    case "EntityTooSmall": "it is tried again with larger parts"
    case "InvalidAccessKeyId": "the store does not know the key's id: correct it in the file of credentials"
    case "SignatureDoesNotMatch": "the secret key is wrong: correct it in the file of credentials"
    case "AccessDenied", "AccountProblem", "AllAccessDisabled":
      "let the key put objects into the bucket (s3:PutObject, s3:AbortMultipartUpload, s3:ListMultipartUploadParts)"
    case "NoSuchBucket": "make the bucket, or correct bucket in [upload]"
    case "InvalidBucketName": "correct bucket in [upload]"
    case "RequestTimeTooSkewed": "the clock of this machine, or the store's, is wrong: see timedatectl"
    case "AuthorizationHeaderMalformed", "PermanentRedirect", "TemporaryRedirect", "IllegalLocationConstraintException":
      elsewhere(refusal) ?? "is the bucket in the region, and at the endpoint, that [upload] names?"
    case "QuotaExceeded", "XMinioStorageFull", "ServiceQuotaExceededException": "make room in the store"
    case "SlowDown": "it is tried again by itself, more slowly"
    default: nil
    }
  }

  private static func elsewhere(_ refusal: StorageRefusal) -> String? {
    if let host = refusal.redirectHost ?? refusal.error?.endpoint {
      return
        "the store sends to \(host), which gets no recordings by itself: if it is yours, set endpoint and region in [upload]"
    }
    return (refusal.bucketRegion ?? refusal.error?.region).map {
      "set region = \"\($0.escapingControls)\" in [upload], and the endpoint of that region"
    }
  }

  /// By the status of an answer whose body says nothing, as from a proxy before the store.
  private static func bucketRemedy(_ refusal: StorageRefusal) -> String? {
    switch refusal.status {
    case 400, 501: remedy("NotImplemented", refusal)
    case 301, 302, 307, 308: elsewhere(refusal)
    default: nil
    }
  }

  private static func remedy(_ status: Int) -> String? {
    switch status {
    case 301, 302, 307, 308: "the store is elsewhere: correct the address and the region in [upload]"
    case 401: "the credentials are missing or wrong: correct them in their file"
    case 403: "the credentials do not permit this: correct them in their file, or the rights that the store gives them"
    case 404: "correct the address in [upload]"
    case 405, 501: "the server takes no PUT there"
    case 409: "the server does not make folders by itself: have it do so (nginx: create_full_put_path)"
    case 413: "the server takes no files as large: raise its limit, or set segment in [archive]"
    case 429, 503: "it is tried again by itself, more slowly"
    case 507: "make room in the store"
    case 500...: "the store's log says more"
    default: nil
    }
  }
}
