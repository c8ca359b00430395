import COpenSSL

/// Returns the oldest error code of the thread's queue, and empties the queue.
func takeOpenSSLErrorCode() -> UInt {
  let code = ERR_get_error()
  ERR_clear_error()
  return UInt(code)
}

/// OpenSSL's own words for an error code, without anything secret.
func describeOpenSSLError(_ code: UInt) -> String {
  guard code != 0 else { return "no detail" }
  guard let reason = ERR_reason_error_string(CUnsignedLong(code)) else { return "error \(code)" }
  return String(cString: reason)
}
