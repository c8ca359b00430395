import COpenSSL

/// Why an engine, an identity or an association could not be made.
public enum DTLSEngineError: Error, Equatable, Sendable, CustomStringConvertible {
  /// An OpenSSL function failed with this packed error code (`openssl errstr`).
  case openSSL(function: String, code: UInt)
  /// The PEM text lacks a certificate or a private key, or they do not belong together.
  case badIdentity

  public var description: String {
    switch self {
    case .openSSL(let function, let code): "\(function): \(String(cString: ls_error_text(code)))"
    case .badIdentity: "there is no certificate with its private key"
    }
  }
}

/// Takes the oldest error from the thread's OpenSSL queue and empties the queue.
func takeOpenSSLError(_ function: String) -> DTLSEngineError {
  .openSSL(function: function, code: UInt(ls_take_error()))
}
