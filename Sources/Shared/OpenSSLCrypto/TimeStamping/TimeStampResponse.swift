import COpenSSL

/// An authority's answer (RFC 3161 §2.4.2).
///
/// Sole owner of OpenSSL's object; single-threaded.
public struct TimeStampResponse: ~Copyable {
  /// With the authority's certificates they have a few thousand octets.
  public static let maximumByteCount = 32_768

  private let handle: OpaquePointer

  /// Reads an answer, which may be anything.
  public init(der: [UInt8]) throws(TimeStampError) {
    guard der.count <= Self.maximumByteCount else { throw .malformed }
    let handle = der.withUnsafeBufferPointer { bytes -> OpaquePointer? in
      var position = bytes.baseAddress
      guard let handle = d2i_TS_RESP(nil, &position, bytes.count) else { return nil }
      guard position == bytes.baseAddress.map({ $0 + bytes.count }) else {
        TS_RESP_free(handle)
        return nil
      }
      return handle
    }
    ERR_clear_error()
    guard let handle else { throw .malformed }
    self.handle = handle
  }

  deinit { TS_RESP_free(handle) }

  /// Whether this is a grant for the request, with its digest and its nonce; the signer is not checked.
  public func check(_ request: borrowing TimeStampRequest) throws(TimeStampError) {
    guard ls_verify_time_stamp(handle, request.handle, nil) == 1 else { throw .refused(takeErrorText()) }
  }

  /// Verifies the authority's signature, and that the digest is the stamped one.
  ///
  /// The authority's certificate has to be valid at the stamped time, and may have expired since.
  ///
  /// - Parameter authorityFile: PEM with the certificates that are trusted for this.
  /// - Returns: seconds since 1970 at which the digest was there.
  public func verify(digest: [UInt8], authorityFile: String) throws(TimeStampError) -> Int64 {
    guard let store = X509_STORE_new() else { throw .openSSL(takeErrorText()) }
    defer { X509_STORE_free(store) }
    guard X509_STORE_load_file(store, authorityFile) == 1 else {
      throw .badAuthorities(path: authorityFile, takeErrorText())
    }
    let request = try TimeStampRequest(digest: digest, nonce: nil)
    guard ls_verify_time_stamp(handle, request.handle, store) == 1 else { throw .refused(takeErrorText()) }
    return ls_time_stamp_time(handle)
  }

  /// What the stamp says, regardless of its signer: seconds since 1970; nil without a grant.
  public var claimedTime: Int64? {
    let time = ls_time_stamp_time(handle)
    return time < 0 ? nil : time
  }
}
