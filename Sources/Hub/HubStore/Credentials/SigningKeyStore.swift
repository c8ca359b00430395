/// The keys that sign the hub's tokens.
public protocol SigningKeyStore: Sendable {
  /// Oldest first; the newest signs, the others still verify.
  func signingKeys() async throws -> [SigningKeyRecord]
  func insert(_ key: SigningKeyRecord) async throws
  /// Inserts a key if there is none yet, in one step, since several nodes may start at once; returns all keys.
  func insertFirst(_ key: SigningKeyRecord) async throws -> [SigningKeyRecord]
}

/// A key that signs tokens.
public struct SigningKeyRecord: Sendable, Equatable {
  public var keyID: String
  /// Raw Ed25519 private key, 32 bytes.
  public var privateKey: [UInt8]
  public var createdAt: Int64

  public init(keyID: String, privateKey: [UInt8], createdAt: Int64) {
    self.keyID = keyID
    self.privateKey = privateKey
    self.createdAt = createdAt
  }
}
