import SessionToken
import Signalling
import TransportCrypto

/// Every signature holds, so that the fuzzer reaches the claims.
private final class Trusting: SignatureVerifying {
  func isValidEd25519(signature: RawSpan, of message: RawSpan, publicKey: RawSpan) -> Bool {
    precondition(signature.byteCount == 64)
    return true
  }
}

/// The first octet chooses: a session token, or a set of keys.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
  guard size > 0 else { return 0 }
  let bytes = Array(UnsafeBufferPointer(start: data + 1, count: size - 1))
  if data[0] % 2 == 0 { checkToken(bytes) } else { checkKeys(bytes) }
  return 0
}

private func checkToken(_ bytes: [UInt8]) {
  let text = String(decoding: bytes, as: UTF8.self)
  guard let token = try? SessionToken(text) else { return }
  precondition(text.utf8.count <= SessionToken.maximumBytes)
  guard let claims = try? token.verify(with: [], Trusting()) else { return }
  for time in [nil, Int64.min, 0, 1_700_000_000, .max] {
    let role = try? claims.role(of: claims.userID, in: claims.sessionID, at: time)
    precondition(role == nil || claims.issuedAt < claims.expiresAt)
    precondition((try? claims.role(of: claims.userID + "x", in: claims.sessionID, at: time)) == nil)
    precondition((try? claims.role(of: claims.userID, in: claims.sessionID + "x", at: time)) == nil)
  }
}

private func checkKeys(_ bytes: [UInt8]) {
  guard let keys = try? SigningKeySet(json: bytes) else { return }
  precondition(bytes.count <= SigningKeySet.maximumBytes && keys.count <= SigningKeySet.maximumKeys)
}
