import MediaCore
import RTP
import Testing

@Suite struct PacketHistoryTests {
  private func packet(_ number: UInt16) throws -> [UInt8] {
    try bytes {
      try RTPHeader(payloadType: 96, sequenceNumber: SequenceNumber(number), timestamp: 7, ssrc: SSRC(1))
        .write(to: &$0, extensions: RTPHeaderExtensionBlock())
      try $0.write(number)
    }
  }

  private func copy(_ number: SequenceNumber, from history: borrowing PacketHistory) throws -> [UInt8]? {
    var storage = [UInt8](repeating: 0, count: 200)
    var span = storage.mutableSpan
    var buffer = span.mutableBytes
    guard let count = try history.copy(number, extensions: RTPHeaderExtensionBlock(), into: &buffer) else { return nil }
    return Array(storage[..<count])
  }

  @Test func findsTheLastPacketsOnly() throws {
    var history = PacketHistory(slotCount: 8, slotSize: 100)
    let numbers = (0..<12).map { SequenceNumber(0xFFFA).advanced(by: $0) }
    for number in numbers {
      let octets = try packet(number.rawValue)
      history.store(octets.span.bytes, number: number)
    }
    for (index, number) in numbers.enumerated() {
      let found = try copy(number, from: history)
      #expect(found == (index >= 4 ? try packet(number.rawValue) : nil))
    }
  }

  @Test func whatIsHeldBackIsSentAgainOnlyAfterARoundTrip() throws {
    var history = PacketHistory(slotCount: 8)
    let octets = try packet(5)
    history.store(octets.span.bytes, number: 5)
    let timestamp = history.timestamp(of: 5)
    #expect(timestamp == 7)
    history.holdBack(5, from: MonotonicInstant(nanoseconds: 0) + .milliseconds(40))
    var isResent = history.isResent(5)
    #expect(!isResent)
    for (milliseconds, isSent) in [(20, false), (110, false), (120, true)] as [(Int64, Bool)] {
      var storage = [UInt8](repeating: 0, count: 200)
      var span = storage.mutableSpan
      var buffer = span.mutableBytes
      let length = try history.retransmit(
        Retransmission(
          5, minimumInterval: .milliseconds(80), now: MonotonicInstant(nanoseconds: 0) + .milliseconds(milliseconds)),
        extensions: RTPHeaderExtensionBlock(),
        into: &buffer)
      #expect((length != nil) == isSent)
    }
    isResent = history.isResent(5)
    #expect(isResent)
  }

  @Test func aPacketTooLongReplacesNothingByRubbish() throws {
    var history = PacketHistory(slotCount: 8, slotSize: 64)
    let long = [UInt8](repeating: 1, count: 65)
    let isStored = history.store(long.span.bytes, number: 3)
    #expect(!isStored)
    let found = try copy(3, from: history)
    #expect(found == nil)
  }

  @Test func rfc4588WrapAndUnwrap() throws {
    var history = PacketHistory(slotCount: 8)
    var rtx = RTXEncapsulation(ssrc: SSRC(2), payloadType: 97, firstSequenceNumber: 500)
    let original = try packet(1_000)
    history.store(original.span.bytes, number: 1_000)
    var mid = RTPHeaderExtensionBlock()
    mid.set(4, to: Array("1".utf8).span.bytes)
    let sent = try #require(
      try written {
        try history.retransmit(
          Retransmission(1_000, minimumInterval: .milliseconds(50), now: .milliseconds(0)), over: &rtx, extensions: mid,
          into: &$0)
      })
    let outer = try header(of: sent)
    #expect(outer.ssrc == SSRC(2))
    #expect(outer.payloadType == 97)
    #expect(outer.sequenceNumber == 500)
    #expect(rtx.nextSequenceNumber == 501)
    let restored = try #require(
      try written {
        try RTXDecapsulation.unwrap(
          sent.span.bytes, header: outer, originalSSRC: SSRC(1), originalPayloadType: 96, into: &$0)
      })
    let inner = try header(of: restored)
    #expect(inner.sequenceNumber == 1_000)
    #expect(inner.ssrc == SSRC(1))
    #expect(inner.payloadType == 96)
    #expect(inner.timestamp == 7)
    #expect(Array(restored[inner.payloadRange]) == [0x03, 0xE8])
  }

  @Test func aSecondRequestWithinTheRoundTripIsIgnored() throws {
    var history = PacketHistory(slotCount: 8)
    let original = try packet(1)
    history.store(original.span.bytes, number: 1)
    var sizes: [Int?] = []
    for time in [0, 49, 50] as [Int64] {
      sizes.append(
        try written {
          try history.retransmit(
            Retransmission(1, minimumInterval: .milliseconds(50), now: .milliseconds(time)),
            extensions: RTPHeaderExtensionBlock(),
            into: &$0)
        }?.count)
    }
    #expect(sizes == [14, nil, 14])
  }

  @Test func rtxPaddingHasNoOriginal() throws {
    let probe: [UInt8] = [0xA0, 97, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4]
    let outer = try header(of: probe)
    let restored = try written {
      try RTXDecapsulation.unwrap(
        probe.span.bytes, header: outer, originalSSRC: SSRC(1), originalPayloadType: 96, into: &$0)
    }
    #expect(restored == nil)
  }

  @Test func rtxPaddingBehindAnOriginalIsRemoved() throws {
    let sent: [UInt8] = [0xA0, 0xE1, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0x12, 0x34, 0xAB, 0, 2]
    let outer = try header(of: sent)
    let restored = try written {
      try RTXDecapsulation.unwrap(
        sent.span.bytes, header: outer, originalSSRC: SSRC(1), originalPayloadType: 96, into: &$0)
    }
    #expect(restored == [0x80, 0xE0, 0x12, 0x34, 0, 0, 0, 2, 0, 0, 0, 1, 0xAB])
  }
}

