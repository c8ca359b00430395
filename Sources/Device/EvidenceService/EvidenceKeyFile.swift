public import OpenSSLCrypto
public import SystemSupport
import TransportCrypto

/// Why the key of the device's evidence cannot be had.
public struct EvidenceKeyError: Error, Equatable, Sendable, CustomStringConvertible {
  public let description: String
}

/// The file of the device's evidence key: PKCS #8 in PEM, mode 0600.
public enum EvidenceKeyFile {
  private static let maximumSize = 16_384

  /// Reads the key, or makes one, see ``PrivateFile/load(_:limit:consequence:parse:make:)``.
  ///
  /// - Parameters:
  ///   - credential: a file that systemd provides; it comes first, if it is there, and is never made.
  ///   - path: where the device keeps a key of its own making.
  public static func load(
    credential: String?, orMakeAt path: String
  ) throws(EvidenceKeyError) -> PrivateFile.Loaded<Ed25519Key> {
    if let credential, let pem = try read(credential) {
      return PrivateFile.Loaded(value: try key(pem, of: credential))
    }
    return try PrivateFile.load(
      path, limit: maximumSize, consequence: "recordings are signed with a new key",
      parse: { contents throws(EvidenceKeyError) in
        if contents.isOpenToOthers { throw openToOthers(path) }
        return try? Ed25519Key(pem: contents.octets)
      }, make: { () throws(EvidenceKeyError) in try make() })
  }

  private static func make() throws(EvidenceKeyError) -> (Ed25519Key, [UInt8]) {
    do {
      let key = try Ed25519Key()
      return (key, try key.makePEM())
    } catch {
      throw EvidenceKeyError(description: "\(error)")
    }
  }

  private static func key(_ pem: [UInt8], of path: String) throws(EvidenceKeyError) -> Ed25519Key {
    do {
      return try Ed25519Key(pem: pem)
    } catch {
      throw EvidenceKeyError(
        description: "\(path) holds no Ed25519 key (\(error)): make one with openssl genpkey -algorithm ed25519, or "
          + "remove the file, and the device makes its own")
    }
  }

  /// Returns nil if there is no such file.
  private static func read(_ path: String) throws(EvidenceKeyError) -> [UInt8]? {
    do {
      return try PrivateFile.read(path, limit: maximumSize)?.octets
    } catch {
      throw EvidenceKeyError(description: "\(path): \(error.call): \(error.reason)")
    }
  }

  private static func openToOthers(_ path: String) -> EvidenceKeyError {
    EvidenceKeyError(description: "\(path) may be read by others, who could sign in its name: chmod 600 \(path)")
  }
}
