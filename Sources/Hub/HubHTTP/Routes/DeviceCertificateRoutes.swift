internal import HubCore
internal import Hummingbird
internal import Logging
internal import OpenSSLCrypto
internal import SessionToken
internal import Signalling

/// `POST /v1/device-certificate`: the hub's certificate that a key with which a device signs its recordings is that
/// device's.
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
    guard let key = Base64URL.decode(request.publicKey.utf8), key.count == 32 else {
      throw .invalid(field: "publicKey", reason: "must be the 32 octets of an Ed25519 key in base64url without padding")
    }
    let message = DeviceCertificateRequest.possession(of: key, userID: userID)
    guard let signature = Base64URL.decode(request.possession.utf8),
      OpenSSLCrypto().isValidEd25519(
        signature: signature.span.bytes, of: message.span.bytes, publicKey: key.span.bytes)
    else { throw .invalid(field: "possession", reason: "is not the key's signature over this user's id") }
    return request.publicKey
  }
}
