import COpenSSL
import Foundation
import Glibc

extension RedisTestServer {
  /// A server that speaks only TLS on its port, with this identity.
  ///
  /// - Parameter asksForCertificates: whether clients need one of `authority`.
  public static func startSecure(
    _ identity: ServerIdentity, authority: TestAuthority, asksForCertificates: Bool = false
  ) throws -> RedisTestServer {
    let port = freePort()
    let files = try TLSFiles(identity, authority: authority)
    defer { files.remove() }
    return try RedisTestServer(
      port: port,
      arguments: [
        "--port", "0", "--tls-port", "\(port)", "--tls-cert-file", files.certificate, "--tls-key-file", files.key,
        "--tls-ca-cert-file", files.authority, "--tls-auth-clients", asksForCertificates ? "yes" : "no",
      ])
  }
}

/// PEM files of an identity and of the authority that it has its certificate from.
public struct TLSFiles: Sendable {
  public let authority: String
  public let certificate: String
  public let key: String

  init(_ identity: ServerIdentity, authority: TestAuthority) throws {
    let prefix = "/tmp/redis-test-\(UUID().uuidString)"
    (self.authority, certificate, key) = (prefix + ".ca", prefix + ".crt", prefix + ".key")
    try Self.write(self.authority) { PEM_write_bio_X509($0, authority.certificate) }
    try replace(by: identity)
  }

  /// Puts another certificate and key into the files.
  public func replace(by identity: ServerIdentity) throws {
    try Self.write(certificate) { PEM_write_bio_X509($0, identity.certificate) }
    try Self.write(key) { PEM_write_bio_PrivateKey($0, identity.key, nil, nil, 0, nil, nil) }
    chmod(key, 0o600)
  }

  func remove() {
    for path in [authority, certificate, key] { unlink(path) }
  }

  private static func write(_ path: String, _ body: (OpaquePointer?) -> CInt) throws {
    let bio = BIO_new_file(path, "w")
    defer { BIO_free(bio) }
    guard bio != nil, body(bio) == 1 else { throw RedisTestServer.Failure(description: "cannot write \(path)") }
  }
}

extension TestAuthority {
  /// Calls `body` with files of an identity, which go afterwards.
  public func withFiles(_ identity: ServerIdentity, _ body: (TLSFiles) async throws -> Void) async throws {
    let files = try TLSFiles(identity, authority: self)
    defer { files.remove() }
    try await body(files)
  }
}
