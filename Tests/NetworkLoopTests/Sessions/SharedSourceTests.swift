import MediaCore
import PeerSession
import Testing

@testable import NetworkLoop

/// Sessions whose peers use the same source.
@Suite struct SharedSourceTests {
  private let source: UInt32 = 1
  private let elsewhere = TransportAddress(ipv4: 0xC633_6401, port: 40_000)

  private func makeStage() throws -> SessionStage {
    let stage = try SessionStage(peers: 2)
    for peer in stage.peers { stage.receive(try peer.packet(source: source, number: 1), from: peer.address) }
    return stage
  }

  @Test func eachIsHeardFromItsOwnAddress() throws {
    let stage = try makeStage()
    let before = stage.table.all.map(\.session.statistics.packetsReceived)
    for peer in stage.peers { stage.receive(try peer.packet(source: source, number: 2), from: peer.address) }
    #expect(stage.table.all.map(\.session.statistics.packetsReceived) == before.map { $0 + 1 })
    #expect((0..<2).allSatisfy { stage.refused(by: $0) == 0 })
  }

  @Test func straysLeadToTheLastAndTheOtherIsFoundByItsChecks() throws {
    let stage = try makeStage()
    let first = stage.peers[0]
    stage.receive(try first.packet(source: source, number: 2), from: elsewhere)
    #expect(!stage.isKnown(elsewhere))
    #expect(stage.refused(by: 0) == 0 && stage.refused(by: 1) == 1)
    first.address = elsewhere
    stage.run(for: .seconds(10))
    #expect(stage.table.session(at: elsewhere) === stage.table.all[0])
    #expect(stage.table.all.allSatisfy { $0.session.statistics.isConnected })
  }

  @Test func whoHasGoneIsFoundNoMore() throws {
    let stage = try makeStage()
    let gone = stage.table.all[1]
    let username = try #require(gone.usernames.first)
    stage.receive(try stage.peers[1].packet(source: source, number: 2), from: elsewhere)
    #expect(stage.isKnown(elsewhere))
    stage.table.remove(gone)
    #expect(!stage.isKnown(elsewhere) && !stage.isKnown(stage.peers[1].address))
    #expect(stage.table.session(username: username) == nil)
    #expect(stage.table.session(claimedBy: plainPacket(source: source).span.bytes) == nil)
    #expect(stage.table.session(at: stage.peers[0].address) === stage.table.all[0])
  }
}
