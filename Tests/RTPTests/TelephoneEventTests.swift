import MediaCore
import RTP
import Testing

@Suite("Telephone-events") struct TelephoneEventTests {
  /// Packets of one stream, each 20 ms after the one before.
  private struct Stream {
    var receiver = TelephoneEventReceiver()
    var ssrc = SSRC(7)
    var sequence: UInt16 = 100
    var now = MonotonicInstant.milliseconds(10_000)

    mutating func send(_ payload: [UInt8], at timestamp: UInt32, after interval: TimeSpan = .milliseconds(20))
      -> DTMFDigit?
    {
      now = now + interval
      sequence &+= 1
      let header = RTPHeader(
        payloadType: 110, sequenceNumber: SequenceNumber(sequence), timestamp: timestamp, ssrc: ssrc)
      let head = try? bytes { try header.write(to: &$0, extensions: RTPHeaderExtensionBlock()) }
      let packet = (head ?? []) + payload
      return try? receiver.receive(RTPHeader(parsing: packet.span.bytes), packet: packet.span.bytes, now: now)
    }

    mutating func key(_ event: UInt8, at timestamp: UInt32, duration: UInt16 = 960, isEnd: Bool = false) -> DTMFDigit? {
      send([event, isEnd ? 0x8A : 0x0A, UInt8(duration >> 8), UInt8(truncatingIfNeeded: duration)], at: timestamp)
    }
  }

  @Test func aKeyIsToldOnceHoweverManyOfItsPacketsCome() {
    var stream = Stream()
    #expect(stream.key(5, at: 1_000) == DTMFDigit("5"))
    #expect(stream.key(5, at: 1_000, duration: 1_920) == nil)
    for _ in 0..<3 { #expect(stream.key(5, at: 1_000, duration: 2_880, isEnd: true) == nil) }
    #expect(stream.key(5, at: 9_000) == DTMFDigit("5"))
    // Only the last packet of this one comes.
    #expect(stream.key(11, at: 20_000, isEnd: true) == DTMFDigit("#"))
    // One of the key before that was overtaken.
    #expect(stream.key(5, at: 9_000, isEnd: true) == nil)
  }

  @Test func timestampsWrapAndSourcesChange() {
    var stream = Stream()
    #expect(stream.key(1, at: 0xFFFF_FF00) != nil)
    #expect(stream.key(2, at: 0x100) == DTMFDigit("2"))
    stream.ssrc = SSRC(8)
    #expect(stream.key(2, at: 5) == DTMFDigit("2"))
  }

  @Test func aKeyThatIsHeldForLongIsOne() {
    var stream = Stream()
    #expect(stream.key(9, at: 0) != nil)
    #expect(stream.key(9, at: 0, duration: 0xFFFF) == nil)
    #expect(stream.key(9, at: 0xFFFF) == nil)
    #expect(stream.key(9, at: 0xFFFF, duration: 3_000, isEnd: true) == nil)
    #expect(stream.key(9, at: 0x2_8000) == DTMFDigit("9"))
  }

  @Test func whatIsNoKeyOrTooShortIsPassedOver() {
    var stream = Stream()
    #expect(stream.key(16, at: 0) == nil)
    #expect(stream.key(255, at: 1) == nil)
    #expect(stream.send([1, 0x0A, 0], at: 2) == nil)
    #expect(stream.send([], at: 3) == nil)
    #expect(stream.key(15, at: 4) == DTMFDigit("D"))
  }

  @Test func aFloodIsLimited() {
    var stream = Stream()
    let told = (0..<1_000).count { stream.send([1, 0x0A, 0, 1], at: UInt32($0) * 10, after: .milliseconds(1)) != nil }
    #expect((17...40).contains(told))
  }
}
