import MediaCore
import RTP
import Testing

@Suite struct PacketHistoryTests {
  private static let octets: [UInt8] = [0x11, 2, 3, 4]

  /// A stream that sends the same frame again and again, of one packet unless more is said.
  private struct Stream: ~Copyable {
    var packetizer = VP8Packetizer(
      ssrc: SSRC(1), payloadType: 96, firstSequenceNumber: 0xFFFA, firstPictureID: 5)
    var history = PacketHistory()
    var payloads = FramePayloadPool()
    var timestamp: UInt32 = 7
    /// None waits to be sent.
    var firstWaiting: SequenceNumber?

    /// Returns the packets as they leave first.
    @discardableResult
    mutating func send(_ octets: [UInt8] = PacketHistoryTests.octets, after ticks: UInt32 = 0) throws -> [[UInt8]] {
      timestamp += ticks
      let packets = packetizer.packetize(.init(timestamp: timestamp), byteCount: octets.count)
      history.append(
        packets, of: payloads.copy(octets.span.bytes), firstWaiting: firstWaiting ?? packets.firstSequenceNumber)
      return try packets.octets(of: octets)
    }

    func copy(_ number: SequenceNumber) throws -> [UInt8]? {
      try written { try history.write(number, extensions: RTPHeaderExtensionBlock(), into: &$0) }
    }

    mutating func retransmit(_ number: SequenceNumber, interval: Int64, at milliseconds: Int64) throws -> [UInt8]? {
      try written {
        try history.retransmit(
          Retransmission(number, minimumInterval: .milliseconds(interval), now: .milliseconds(milliseconds)),
          extensions: RTPHeaderExtensionBlock(), into: &$0)
      }
    }
  }

  @Test func findsTheLastFramesOnly() throws {
    var stream = Stream()
    var sent: [[UInt8]] = []
    for _ in 0..<PacketHistory.frameLimit + 4 { sent += try stream.send() }
    for (index, packet) in sent.enumerated() {
      let found = try stream.copy(SequenceNumber(0xFFFA).advanced(by: index))
      #expect(found == (index >= 4 ? packet : nil))
    }
    let count = stream.history.frameCount(from: SequenceNumber(0xFFFA).advanced(by: sent.count - 3))
    #expect(count == 3)
    let before = try stream.copy(0xFFF9)
    #expect(before == nil)
    let after = try stream.copy(stream.packetizer.nextSequenceNumber)
    #expect(after == nil)
  }

  @Test func packetsOfManyFramesAreFoundUpToALimit() throws {
    var stream = Stream()
    var sent: [[UInt8]] = []
    for size in 1...40 { sent += try stream.send([UInt8](repeating: UInt8(size), count: size * 1_000)) }
    #expect(sent.count > 512)
    var kept = 0
    for (index, packet) in sent.enumerated() {
      guard let found = try stream.copy(SequenceNumber(0xFFFA).advanced(by: index)) else { continue }
      #expect(found == packet)
      kept += 1
    }
    #expect((450...512).contains(kept))
  }

  @Test func whatIsFourSecondsOldIsGivenUpUnlessItWaits() throws {
    var stream = Stream()
    try stream.send()
    try stream.send(after: 4 * 90_000)
    var first = try stream.copy(0xFFFA)
    #expect(first != nil)
    try stream.send(after: 1)
    first = try stream.copy(0xFFFA)
    #expect(first == nil)
    stream.firstWaiting = 0xFFFB
    try stream.send(after: 9 * 90_000)
    let waiting = try stream.copy(0xFFFB)
    #expect(waiting != nil)
  }

