import RTP
import Testing

/// RFC 3711 §3.3.1 and Appendix A.
@Suite struct PacketIndexTests {
  @Test func countsRollOvers() throws {
    var index = PacketIndex(first: 65_534)
    for (sequenceNumber, expected) in [(UInt16(65_535), UInt64(65_535)), (0, 65_536), (1, 65_537)] {
      let estimate = try #require(index.estimate(sequenceNumber))
      #expect(estimate == expected)
      index.note(estimate)
    }
  }

  @Test func findsTheRollOverOfALatePacket() throws {
    var index = PacketIndex(first: 65_535)
    index.note(try #require(index.estimate(3)))
    #expect(index.estimate(65_530) == 65_530)
    #expect(index.estimate(4) == 65_540)
  }

  @Test func refusesWhatIsOlderThanTheFirstRound() {
    #expect(PacketIndex(first: 5).estimate(65_535) == nil)
  }

  @Test func aLatePacketMovesNothingBack() throws {
    var index = PacketIndex(first: 100)
    index.note(try #require(index.estimate(200)))
    index.note(try #require(index.estimate(150)))
    #expect(index.estimate(201) == 201)
    #expect(index.estimate(32_900) == 32_900)
  }
}
