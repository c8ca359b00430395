internal import Crypto
internal import Foundation
internal import HubCore
internal import Hummingbird
internal import Logging
internal import Signalling

/// `POST /v1/device-certificate`: the hub's word that a key with which a device signs its recordings is that device's.
struct DeviceCertificateRoutes {
  let hub: Hub
  let tokens: TokenAuthority

  func add(to router: some RouterMethods<HubRequestContext>) {
    router.post("/v1/device-certificate") { request, context in
      let principal = try context.principal
      guard principal.kind == .device, principal.role != .anonymous else {
        throw HubRefusal.notAllowed("only devices with an account have keys that the hub vouches for")
      }
      try await hub.backplane.admitToken(for: "device key of \(principal.userID)")
      let key = try Self.provenKey(try await request.decode(DeviceCertificateRequest.self), of: principal.userID)
      context.logger.notice(
        "vouches for a device's key",
        metadata: ["user": "\(principal.userID)", "key": "\(key)"])
      return try Response.json(try await tokens.certify(key, of: principal))
    }
  }

  /// The key as it was sent, once its owner has shown to have the private half.
  private static func provenKey(
    _ request: DeviceCertificateRequest, of userID: String
  ) throws(HubRefusal) -> String {
    guard let octets = Data(base64URL: request.publicKey, byteCount: 32),
      let key = try? Curve25519.Signing.PublicKey(rawRepresentation: octets)
    else {
      throw .invalid(field: "publicKey", reason: "must be the 32 octets of an Ed25519 key in base64url without padding")
    }
    let message = DeviceCertificateRequest.possession(of: Array(octets), userID: userID)
    guard let signature = Data(base64URL: request.possession, byteCount: 64),
      key.isValidSignature(signature, for: message)
    else { throw .invalid(field: "possession", reason: "is not the key's signature over this user's id") }
    return request.publicKey
  }
}

extension Data {
  /// Reads base64url without padding of exactly so many octets; nil for anything else.
  fileprivate init?(base64URL text: String, byteCount: Int) {
    guard text.utf8.count == (byteCount * 4 + 2) / 3, !text.contains("+"), !text.contains("/") else { return nil }
    let base64 = text.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
    guard let data = Data(base64Encoded: base64 + String(repeating: "=", count: (4 - base64.utf8.count % 4) % 4)),
      data.count == byteCount
    else { return nil }
    self = data
  }
}
