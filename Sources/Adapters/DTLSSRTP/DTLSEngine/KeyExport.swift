import COpenSSL
import TransportCrypto

/// The DTLS-SRTP exporter (RFC 5764 §4.2).
enum KeyExport {
  private static let label = "EXTRACTOR-dtls_srtp"

  /// Returns nil if no SRTP profile was negotiated.
  static func export(from ssl: OpaquePointer, role: DTLSRole) -> SRTPKeyingMaterial? {
    guard let selected = SSL_get_selected_srtp_profile(ssl),
      let profile = SRTPProfile(rawValue: UInt16(truncatingIfNeeded: selected.pointee.id))
    else { return nil }
    let (key, salt) = profile.keyLengths
    var block = [UInt8](repeating: 0, count: 2 * (key + salt))
    defer { OPENSSL_cleanse(&block, block.count) }
    guard SSL_export_keying_material(ssl, &block, block.count, label, label.utf8.count, nil, 0, 0) == 1 else {
      ERR_clear_error()
      return nil
    }
    let client = Array(block[0..<key] + block[2 * key..<2 * key + salt])
    let server = Array(block[key..<2 * key] + block[2 * key + salt..<2 * (key + salt)])
    return SRTPKeyingMaterial(
      profile: profile, local: role == .client ? client : server, remote: role == .client ? server : client)
  }
}
