public import SystemSupport

extension DTLSIdentity {
  /// No identity is near as long.
  private static let maximumSize = 65_536

  /// Reads the identity from a PEM file, or makes a new one and saves it there, see ``PrivateFile/load(_:limit:consequence:parse:make:)``.
  ///
  /// - Throws: OpenSSL's error where it cannot make one; never the file's.
  public static func load(orMakeAt path: String) throws(DTLSEngineError) -> PrivateFile.Loaded<DTLSIdentity> {
    try PrivateFile.load(
      path, limit: maximumSize, consequence: "calls continue with a new certificate",
      parse: { contents throws(DTLSEngineError) in try? DTLSIdentity(pem: contents.octets) },
      make: { () throws(DTLSEngineError) in
        let identity = try DTLSIdentity()
        return (identity, try identity.makePEM())
      })
  }
}
