import Glibc
public import OpenSSLCrypto
import PrivateFiles
import TransportCrypto

/// Why the key of the device's evidence cannot be had.
public struct EvidenceKeyError: Error, Equatable, Sendable, CustomStringConvertible {
  public let description: String
}

/// The file of the device's evidence key: PKCS #8 in PEM, mode 0600.
public enum EvidenceKeyFile {
  private static let maximumSize = 16_384

  /// Reads the key, or makes one. A new file appears whole or not at all, also after a power cut.
  ///
  /// - Parameters:
  ///   - credential: a file that systemd provides; it comes first, if it is there, and is never made.
  ///   - path: where the device keeps a key of its own making.
  public static func load(credential: String?, orMakeAt path: String) throws(EvidenceKeyError) -> Ed25519Key {
    if let credential, let pem = try read(credential) { return try key(pem, of: credential) }
    if let pem = try read(path, isOurs: true) { return try key(pem, of: path) }
    do {
      let key = try Ed25519Key()
      try write(try key.makePEM(), to: path)
      return key
    } catch let error as EvidenceKeyError {
      throw error
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
  private static func read(_ path: String, isOurs: Bool = false) throws(EvidenceKeyError) -> [UInt8]? {
    let file: PrivateFile.Contents?
    do { file = try PrivateFile.read(path, limit: maximumSize) } catch { throw failure(error, path) }
    guard !isOurs || file?.isOpenToOthers != true else {
      throw EvidenceKeyError(
        description: "\(path) may be read by others, who could sign in its name: chmod 600 \(path)")
    }
    return file?.octets
  }

  private static func write(_ octets: [UInt8], to path: String) throws(EvidenceKeyError) {
    do { try PrivateFile.replace(path, with: octets) } catch { throw failure(error, path) }
  }

  private static func failure(_ failure: PrivateFile.Failure, _ path: String) -> EvidenceKeyError {
    EvidenceKeyError(description: "\(path): \(failure.call): \(String(cString: strerror(failure.errno)))")
  }
}
