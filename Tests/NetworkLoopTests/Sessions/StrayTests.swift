import MediaCore
import PeerSession
import Testing

@testable import NetworkLoop

/// Packets of media that come from addresses that no session knows.
@Suite struct StrayTests {
  private let elsewhere = TransportAddress(ipv4: 0xC633_6401, port: 40_000)
  private let source: UInt32 = 0x1234_5678

  /// The address of stranger number so much.
  private func stranger(_ number: Int) -> TransportAddress {
    TransportAddress(ipv4: 0xCB00_7100 + UInt32(number >> 8), port: UInt16(1_024 + number & 0xFF))
  }

  /// Sessions with peers of which each has sent a packet of ``source``, the last peer last.
  private func makeStage(peers count: Int) throws -> SessionStage {
    let stage = try SessionStage(peers: count)
    for peer in stage.peers { stage.receive(try peer.packet(source: source, number: 1), from: peer.address) }
    return stage
  }

  @Test func aPeerThatHasMovedIsFoundByWhatItSends() throws {
    let stage = try makeStage(peers: 1)
    #expect(!stage.isKnown(elsewhere))
    stage.receive(try stage.peers[0].packet(source: source, number: 2), from: elsewhere)
    #expect(stage.table.session(at: elsewhere) === stage.table.all[0])
    #expect(stage.isKnown(stage.peers[0].address))
    #expect(stage.refused(by: 0) == 0)
  }

  @Test func aReplayedPacketProvesNothing() throws {
    let stage = try makeStage(peers: 1)
    let copy = try stage.peers[0].packet(source: source, number: 2)
    stage.receive(copy, from: stage.peers[0].address)
    stage.receive(copy, from: elsewhere)
    #expect(!stage.isKnown(elsewhere))
    #expect(stage.refused(by: 0) == 1)
  }

  @Test func aSourceThatNobodyKnowsLeadsNowhere() throws {
    let stage = try makeStage(peers: 2)
    stage.receive(try stage.peers[0].packet(source: source + 1, number: 1), from: elsewhere)
    #expect(!stage.isKnown(elsewhere))
    #expect((0..<2).allSatisfy { stage.refused(by: $0) == 0 })
  }

  @Test func aFloodOfUnknownSourcesMakesNoStateAndIsNeverTried() throws {
    let stage = try makeStage(peers: 2)
    let before = stage.table.all.map { [$0.addresses.count, $0.listedSourceCount, $0.session.sourceCount] }
    for number in 0..<20_000 {
      stage.receive(plainPacket(source: source + 1 + UInt32(number)), from: stranger(number))
    }
    #expect(stage.table.all.map { [$0.addresses.count, $0.listedSourceCount, $0.session.sourceCount] } == before)
    #expect((0..<2).allSatisfy { stage.refused(by: $0) == 0 })
    #expect(!(0..<20_000).contains { stage.isKnown(stranger($0)) })
    #expect(stage.table.session(claimedBy: plainPacket(source: source + 1).span.bytes) == nil)
  }

  @Test func whatNamesAKnownSourceIsTriedFiftyTimesASecond() throws {
    let stage = try makeStage(peers: 1)
    for second in 1...3 {
      for number in 0..<10_000 { stage.receive(plainPacket(source: source), from: stranger(number)) }
      #expect(stage.refused(by: 0) == UInt64(second) * 50)
      stage.run(for: .seconds(1))
    }
    #expect(!(0..<10_000).contains { stage.isKnown(stranger($0)) })
    #expect(stage.table.all[0].session.statistics.isConnected)
  }

  @Test func aFloodHoldsAMovedPeerUpForASecondAndNobodyElse() throws {
    let stage = try makeStage(peers: 2)
    let own = source + 1
    stage.receive(try stage.peers[0].packet(source: own, number: 1), from: stage.peers[0].address)
    for number in 0..<100 { stage.receive(plainPacket(source: source), from: stranger(number)) }
    #expect(stage.refused(by: 1) == 50)
    stage.receive(try stage.peers[1].packet(source: source, number: 2), from: elsewhere)
    #expect(!stage.isKnown(elsewhere))
    stage.receive(try stage.peers[0].packet(source: own, number: 2), from: stranger(1_000))
    #expect(stage.table.session(at: stranger(1_000)) === stage.table.all[0])
    stage.run(for: .seconds(1))
    stage.receive(try stage.peers[1].packet(source: source, number: 3), from: elsewhere)
    #expect(stage.table.session(at: elsewhere) === stage.table.all[1])
  }

  @Test func reportsAreFoundByTheirSourceToo() throws {
    let stage = try makeStage(peers: 1)
    // A receiver report without blocks (RFC 3550 §6.4.2).
    let report: [UInt8] = [0x80, 201, 0, 1, 0x12, 0x34, 0x56, 0x78]
    #expect(stage.table.session(claimedBy: report.span.bytes) === stage.table.all[0])
    stage.receive(report + Array(repeating: 0, count: 20), from: elsewhere)
    #expect(stage.refused(by: 0) == 1)
    #expect(!stage.isKnown(elsewhere))
  }

  @Test(arguments: [
    [], [0x80], [0x80, 111, 0, 1, 0, 0, 0, 0, 0x12, 0x34, 0x56], [0x80, 201, 0, 1, 0x12], [22, 0xFE, 0xFD],
    [0x40, 0, 0, 4], [0xFF], [1, 1, 0, 0, 0x21, 0x12, 0xA4, 0x42] + Array(repeating: 9, count: 12),
  ])
  func whatIsNoPacketOfMediaIsForgotten(datagram: [UInt8]) throws {
    let stage = try makeStage(peers: 1)
    stage.receive(datagram, from: elsewhere)
    #expect(!stage.isKnown(elsewhere))
    #expect(stage.refused(by: 0) == 0)
  }
}
