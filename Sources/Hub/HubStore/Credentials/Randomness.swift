internal import Foundation

/// Bytes from the system's random generator.
func randomBytes(_ count: Int) -> Data {
  var generator = SystemRandomNumberGenerator()
  return Data((0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
}

/// An unguessable string for URLs and keys: 256 random bits as base64url.
public func makeRandomToken() -> String { base64URL(randomBytes(32)) }

/// Without padding (RFC 4648, section 5).
func base64URL(_ data: Data) -> String {
  data.base64EncodedString()
    .replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
    .replacingOccurrences(of: "=", with: "")
}
