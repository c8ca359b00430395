import COpenSSL
import MediaCore
import TransportCrypto

/// One DTLS association over a pair of memory BIOs.
///
/// OpenSSL's own resend timer reads the wall clock, which may jump by decades. So flights are kept here and resent
/// on monotonic deadlines. When a deadline passes, OpenSSL is asked first: if its timer agrees, it rebuilds the flight
/// with fresh record numbers. That matters for the very last flight of a handshake: a peer that is done already
/// discards repeated record numbers as replay and would never answer. If its clock has jumped, the kept flight is
/// sent as it was.
///
/// Thread rule: SSL objects are not locked by OpenSSL; one thread at a time may use an association.
final class OpenSSLAssociation: DTLSAssociation {
  private static let handshakeLimit = TimeSpan.seconds(15)
  /// An answer to a peer that repeats its last flight; more often would let it make us send without end.
  private static let answerInterval = TimeSpan.milliseconds(50)

  private(set) var state = DTLSState.handshaking
  private let ssl: OpaquePointer
  private let input: OpaquePointer
  private let output: OpaquePointer
  private let role: DTLSRole
  private let remote: [CertificateFingerprint]
  private let timeout: UnsafeMutablePointer<UInt32>
  private var timer = RetransmissionTimer()
  private var flight = Flight()
  private var handshakeDeadline: MonotonicInstant?
  private var nextAnswer = MonotonicInstant(nanoseconds: .min)

  /// Takes ownership of `ssl`, also when it throws.
  init(_ ssl: OpaquePointer, role: DTLSRole, remote: [CertificateFingerprint]) throws(DTLSEngineError) {
    guard let input = ls_make_memory_bio(), let output = ls_make_memory_bio() else {
      SSL_free(ssl)
      throw takeOpenSSLError("BIO_new")
    }
    SSL_set_bio(ssl, input, output)
    self.ssl = ssl
    self.input = input
    self.output = output
    self.role = role
    self.remote = remote
    timeout = .allocate(capacity: 1)
    timeout.initialize(to: timer.openSSLMicroseconds)
    ls_set_dtls_timeout_source(ssl, timeout)
    ls_set_mtu(ssl, Flight.datagramLimit)
    if role == .client { SSL_set_connect_state(ssl) } else { SSL_set_accept_state(ssl) }
  }

  deinit {
    SSL_free(ssl)
    timeout.deallocate()
  }

  var deadline: MonotonicInstant? {
    guard case .handshaking = state, let limit = handshakeDeadline else { return nil }
    return min(limit, timer.deadline ?? limit)
  }

  func start(now: MonotonicInstant) {
    guard case .handshaking = state, handshakeDeadline == nil else { return }
    handshakeDeadline = now + Self.handshakeLimit
    continueHandshake(now: now)
  }

  func receive(_ datagram: RawSpan, now: MonotonicInstant) {
    let contents = RecordLayer.inspect(datagram)
    guard contents.count > 0 else { return }
    switch state {
    case .handshaking:
      feed(datagram, contents.count)
      continueHandshake(now: now)
    case .connected:
      feed(datagram, contents.count)
      readAfterHandshake(now: now, mayAnswer: contents.hasHandshake)
    case .failed, .closed: return
    }
  }

  func handleTimeout(now: MonotonicInstant) {
    guard case .handshaking = state, let limit = handshakeDeadline else { return }
    if now >= limit { return fail("the DTLS handshake took more than \(Self.handshakeLimit.milliseconds) ms") }
    guard let due = timer.deadline, now >= due else { return }
    timer.backOff(now: now)
    timeout.pointee = timer.openSSLMicroseconds
    ls_handle_timeout(ssl)
    ERR_clear_error()
    if !flight.takeOutput(of: output) { flight.rewind() }
  }

  func takeDatagram(into buffer: inout MutableRawSpan) -> Int? { flight.takeDatagram(into: &buffer) }

  func close() {
    // OpenSSL makes its buffers again to read, but not to send an alert.
    if case .connected = state, SSL_alloc_buffers(ssl) == 1 { SSL_shutdown(ssl) }
    ERR_clear_error()
    _ = flight.takeOutput(of: output)
    state = .closed
  }
}

extension OpenSSLAssociation {
  private func feed(_ datagram: RawSpan, _ count: Int) {
    datagram.withUnsafeBytes { _ = BIO_write(input, $0.baseAddress, CInt(count)) }
  }

  private func continueHandshake(now: MonotonicInstant) {
    timeout.pointee = RetransmissionTimer().openSSLMicroseconds
    let result = SSL_do_handshake(ssl)
    let cause = result == 1 ? SSL_ERROR_NONE : SSL_get_error(ssl, result)
    let code = ls_take_error()
    if flight.takeOutput(of: output) { timer.start(now: now) }
    switch cause {
    case SSL_ERROR_NONE: finish(now: now)
    case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: return
    default: fail("the DTLS handshake failed: \(String(cString: ls_error_text(code)))")
    }
  }

  /// Reports the association connected only to the peer whose certificate was announced.
  private func finish(now: MonotonicInstant) {
    timer.stop()
    guard isPeerExpected() else {
      SSL_shutdown(ssl)
      ERR_clear_error()
      return fail("the peer's certificate matches none of its fingerprints")
    }
    guard let keys = KeyExport.export(from: ssl, role: role) else {
      return fail("no common SRTP protection profile")
    }
    state = .connected(keys)
    // The datagram that brought the last handshake message may be forwarded.
    readAfterHandshake(now: now, mayAnswer: false)
  }

  private func isPeerExpected() -> Bool {
    guard let certificate = SSL_get1_peer_certificate(ssl) else { return false }
    defer { X509_free(certificate) }
    return remote.contains { CertificateFingerprint(of: certificate, algorithm: $0.algorithm) == $0 }
  }

  private func fail(_ reason: String) {
    timer.stop()
    _ = flight.takeOutput(of: output)
    state = .failed(reason: reason)
  }

  /// Nothing but alerts and repeated handshake messages is expected: application data is read and dropped.
  private func readAfterHandshake(now: MonotonicInstant, mayAnswer: Bool) {
    var sink = [2_048 of UInt8](repeating: 0)
    let result = withUnsafeMutableBytes(of: &sink) { sink in
      var result: CInt
      repeat { result = SSL_read(ssl, sink.baseAddress, CInt(sink.count)) } while result > 0
      return result
    }
    let cause = SSL_get_error(ssl, result)
    let code = ls_take_error()
    let hasOutput = flight.takeOutput(of: output)
    // Two records of 16 KiB; nothing more may come until the end of the call.
    _ = SSL_free_buffers(ssl)
    switch cause {
    case SSL_ERROR_ZERO_RETURN: state = .closed
    case SSL_ERROR_SSL: fail("the DTLS association broke: \(String(cString: ls_error_text(code)))")
    default: if mayAnswer, !hasOutput { answerRepeatedFlight(now: now) }
    }
  }

  /// The peer repeats its last flight, so ours was lost. OpenSSL answers by itself unless it takes the repetition
  /// for a replay, which it does when the record numbers are the same.
  private func answerRepeatedFlight(now: MonotonicInstant) {
    guard now >= nextAnswer else { return }
    nextAnswer = now + Self.answerInterval
    flight.rewind()
  }
}
