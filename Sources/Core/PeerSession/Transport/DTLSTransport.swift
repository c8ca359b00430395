import MediaCore
import TransportCrypto

/// The DTLS association with the peer, from the description of its certificate to the end (RFC 8842).
struct DTLSTransport {
  /// Nil until the peer's certificate is described.
  private var association: (any DTLSAssociation)?
  private var isStarted = false

  var deadline: MonotonicInstant { association?.deadline ?? .distantFuture }

  /// Nil until the peer's certificate is described.
  var state: DTLSState? { association?.state }

  /// Makes the association, unless there is one.
  ///
  /// - Throws: ``PeerSessionError/dtlsUnavailable(reason:)``.
  mutating func makeAssociation(
    _ making: any DTLSAssociationMaking, role: DTLSRole, remote: [CertificateFingerprint]
  ) throws(PeerSessionError) {
    guard association == nil else { return }
    do {
      association = try making.makeAssociation(role: role, remote: remote)
    } catch {
      throw .dtlsUnavailable(reason: "\(error)")
    }
  }

  /// Begins the handshake where this side has to; there is a path for it.
  mutating func startOnce(now: MonotonicInstant) {
    guard !isStarted else { return }
    isStarted = true
    association?.start(now: now)
  }

  func receive(_ datagram: RawSpan, now: MonotonicInstant) { association?.receive(datagram, now: now) }

  func handleTimeout(now: MonotonicInstant) {
    if deadline <= now { association?.handleTimeout(now: now) }
  }

  func close() { association?.close() }

  /// Sends what the association has to send, once there is a path.
  func sendDatagrams(through output: DatagramOutput) {
    guard let path = output.path, let association else { return }
    output.sendPlain { buffer in
      association.takeDatagram(into: &buffer).map {
        DatagramOutput.Plain(count: $0, local: path.local, remote: path.remote)
      }
    }
  }
}
