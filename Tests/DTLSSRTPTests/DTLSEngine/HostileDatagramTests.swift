import DTLSSRTP
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

  /// A fragment of a few octets announces a message, for which memory is taken; ten such messages are kept in advance.
  @Test func fragmentsOfHugeMessagesTakeLittleMemory() throws {
    let associations = try (0..<32).map { _ in
      try DTLSSimulation.engines[0].makeAssociation(
        role: .server, remote: [CertificateFingerprint(algorithm: "sha-256", digest: [1])])
    }
    let now = MonotonicInstant(nanoseconds: 0)
    let before = try Self.dataSize()
    for association in associations {
      association.start(now: now)
      for number in 0..<200 {
        for length in [90_000, 30_000, 16_777_215, 3_000] {
          association.receive(Self.fragment(number, ofLength: length).span.bytes, now: now)
          while takeDatagram(from: association) != nil {}
        }
      }
    }
    let taken = try Self.dataSize() - before
    #expect(taken < 32 * 500_000, "\(taken / 32) octets an association")
    #expect(associations.allSatisfy { if case .connected = $0.state { false } else { true } })
  }

  /// Octets that the process may use for data, be they resident or not.
  private static func dataSize() throws -> Int {
    let fields = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
    return try #require(Int(fields[5])) * 4_096
  }

  /// Four octets from the middle of a handshake message (RFC 6347 §4.2.2).
  private static func fragment(_ number: Int, ofLength length: Int) -> [UInt8] {
    func octets(_ value: Int, _ count: Int) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * (count - 1 - $0))) }
    }
    let message =
      [11] + octets(length, 3) + octets(number % 10, 2) + octets(length / 2, 3) + octets(4, 3) + [1, 2, 3, 4]
    return [22, 0xFE, 0xFD] + octets(0, 2) + octets(number + 1, 6) + octets(message.count, 2) + message
  }

  static func chromiumHello() throws -> [[UInt8]] {
    let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Vectors/dtls/chello.hex")
    return try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map { line in
      stride(from: 0, to: line.utf8.count, by: 2).map { offset in
        let start = line.index(line.startIndex, offsetBy: offset)
        return UInt8(line[start..<line.index(start, offsetBy: 2)], radix: 16)!
      }
    }
  }
}
