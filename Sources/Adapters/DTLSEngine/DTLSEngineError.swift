import COpenSSL

/// Why an engine, an identity or an association could not be made.
public enum DTLSEngineError: Error, Equatable, Sendable {
  /// An OpenSSL function failed with this packed error code (`openssl errstr`).
  case openSSL(function: String, code: UInt)
  /// The PEM text lacks a certificate or a private key, or they do not belong together.
  case badIdentity
  /// A system call on the identity's file failed.
  case file(call: String, errno: Int32)
}

/// Takes the oldest error from the thread's OpenSSL queue and empties the queue.
func takeOpenSSLError(_ function: String) -> DTLSEngineError {
  .openSSL(function: function, code: UInt(ls_take_error()))
}
