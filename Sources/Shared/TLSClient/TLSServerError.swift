import COpenSSL

/// Why a server's certificate cannot be used.
public enum TLSServerError: Error, Equatable, Sendable {
  /// An OpenSSL function failed with this packed error code (`openssl errstr`).
  case openSSL(function: String, code: UInt)
  /// The file cannot be read or holds no certificate.
  case certificateFile(path: String, reason: String)
  /// The file cannot be read or holds no key without a password.
  case keyFile(path: String, reason: String)
  /// The certificate is another key's.
  case mismatch(certificateFile: String, keyFile: String)
}

extension TLSServerError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .openSSL(let function, let code): "\(function): \(String(cString: ls_error_text(CUnsignedLong(code))))"
    case .certificateFile(let path, let reason): "no certificate can be read from \(path): \(reason)"
    case .keyFile(let path, let reason): "no key can be read from \(path): \(reason)"
    case .mismatch(let certificateFile, let keyFile):
      "the key in \(keyFile) is not that of the certificate in \(certificateFile)"
    }
  }
}
