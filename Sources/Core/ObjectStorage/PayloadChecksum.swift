/// A checksum sent with a body beside its signed SHA-256 digest, so that the store verifies the upload.
public enum PayloadChecksum: Hashable, Sendable {
  /// `x-amz-checksum-sha256`, which stores also keep and return. Unknown to some S3-compatible stores.
  case sha256
  /// `Content-MD5` (RFC 1864), the 16 octets of its digest: required by stores without the former where objects are
  /// locked.
  case md5([UInt8])
  /// Nothing: `x-amz-content-sha256`, which is part of the signature, has to do.
  case none

  /// Only the kind, as ``StoreHabits`` remembers it.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    case sha256, md5, none
  }

  func fields(digest: [UInt8]) -> [StorageRequest.Field] {
    switch self {
    case .sha256: [.init("x-amz-checksum-sha256", digest.base64)]
    case .md5(let octets): [.init("Content-MD5", octets.base64)]
    case .none: []
    }
  }
}
