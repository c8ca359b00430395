import PrivateFiles

extension DTLSIdentity {
  /// No identity is near as long.
  private static let maximumSize = 65_536

  /// Reads the identity from a PEM file, or makes a new one and saves it there.
  ///
  /// A new file has mode 0600 and appears whole or not at all, also after a power cut.
  public static func load(orMakeAt path: String) throws(DTLSEngineError) -> DTLSIdentity {
    if let pem = try storedPEM(path) { return try DTLSIdentity(pem: pem) }
    let identity = try DTLSIdentity()
    let pem = try identity.makePEM()
    do { try PrivateFile.replace(path, with: pem) } catch { throw .file(call: error.call, errno: error.errno) }
    return identity
  }

  /// Returns nil if there is no such file.
  private static func storedPEM(_ path: String) throws(DTLSEngineError) -> [UInt8]? {
    do {
      return try PrivateFile.read(path, limit: maximumSize)?.octets
    } catch {
      throw .file(call: error.call, errno: error.errno)
    }
  }
}
