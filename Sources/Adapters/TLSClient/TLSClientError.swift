import COpenSSL
import Glibc

/// Why a client or a connection could not be made.
public enum TLSClientError: Error, Equatable, Sendable {
  /// An OpenSSL function failed with this packed error code (`openssl errstr`).
  case openSSL(function: String, code: UInt)
  /// The file of trusted authorities cannot be read or holds no certificate.
  case authorityFile(path: String, reason: String)
}

extension TLSClientError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .openSSL(let function, let code): "\(function): \(describeOpenSSLError(code))"
    case .authorityFile(let path, let reason): "no certificates can be read from \(path): \(reason)"
    }
  }
}

/// Takes the oldest error from the thread's OpenSSL queue and empties the queue.
func takeOpenSSLError(_ function: String) -> TLSClientError {
  .openSSL(function: function, code: takeOpenSSLErrorCode())
}

/// Returns the oldest error code of the thread's queue, and empties the queue.
func takeOpenSSLErrorCode() -> UInt {
  let code = ERR_get_error()
  ERR_clear_error()
  return UInt(code)
}

/// OpenSSL's own words for an error code, without anything secret.
func describeOpenSSLError(_ code: UInt) -> String {
  guard code != 0 else { return "no detail" }
  // The system's own errors are packed as this flag and errno, and have no words in OpenSSL.
  let systemFlag: UInt = 1 << 31
  if code & systemFlag != 0 { return String(cString: strerror(CInt(code & (systemFlag - 1)))) }
  guard let reason = ERR_reason_error_string(CUnsignedLong(code)) else { return "error \(code)" }
  return String(cString: reason)
}
