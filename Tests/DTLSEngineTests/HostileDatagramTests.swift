import DTLSEngine
import Foundation
import MediaCore
import TestSupport
import Testing
import TransportCrypto

@Suite struct HostileDatagramTests {
  @Test func garbageBeforeDuringAndAfterTheHandshakeIsIgnored() throws {
    let simulation = try DTLSSimulation()
    var random = SeededGenerator(seed: 9)
    simulation.carry = { [unowned simulation] datagram in
      for association in simulation.associations {
        for length in [0, 1, 12, 13, 14, 100, 1_500] {
          let noise = (0..<length).map { _ in UInt8(truncatingIfNeeded: random.next()) }
          association.receive(noise.span.bytes, now: simulation.now)
          var record = noise
          record.replaceSubrange(0..<min(3, length), with: [22, 0xFE, 0xFD].prefix(length))
          association.receive(record.span.bytes, now: simulation.now)
        }
      }
      return [.zero]
    }
    simulation.start()
    simulation.run(for: .milliseconds(300))
    #expect(simulation.keys.allSatisfy { $0 != nil })
    for datagram in simulation.sent {
      simulation.associations[1 - datagram.sender].receive(datagram.bytes.span.bytes, now: simulation.now)
      _ = takeDatagram(from: simulation.associations[1 - datagram.sender])
    }
    #expect(simulation.keys.allSatisfy { $0 != nil })
  }

  /// Whoever replays the peer's last flight gets at most one answer in 50 ms.
  @Test func replayedFlightsAreAnsweredSparingly() throws {
    let simulation = try DTLSSimulation()
    simulation.start()
    simulation.run(for: .milliseconds(100))
    let last = try #require(simulation.sent.last { $0.sender == 0 })
    var answers = 0
    for millisecond in 0..<1_000 {
      let server = simulation.associations[1]
      server.receive(last.bytes.span.bytes, now: simulation.now + .milliseconds(Int64(millisecond)))
      while takeDatagram(from: server) != nil { answers += 1 }
    }
    #expect((1...20).contains(answers))
  }

  /// Chromium's ClientHello fills two datagrams; `reversed` lets the second arrive first.
  @Test(arguments: [false, true])
  func chromiumsFragmentedHelloIsAnswered(reversed: Bool) throws {
    let server = try DTLSSimulation.engines[0].makeAssociation(
      role: .server, remote: [CertificateFingerprint(algorithm: "sha-256", digest: [1])])
    let now = MonotonicInstant(nanoseconds: 0)
    server.start(now: now)
    let fragments = try Self.chromiumHello()
    #expect(fragments.count == 2)
    for fragment in reversed ? fragments.reversed() : fragments {
      #expect(takeDatagram(from: server) == nil)
      server.receive(fragment.span.bytes, now: now)
    }
    let answer = try #require(takeDatagram(from: server))
    #expect(answer[0] == 22)
    #expect(answer[13] == 2, "a ServerHello comes first")
    #expect(server.deadline == now + .milliseconds(100))
  }

  static func chromiumHello() throws -> [[UInt8]] {
    let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../Vectors/dtls/chello.hex")
    return try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map { line in
      stride(from: 0, to: line.utf8.count, by: 2).map { offset in
        let start = line.index(line.startIndex, offsetBy: offset)
        return UInt8(line[start..<line.index(start, offsetBy: 2)], radix: 16)!
      }
    }
  }
}
