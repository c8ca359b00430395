import COpenSSL
public import Foundation

/// A certificate authority for one test. Everything lives as long as the test process.
public final class TestAuthority: @unchecked Sendable {
  // Sendable: nothing changes after `init`.
  public let key: OpaquePointer
  public let certificate: OpaquePointer

  public init(name: String = "Test authority") {
    key = ls_make_p256_key()
    certificate = Self.make(name, key: key, issuer: nil, extensions: [(NID_basic_constraints, "critical,CA:TRUE")])
  }

  /// A server's key and certificate; `alternatives` as `DNS:…` or `IP:…`.
  public func issue(
    _ alternatives: String, validity: ClosedRange<TimeInterval> = -3_600...3_600
  ) -> ServerIdentity {
    let key: OpaquePointer = ls_make_p256_key()
    let certificate = Self.make(
      "server", key: key, issuer: self, extensions: [(NID_subject_alt_name, alternatives)], validity: validity)
    return ServerIdentity(key: key, certificate: certificate)
  }

  /// Calls `body` with the path of a PEM file of the authority's certificate.
  public func withFile<Result>(_ body: (String) throws -> Result) throws -> Result {
    let path = FileManager.default.temporaryDirectory.appending(path: "authority-\(UUID().uuidString).pem").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    let bio = BIO_new_file(path, "w")
    PEM_write_bio_X509(bio, certificate)
    BIO_free(bio)
    return try body(path)
  }

  private static func make(
    _ name: String, key: OpaquePointer, issuer: TestAuthority?, extensions: [(CInt, String)],
    validity: ClosedRange<TimeInterval> = -3_600...3_600
  ) -> OpaquePointer {
    let certificate: OpaquePointer = X509_new()
    X509_set_version(certificate, 2)
    _ = ls_set_serial_number(certificate, .random(in: 1...1_000_000))
    X509_gmtime_adj(X509_getm_notBefore(certificate), Int(validity.lowerBound))
    X509_gmtime_adj(X509_getm_notAfter(certificate), Int(validity.upperBound))
    let subject = X509_get_subject_name(certificate)
    X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_UTF8, Array(name.utf8), CInt(name.utf8.count), -1, 0)
    X509_set_issuer_name(certificate, issuer.map { X509_get_subject_name($0.certificate) } ?? subject)
    X509_set_pubkey(certificate, key)
    for (kind, value) in extensions {
      let made = X509V3_EXT_conf_nid(nil, nil, kind, value)
      X509_add_ext(certificate, made, -1)
      X509_EXTENSION_free(made)
    }
    X509_sign(certificate, issuer?.key ?? key, EVP_sha256())
    return certificate
  }
}

public struct ServerIdentity: @unchecked Sendable {
  // Sendable: OpenSSL counts references to both under locks of its own.
  public let key: OpaquePointer
  public let certificate: OpaquePointer

  public init(key: OpaquePointer, certificate: OpaquePointer) {
    self.key = key
    self.certificate = certificate
  }
}
