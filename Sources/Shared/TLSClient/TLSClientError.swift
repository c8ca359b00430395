import COpenSSL

/// Why a client or a connection could not be made.
public enum TLSClientError: Error, Equatable, Sendable {
  /// An OpenSSL function failed with this packed error code (`openssl errstr`).
  case openSSL(function: String, code: UInt)
  /// The file of trusted authorities cannot be read or holds no certificate.
  case authorityFile(path: String, reason: String)
  /// The client's own certificate or key cannot be read, or they do not belong together.
  case identityFile(path: String, reason: String)
}

extension TLSClientError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .openSSL(let function, let code): "\(function): \(String(cString: ls_error_text(CUnsignedLong(code))))"
    case .authorityFile(let path, let reason): "no certificates can be read from \(path): \(reason)"
    case .identityFile(let path, let reason): "\(path) cannot be used as certificate or key: \(reason)"
    }
  }
}

/// Takes the oldest error from the thread's OpenSSL queue and empties the queue.
func takeOpenSSLError(_ function: String) -> TLSClientError {
  .openSSL(function: function, code: UInt(ls_take_error()))
}
