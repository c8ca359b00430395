import ICE
import OpenSSLCrypto

/// The same functions over arrays: `#expect` cannot take spans apart.
func parse(_ bytes: [UInt8]) throws(STUNParseError) -> STUNMessage { try STUNMessage(bytes.span.bytes) }

func isAuthentic(_ bytes: [UInt8], password: [UInt8]) -> Bool {
  guard let message = try? parse(bytes) else { return false }
  return message.hasValidIntegrity(in: bytes.span.bytes, password: password, crypto: OpenSSLCrypto())
}

func fragment(of bytes: [UInt8]) -> UsernameFragment? { receiverFragment(of: bytes.span.bytes) }
