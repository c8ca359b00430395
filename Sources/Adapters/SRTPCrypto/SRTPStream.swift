import CSRTP
import TransportCrypto

/// One direction of a session: a libsrtp2 context whose policy fits any SSRC.
///
/// libsrtp2 keeps the roll-over counter and replay window of each SSRC that it has seen an authentic packet of.
/// A context has no lock: one thread at a time may use it.
struct SRTPStream: ~Copyable {
  /// Sequence numbers that may arrive out of order: a second of video at 10 Mbit/s.
  private static let windowSize: UInt = 1_024

  private let context: srtp_t

  enum Direction {
    case inbound
    case outbound
  }

  /// - Parameter masterKey: key followed by salt; the library keeps a derived copy.
  init(_ direction: Direction, profile: SRTPProfile, masterKey: [UInt8]) throws(SRTPCryptoError) {
    let lengths = profile.keyLengths
    guard masterKey.count == lengths.key + lengths.salt else { throw .wrongKeyLength }
    var policy = srtp_policy_t()
    Self.setCrypto(profile, &policy)
    policy.ssrc.type = direction == .inbound ? ssrc_any_inbound : ssrc_any_outbound
    policy.window_size = Self.windowSize
    // A packet that is sent again after a NACK keeps its number.
    policy.allow_repeat_tx = 1
    var context: srtp_t?
    var key = masterKey
    let status = key.withUnsafeMutableBufferPointer { key in
      policy.key = key.baseAddress
      return srtp_create(&context, &policy)
    }
    guard status == srtp_err_status_ok, let context else {
      throw .library(function: "srtp_create", status: status.rawValue)
    }
    self.context = context
  }

  deinit { srtp_dealloc(context) }

  private static func setCrypto(_ profile: SRTPProfile, _ policy: inout srtp_policy_t) {
    switch profile {
    case .aes128CMHMACSHA1_80:
      srtp_crypto_policy_set_rtp_default(&policy.rtp)
      srtp_crypto_policy_set_rtcp_default(&policy.rtcp)
    case .aeadAES128GCM:
      srtp_crypto_policy_set_aes_gcm_128_16_auth(&policy.rtp)
      srtp_crypto_policy_set_aes_gcm_128_16_auth(&policy.rtcp)
    case .aeadAES256GCM:
      srtp_crypto_policy_set_aes_gcm_256_16_auth(&policy.rtp)
      srtp_crypto_policy_set_aes_gcm_256_16_auth(&policy.rtcp)
    }
  }
}

extension SRTPStream {
  /// A function of libsrtp2 that transforms a packet in place and changes its length.
  typealias Transformation = (srtp_t?, UnsafeMutableRawPointer?, UnsafeMutablePointer<CInt>?) -> srtp_err_status_t

  /// - Parameter reserve: octets past `length` that the transformation may write.
  func transform(
    _ buffer: inout MutableRawSpan, length: Int, reserve: Int, _ transformation: Transformation
  ) throws(PacketProtectionError) -> Int {
    guard length >= 0, length + reserve <= buffer.byteCount else { throw .bufferTooSmall }
    guard length <= Int(CInt.max) - reserve else { throw .malformed }
    var count = CInt(length)
    let status = buffer.withUnsafeMutableBytes { transformation(context, $0.baseAddress, &count) }
    guard status == srtp_err_status_ok else { throw Self.error(status) }
    return Int(count)
  }

  private static func error(_ status: srtp_err_status_t) -> PacketProtectionError {
    switch status {
    case srtp_err_status_auth_fail: .authenticationFailed
    case srtp_err_status_replay_fail, srtp_err_status_replay_old: .replayed
    case srtp_err_status_bad_param, srtp_err_status_parse_err: .malformed
    default: .failed(code: Int32(bitPattern: status.rawValue))
    }
  }
}
