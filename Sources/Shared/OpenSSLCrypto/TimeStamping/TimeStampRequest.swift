import COpenSSL

/// A request to a time-stamping authority (RFC 3161 §2.4.1) about a SHA-256 digest.
///
/// Sole owner of OpenSSL's object; single-threaded.
public struct TimeStampRequest: ~Copyable {
  /// Its media type (RFC 3161 §3.4).
  public static let contentType = "application/timestamp-query"
  /// What an answer is.
  public static let answerType = "application/timestamp-reply"
  /// Octets of the digest.
  public static let digestByteCount = 32

  let handle: OpaquePointer

  /// - Parameters:
  ///   - digest: 32 octets.
  ///   - nonce: an unpredictable number, which a fresh answer repeats; nil to check an earlier answer.
  public init(digest: [UInt8], nonce: UInt64?) throws(TimeStampError) {
    guard digest.count == Self.digestByteCount else { throw .otherDigest }
    guard let handle = ls_make_time_stamp_request(digest, nonce ?? 0, nonce == nil ? 0 : 1) else {
      throw .openSSL(takeErrorText())
    }
    self.handle = handle
  }

  deinit { TS_REQ_free(handle) }

  /// The request in DER.
  public func makeDER() throws(TimeStampError) -> [UInt8] {
    var output: UnsafeMutablePointer<UInt8>?
    let count = i2d_TS_REQ(handle, &output)
    guard count > 0, let output else { throw .openSSL(takeErrorText()) }
    defer { ls_free(output) }
    return Array(UnsafeBufferPointer(start: output, count: Int(count)))
  }
}

/// Why a time stamp cannot be obtained or trusted.
public enum TimeStampError: Error, Equatable, Sendable, CustomStringConvertible {
  /// Not a digest of SHA-256.
  case otherDigest
  /// Not a TimeStampResp in DER, or longer than ``TimeStampResponse/maximumByteCount``.
  case malformed
  /// The answer is no grant, answers another request, or its signature leads to none of the trusted authorities; with
  /// OpenSSL's message.
  case refused(String)
  /// The file of trusted authorities cannot be used.
  case badAuthorities(path: String, String)
  case openSSL(String)

  public var description: String {
    switch self {
    case .otherDigest: "time stamps are about SHA-256 digests of 32 octets"
    case .malformed: "the answer is no time stamp (RFC 3161)"
    case .refused(let reason): "the time stamp does not hold: \(reason)"
    case .badAuthorities(let path, let reason):
      "\(path): \(reason); give a PEM file with the certificate of the time-stamping authority's root"
    case .openSSL(let reason): "OpenSSL: \(reason)"
    }
  }
}
