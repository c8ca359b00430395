import DTLSSRTP
import Glibc
import MediaCore
import TestSupport
import Testing
import TransportCrypto

@Suite struct HandshakeTests {
  @Test func bothSidesExportTheSameKeys() throws {
    let simulation = try DTLSSimulation()
    simulation.start()
    simulation.run(for: .milliseconds(100))
    let client = try #require(simulation.keys[0])
    let server = try #require(simulation.keys[1])
    #expect(client.profile == .aeadAES128GCM)
    #expect(client.local == server.remote)
    #expect(client.remote == server.local)
    #expect(client.local.count == 28)
    #expect(client.local != client.remote)
    #expect(simulation.associations.allSatisfy { $0.deadline == nil })
  }

  @Test func datagramsStayBelowTheLimitAndHoldWholeRecords() throws {
    let simulation = try DTLSSimulation()
    simulation.start()
    simulation.run(for: .milliseconds(100))
    // Four flights, each in one datagram: records are packed.
    #expect(simulation.sent.count == 4)
    #expect(simulation.sent.allSatisfy { $0.bytes.count <= 1_200 })
  }

  @Test(arguments: 1...30)
  func survivesLossReorderingAndDuplicates(seed: UInt64) throws {
    let simulation = try DTLSSimulation()
    var random = SeededGenerator(seed: seed)
    simulation.carry = { _ in
      let fate = random.next() % 100
      let delay = TimeSpan.milliseconds(Int64(random.next() % 80))
      return fate < 30 ? [] : fate < 40 ? [delay, .zero] : [delay]
    }
    simulation.start()
    simulation.run(for: .seconds(14))
    #expect(simulation.keys.allSatisfy { $0 != nil })
  }

  /// Every single datagram lost once, one at a time, the last flight's included.
  @Test(arguments: 0..<4)
  func anyOneDatagramMayBeLost(lost: Int) throws {
    let simulation = try DTLSSimulation()
    var index = -1
    simulation.carry = { _ in
      index += 1
      return index == lost ? [] : [.zero]
    }
    simulation.start()
    simulation.run(for: .milliseconds(400))
    #expect(simulation.keys.allSatisfy { $0 != nil })
  }

  @Test func resendsAfterOneHundredMillisecondsDoubling() throws {
    let simulation = try DTLSSimulation()
    var times: [Int64] = []
    let start = simulation.now
    simulation.carry = { [unowned simulation] datagram in
      times.append((datagram.arrival - simulation.latency - start).milliseconds)
      return []
    }
    simulation.start()
    simulation.run(for: .seconds(8))
    #expect(times == [0, 100, 300, 700, 1_500, 3_100, 5_100, 7_100])
  }

  @Test func failsAfterFifteenSeconds() throws {
    let simulation = try DTLSSimulation()
    simulation.carry = { _ in [] }
    simulation.start()
    simulation.run(for: .milliseconds(14_999))
    #expect(simulation.associations.allSatisfy { $0.failure == nil })
    simulation.run(for: .milliseconds(1))
    #expect(simulation.associations.allSatisfy { $0.failure?.contains("15000 ms") == true })
    #expect(simulation.associations.allSatisfy { $0.deadline == nil })
  }

  /// OpenSSL's timer never runs out in virtual time: what makes the resend is our own deadline.
  @Test func monotonicTimeAloneDrivesTheHandshake() throws {
    let simulation = try DTLSSimulation()
    simulation.now = MonotonicInstant(nanoseconds: 40 * 365 * 86_400 * 1_000_000_000)
    var isFirst = true
    simulation.carry = { _ in
      defer { isFirst = false }
      return isFirst ? [] : [.zero]
    }
    simulation.start()
    simulation.run(for: .milliseconds(250))
    #expect(simulation.keys.allSatisfy { $0 != nil })
  }

  /// A peer that is done takes a repeated record number for a replay, so a resend has to have new ones. Only
  /// OpenSSL can make them, and only when its own clock has moved on as well: hence the real wait.
  @Test func resendHasFreshRecordNumbers() throws {
    let client = try DTLSSimulation.engines[0].makeAssociation(
      role: .client, remote: [DTLSSimulation.engines[1].fingerprint])
    let now = MonotonicInstant(nanoseconds: 0)
    client.start(now: now)
    let first = try #require(takeDatagram(from: client))
    usleep(110_000)
    client.handleTimeout(now: now + .milliseconds(100))
    let second = try #require(takeDatagram(from: client))
    #expect(second.dropFirst(13) == first.dropFirst(13))
    #expect(second[3..<11] != first[3..<11])
  }

  @Test func wrongFingerprintFailsOnEitherSide() throws {
    let wrong = CertificateFingerprint(algorithm: "sha-256", digest: [UInt8](repeating: 7, count: 32))
    let byClient = try DTLSSimulation(expectedByClient: [wrong])
    byClient.start()
    byClient.run(for: .milliseconds(200))
    #expect(byClient.associations[0].failure?.contains("fingerprints") == true)
    let byServer = try DTLSSimulation(expectedByServer: [wrong])
    byServer.start()
    byServer.run(for: .milliseconds(200))
    #expect(byServer.associations[1].failure?.contains("fingerprints") == true)
    #expect(byServer.associations[0].isClosed)
  }

  @Test func anyOfSeveralFingerprintsMayMatch() throws {
    let wrong = CertificateFingerprint(algorithm: "sha-512", digest: [UInt8](repeating: 7, count: 64))
    let simulation = try DTLSSimulation(expectedByClient: [wrong, DTLSSimulation.engines[1].fingerprint])
    simulation.start()
    simulation.run(for: .milliseconds(100))
    #expect(simulation.keys.allSatisfy { $0 != nil })
  }

  @Test func unknownFingerprintAlgorithmsAreNoFingerprints() {
    let weak = CertificateFingerprint(algorithm: "sha-1", digest: [UInt8](repeating: 7, count: 20))
    let named = "the peer's certificate fingerprints are sha-1 alone; sha-256, sha-384 or sha-512 is needed"
    #expect(throws: TransportCryptoError(named)) {
      _ = try DTLSSimulation.engines[0].makeAssociation(role: .client, remote: [weak])
    }
    #expect(throws: TransportCryptoError("the peer gives no certificate fingerprint")) {
      _ = try DTLSSimulation.engines[0].makeAssociation(role: .client, remote: [])
    }
  }

  @Test func closeReachesThePeer() throws {
    let simulation = try DTLSSimulation()
    simulation.start()
    simulation.run(for: .milliseconds(100))
    simulation.associations[0].close()
    simulation.drain()
    simulation.run(for: .milliseconds(100))
    #expect(simulation.associations[0].isClosed)
    #expect(simulation.associations[1].isClosed)
  }

  @Test func closeDuringTheHandshakeIsQuiet() throws {
    let simulation = try DTLSSimulation()
    simulation.start()
    simulation.associations[0].close()
    simulation.associations[0].close()
    #expect(simulation.associations[0].deadline == nil)
  }
}
