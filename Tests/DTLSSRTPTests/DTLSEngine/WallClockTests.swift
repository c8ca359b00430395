import DTLSSRTP
import Glibc
import MediaCore
import Testing
import TransportCrypto

/// Nothing in a handshake depends on the time of day: boards boot in 1970, and clocks get set.
@Suite struct WallClockTests {
  /// Valid throughout 1990.
  private static let expired = """
    -----BEGIN PRIVATE KEY-----
    MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgCvl+DvXN7yFf6HCg
    hraC8x5rKTYNG4GAFlUnVUV0flKhRANCAATt/CPPqthZEo6nXO6wSeh0YG4CGV9t
    1xe+o48eRyMOlhtXiD6mfyrhp8+TPjsHZY8gplUDYtbKYUMGyjOW9AMQ
    -----END PRIVATE KEY-----
    -----BEGIN CERTIFICATE-----
    MIIBCjCBsAIBATAKBggqhkjOPQQDAjARMQ8wDQYDVQQDDAZXZWJSVEMwHhcNOTAw
    MTAxMDAwMDAwWhcNOTEwMTAxMDAwMDAwWjARMQ8wDQYDVQQDDAZXZWJSVEMwWTAT
    BgcqhkjOPQIBBggqhkjOPQMBBwNCAATt/CPPqthZEo6nXO6wSeh0YG4CGV9t1xe+
    o48eRyMOlhtXiD6mfyrhp8+TPjsHZY8gplUDYtbKYUMGyjOW9AMQMAoGCCqGSM49
    BAMCA0kAMEYCIQD0Q6lDC1POs4MwXd66lq3gaK8y1JPQmuKL+p5yHFU7NwIhANBA
    IzIHN9fKPgiBkcpX2VoOHmFqzi15Q6XItvtiGo8X
    -----END CERTIFICATE-----
    """

  /// The fingerprint alone counts (RFC 8827 §6.5).
  @Test(arguments: [DTLSRole.client, .server])
  func thePeersCertificateMayHaveExpired(role: DTLSRole) throws {
    let engine = try DTLSEngine(identity: DTLSIdentity(pem: Array(Self.expired.utf8)))
    let other = DTLSSimulation.engines[0]
    let peer = try engine.makeAssociation(role: role, remote: [other.fingerprint])
    let ours = try other.makeAssociation(role: role == .client ? .server : .client, remote: [engine.fingerprint])
    let now = MonotonicInstant(nanoseconds: 0)
    for association in [peer, ours] { association.start(now: now) }
    for _ in 0..<10 {
      carry(from: peer, to: ours, now: now)
      carry(from: ours, to: peer, now: now)
    }
    #expect(isConnected(peer) && isConnected(ours))
  }

  /// For OpenSSL the clock leaps ahead of ours at one moment of the handshake: its timers have run out then.
  @Test(arguments: 0..<4) func aWallClockThatIsSetForwardChangesNothing(moment: Int) throws {
    let simulation = try DTLSSimulation()
    var count = -1
    simulation.carry = { _ in
      count += 1
      if count == moment { usleep(150_000) }
      return [.zero]
    }
    simulation.start()
    simulation.run(for: .milliseconds(400))
    #expect(simulation.keys.allSatisfy { $0 != nil })
  }

  private func carry(from sender: any DTLSAssociation, to receiver: any DTLSAssociation, now: MonotonicInstant) {
    while let datagram = takeDatagram(from: sender) { receiver.receive(datagram.span.bytes, now: now) }
  }

  private func isConnected(_ association: any DTLSAssociation) -> Bool {
    if case .connected = association.state { true } else { false }
  }
}