  @Test func framesAreSharedUntilNobodyKeepsThem() throws {
    var payloads = FramePayloadPool()
    let octets: [UInt8] = [1, 2, 3]
    let first = payloads.copy(octets.span.bytes)
    var packetizers = [UInt16(1), 9].map {
      VP8Packetizer(
        ssrc: SSRC(UInt32($0)), payloadType: 96, firstSequenceNumber: SequenceNumber($0), firstPictureID: $0)
    }
    var one = Stream()
    var other = Stream()
    one.history.append(packetizers[0].packetize(.init(timestamp: 1), byteCount: 3), of: first, firstWaiting: 1)
    other.history.append(packetizers[1].packetize(.init(timestamp: 1), byteCount: 3), of: first, firstWaiting: 9)
    one.history.removeAll()
    let gone = try one.copy(1)
    #expect(gone == nil)
    let packet = try other.copy(9)
    #expect(packet?.suffix(3) == octets[...])
  }

  @Test func whatIsHeldBackIsSentAgainOnlyAfterARoundTrip() throws {
    var stream = Stream()
    try stream.send()
    let number = SequenceNumber(0xFFFA)
    let timestamp = stream.history.timestamp(of: number)
    #expect(timestamp == 7)
    stream.history.holdBack(number, from: MonotonicInstant(nanoseconds: 0) + .milliseconds(40))
    var isResent = stream.history.isResent(number)
    #expect(!isResent)
    for (milliseconds, isSent) in [(20, false), (110, false), (120, true)] as [(Int64, Bool)] {
      let packet = try stream.retransmit(number, interval: 80, at: milliseconds)
      #expect((packet != nil) == isSent)
    }
    isResent = stream.history.isResent(number)
    #expect(isResent)
  }

  @Test func aNumberThatComesAgainIsNewToRetransmission() throws {
    var stream = Stream()
    try stream.send()
    let first = try stream.retransmit(0xFFFA, interval: 50, at: 0)
    #expect(first != nil)
    for _ in 0..<0x1_0000 { try stream.send() }
    let isResent = stream.history.isResent(0xFFFA)
    #expect(!isResent)
    let second = try stream.retransmit(0xFFFA, interval: 50, at: 1)
    #expect(second != nil)
  }

  @Test func rfc4588WrapAndUnwrap() throws {
    var stream = Stream()
    var rtx = RTXEncapsulation(ssrc: SSRC(2), payloadType: 97, firstSequenceNumber: 500)
    let original = try stream.send([UInt8](repeating: 3, count: 3_000))
    var mid = RTPHeaderExtensionBlock()
    mid.set(4, to: Array("1".utf8).span.bytes)
    for (index, packet) in original.enumerated() {
      let number = SequenceNumber(0xFFFA).advanced(by: index)
      let sent = try #require(
        try written {
          try stream.history.retransmit(
            Retransmission(number, minimumInterval: .milliseconds(50), now: .milliseconds(0)), over: &rtx,
            extensions: mid, into: &$0)
        })
      let outer = try header(of: sent)
      #expect(outer.ssrc == SSRC(2))
      #expect(outer.payloadType == 97)
      #expect(outer.sequenceNumber == SequenceNumber(500).advanced(by: index))
      #expect(outer.extensionElement(4, in: sent.span.bytes) != nil)
      let restored = try #require(
        try written {
          try RTXDecapsulation.unwrap(
            sent.span.bytes, header: outer, originalSSRC: SSRC(1), originalPayloadType: 96, into: &$0)
        })
      let (inner, first) = (try header(of: restored), try header(of: packet))
      #expect(inner.sequenceNumber == number)
      #expect(inner.ssrc == SSRC(1))
      #expect(inner.payloadType == 96)
      #expect(inner.timestamp == 7)
      #expect(inner.marker == first.marker)
      #expect(Array(restored[inner.payloadRange]) == Array(packet[first.payloadRange]))
    }
    #expect(rtx.nextSequenceNumber == SequenceNumber(500).advanced(by: original.count))
  }

  @Test func aSecondRequestWithinTheRoundTripIsIgnored() throws {
    var stream = Stream()
    let original = try stream.send()
    var copies: [[UInt8]?] = []
    for time in [0, 49, 50] as [Int64] { copies.append(try stream.retransmit(0xFFFA, interval: 50, at: time)) }
    #expect(copies == [original[0], nil, original[0]])
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
