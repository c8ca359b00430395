/// The hub's public Ed25519 keys by their ids, as it publishes them: a JSON Web Key Set (RFC 7517, RFC 8037 §2).
public struct SigningKeySet: Sendable, Equatable {
  /// Bytes of the JSON text.
  public static let maximumBytes = 32 << 10
  public static let maximumKeys = 32

  private var keys: [String: [UInt8]] = [:]

  /// Without keys: no token is valid.
  public init() {}

  /// Keys of other kinds and for other uses are skipped (RFC 7517 §5).
  ///
  /// - Throws: ``SigningKeySetError`` when it is no such set, and when two keys have the same id.
  public init(json: [UInt8]) throws(SigningKeySetError) {
    guard json.count <= Self.maximumBytes else { throw .tooLong }
    guard case .object(let members)? = JSONValue(json), case .array(let entries)? = members["keys"] else {
      throw .malformed
    }
    guard entries.count <= Self.maximumKeys else { throw .tooMany }
    for entry in entries {
      guard let (id, key) = Self.signingKey(entry) else { continue }
      guard keys.updateValue(key, forKey: id) == nil else { throw .duplicateID }
    }
  }

  public var count: Int { keys.count }

  /// The 32 octets of a key.
  public subscript(id: String) -> [UInt8]? { keys[id] }

  private static func signingKey(_ entry: JSONValue) -> (id: String, key: [UInt8])? {
    guard entry.string("kty") == "OKP", entry.string("crv") == "Ed25519", let id = entry.string("kid"),
      entry.string("use") ?? "sig" == "sig", entry.string("alg") ?? SignedToken.algorithm == SignedToken.algorithm,
      let key = entry.string("x").flatMap({ Base64URL.decode($0.utf8) }), key.count == 32
    else { return nil }
    return (id, key)
  }
}

/// Why a key set is refused as a whole.
public enum SigningKeySetError: Error, Sendable, Equatable, CustomStringConvertible {
  case tooLong
  case tooMany
  case malformed
  case duplicateID

  public var description: String {
    switch self {
    case .tooLong: "the hub's key set is longer than \(SigningKeySet.maximumBytes) bytes"
    case .tooMany: "the hub's key set has more than \(SigningKeySet.maximumKeys) keys"
    case .malformed: "the hub's key set is no JSON Web Key Set"
    case .duplicateID: "two keys of the hub's key set have the same id"
    }
  }
}
