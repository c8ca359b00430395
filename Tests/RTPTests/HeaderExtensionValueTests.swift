import MediaCore
import RTP
import Testing

@Suite struct HeaderExtensionValueTests {
  @Test(arguments: [3, 200] as [UInt8])
  func elementsRoundTripInBothForms(id: UInt8) throws {
    var block = RTPHeaderExtensionBlock()
    block.set(1, to: UInt32(AudioLevel(attenuation: 37, isVoice: true).octet), byteCount: 1)
    block.set(2, to: AbsoluteSendTime(.milliseconds(65_500)).rawValue, byteCount: 3)
    block.set(id, to: 0xABCD, byteCount: 2)
    let packet = try bytes {
      try RTPHeader(payloadType: 111, sequenceNumber: 1, timestamp: 2, ssrc: SSRC(3)).write(to: &$0, extensions: block)
    }
    let parsed = try header(of: packet)
    #expect(parsed.extensionProfile == (id > 14 ? 0x1000 : 0xBEDE))
    #expect(parsed.audioLevel(1, in: packet.span.bytes) == AudioLevel(attenuation: 37, isVoice: true))
    // 1.5 s into the second cycle of 64 s.
    #expect(parsed.absoluteSendTime(2, in: packet.span.bytes)?.rawValue == 0x6_0000)
    #expect(parsed.transportSequenceNumber(id, in: packet.span.bytes) == 0xABCD)
    // Wrong lengths and absent elements are no values.
    #expect(parsed.transportSequenceNumber(1, in: packet.span.bytes) == nil)
    #expect(parsed.audioLevel(9, in: packet.span.bytes) == nil)
  }

  @Test func sendingTimesUnwrapOverTheirCycle() {
    var unwrapper = AbsoluteSendTimeUnwrapper()
    var instants: [MonotonicInstant] = []
    for index in 0..<1_000 { instants.append(.milliseconds(60_000 + 150 * Int64(index))) }
    instants.swapAt(100, 101)
    let times = instants.map { unwrapper.unwrap(AbsoluteSendTime($0)) }
    for (instant, time) in zip(instants, times) {
      let expected = instant - instants[0]
      #expect(abs((time - times[0] - expected).nanoseconds) <= 8_000)
    }
  }
}
