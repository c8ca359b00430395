import MediaCore
import PeerSession
import Testing

@testable import NetworkLoop

/// What one peer can have the table remember.
@Suite struct RememberedStateTests {
  private let source: UInt32 = 7

  private func address(_ number: Int) -> TransportAddress {
    TransportAddress(ipv4: 0xC633_6400, port: UInt16(10_000 + number))
  }

  @Test func theLastSixteenAddressesOfAPeer() throws {
    let stage = try SessionStage(peers: 1)
    let (peer, running) = (stage.peers[0], stage.table.all[0])
    stage.receive(try peer.packet(source: source, number: 0), from: peer.address)
    for number in 1...40 {
      stage.receive(try peer.packet(source: source, number: UInt16(number)), from: address(number))
    }
    #expect(running.addresses == (25...40).map(address))
    #expect((25...40).allSatisfy { stage.table.session(at: address($0)) === running })
    #expect(!stage.isKnown(peer.address) && !(1...24).contains { stage.isKnown(address($0)) })
    stage.receive(try peer.packet(source: source, number: 41), from: peer.address)
    #expect(stage.isKnown(peer.address) && !stage.isKnown(address(25)))
  }

  @Test func thirtyTwoSourcesOfAPeer() throws {
    let stage = try SessionStage(peers: 1)
    let (peer, running) = (stage.peers[0], stage.table.all[0])
    for number in 0..<1_000 {
      stage.receive(try peer.packet(source: source + UInt32(number), number: 1), from: peer.address)
    }
    #expect(running.session.sourceCount == 32 && running.listedSourceCount == 32)
    let listed = (0..<1_000).count {
      stage.table.session(claimedBy: plainPacket(source: source + UInt32($0)).span.bytes) === running
    }
    #expect((1...32).contains(listed))
    stage.receive(try peer.packet(source: source + 999, number: 2), from: address(0))
    #expect(!stage.isKnown(address(0)))
    stage.receive(try peer.packet(source: source, number: 2), from: address(0))
    #expect(stage.isKnown(address(0)))
  }

  @Test func anAddressThatTwoHaveUsedIsTheLastOnes() throws {
    let stage = try SessionStage(peers: 2)
    for (index, peer) in stage.peers.enumerated() {
      stage.receive(try peer.packet(source: UInt32(index), number: 0), from: peer.address)
    }
    stage.table.associate(address(0), with: stage.table.all[0])
    stage.table.associate(address(0), with: stage.table.all[1])
    #expect(stage.table.session(at: address(0)) === stage.table.all[1])
    stage.table.remove(stage.table.all[0])
    #expect(stage.isKnown(address(0)))
  }
}