@Suite struct NackGeneratorTests {
  private func requests(
    _ generator: inout NackGenerator, at time: Int64, roundTrip: Int64 = 100, limit: Int = 64
  ) -> [SequenceNumber] {
    var numbers = [SequenceNumber](repeating: 0, count: limit)
    var span = numbers.mutableSpan
    let count = generator.takeRequests(roundTrip: .milliseconds(roundTrip), now: .milliseconds(time), into: &span)
    return Array(numbers[..<count])
  }

  @Test func asksForAGapOnceARoundTrip() {
    var generator = NackGenerator()
    generator.receive(0xFFFE, now: .milliseconds(0))
    generator.receive(1, now: .milliseconds(10))
    let first = requests(&generator, at: 10)
    #expect(first == [0xFFFF, 0])
    let second = requests(&generator, at: 100)
    #expect(second.isEmpty)
    #expect(generator.deadline == .milliseconds(10) + .microseconds(117_500))
    generator.receive(0xFFFF, now: .milliseconds(120))
    let third = requests(&generator, at: 128)
    #expect(third == [0])
    generator.receive(0, now: .milliseconds(140))
    #expect(generator.deadline == nil)
    let fourth = generator.takeKeyFrameRequest()
    #expect(!fourth)
  }

  @Test func givesUpAndWantsAKeyFrame() {
    var generator = NackGenerator(maximumRequests: 3)
    generator.receive(1, now: .milliseconds(0))
    generator.receive(3, now: .milliseconds(0))
    var count = 0
    for step in 0..<10 as Range<Int64> { count += requests(&generator, at: step * 200).count }
    #expect(count == 3)
    #expect(generator.missingCount == 0)
    let first = generator.takeKeyFrameRequest()
    #expect(first)
    let second = generator.takeKeyFrameRequest()
    #expect(!second)
  }

  @Test func tooLargeAGapWantsAKeyFrameInstead() {
    var generator = NackGenerator(maximumMissing: 10)
    generator.receive(1, now: .milliseconds(0))
    generator.receive(13, now: .milliseconds(0))
    let first = requests(&generator, at: 0)
    #expect(first.isEmpty)
    let second = generator.takeKeyFrameRequest()
    #expect(second)
  }

  @Test func whatDoesNotFitIsDueAtOnce() {
    var generator = NackGenerator()
    generator.receive(1, now: .milliseconds(0))
    generator.receive(6, now: .milliseconds(0))
    let first = requests(&generator, at: 0, limit: 3)
    #expect(first == [2, 3, 4])
    let second = requests(&generator, at: 0, limit: 3)
    #expect(second == [5])
  }

  @Test func aRestartedStreamForgetsOldGaps() {
    var generator = NackGenerator()
    generator.receive(1, now: .milliseconds(0))
    generator.receive(3, now: .milliseconds(0))
    generator.receive(40_000, now: .milliseconds(1))
    #expect(generator.missingCount == 1)
    generator.receive(40_001, now: .milliseconds(1))
    #expect(generator.missingCount == 0)
    generator.receive(40_003, now: .milliseconds(2))
    let first = requests(&generator, at: 2)
    #expect(first == [40_002])
  }

  @Test func aKeyFrameMakesOldGapsUseless() {
    var generator = NackGenerator()
    for number in [1, 3, 5, 7] as [SequenceNumber] { generator.receive(number, now: .milliseconds(0)) }
    generator.forget(before: 5)
    let first = requests(&generator, at: 0)
    #expect(first == [6])
  }
}
