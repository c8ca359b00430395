import MediaCore
import RTP
import TestSupport
import Testing

@Suite struct TransportFeedbackTests {
  private func feedback(in packet: [UInt8]) throws -> TransportFeedback {
    var reader = RTCPReader()
    guard case .transportFeedback(let feedback) = try reader.next(in: packet.span.bytes) else {
      throw RTCPError.shortPacket
    }
    return feedback
  }

  private func arrivals(in packet: [UInt8]) throws -> [PacketArrival] {
    var cursor = TransportFeedbackCursor(try feedback(in: packet))
    var result: [PacketArrival] = []
    while let arrival = cursor.next(in: packet.span.bytes) { result.append(arrival) }
    return result
  }

  /// One-bit vector, two-bit vector and run, as §3.1 draws them.
  @Test func holmerDraftChunksOfAllKinds() throws {
    let packet: [UInt8] = [
      0x8F, 205, 0, 8, 0, 0, 0, 1, 0, 0, 0, 2,
      0xFF, 0xFE, 0, 24, 0, 0, 2, 7,
      // Fourteen one-bit symbols: the 2nd and 14th arrived.
      0x90, 0x01,
      // Seven two-bit symbols: small, lost, large, lost ….
      0xD2, 0x00,
      // A run of three that are lost.
      0x00, 0x03,
      4, 8, 12, 0xFF, 0xF8, 0, 0, 0, 0, 0,
    ]
    let feedback = try feedback(in: packet)
    #expect(feedback.media == SSRC(2))
    #expect((feedback.packetCount, feedback.referenceTime, feedback.number) == (24, 2, 7))
    let arrivals = try arrivals(in: packet)
    #expect(arrivals.map(\.sequenceNumber) == (0..<24).map { SequenceNumber(0xFFFE).advanced(by: $0) })
    let times = Dictionary(
      uniqueKeysWithValues: arrivals.enumerated().compactMap { index, arrival in
        arrival.time.map { (index, $0.nanoseconds / 250_000) }
      })
    #expect(times == [1: 516, 13: 524, 14: 536, 16: 528])
  }

  @Test func negativeReferenceTimes() throws {
    let packet: [UInt8] = [0x8F, 205, 0, 5, 0, 0, 0, 1, 0, 0, 0, 2, 0, 1, 0, 1, 0xFF, 0xFF, 0xFF, 0, 0x20, 1, 4, 0]
    #expect(try arrivals(in: packet).first?.time == .milliseconds(-63))
  }

  @Test(
    arguments: [
      // No packets, the reserved symbol, a run of none, chunks that end early, deltas that end early.
      [0, 1, 0, 0, 0, 0, 0, 0], [0, 1, 0, 1, 0, 0, 0, 0, 0x60, 1, 0, 0], [0, 1, 0, 1, 0, 0, 0, 0, 0x20, 0, 0, 0],
      [0, 1, 0, 30, 0, 0, 0, 0, 0x00, 1, 0x00, 1], [0, 1, 0, 3, 0, 0, 0, 0, 0x20, 3, 1, 1],
    ] as [[UInt8]])
  func refusesWhatContradictsItself(content: [UInt8]) {
    let head: [UInt8] = [0x8F, 205, 0, UInt8(2 + content.count / 4), 0, 0, 0, 1, 0, 0, 0, 2]
    #expect(throws: RTCPError.shortPacket) { try feedback(in: head + content) }
  }

  @Test(arguments: 0..<200 as Range<UInt64>)
  func anyPatternRoundTrips(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let lossPercent = generator.next() % 96
    let spread = Int64(1) << Int64(generator.next() % 9)
    var time = Int64(generator.next() % 1_000_000)
    var written: [Int64] = []
    for _ in 0...generator.next() % 400 {
      time += Int64(generator.next() % UInt64(spread)) - spread / 8
      written.append(generator.next() % 100 < lossPercent ? RTCPWriter.lostPacket : time)
    }
    var count = 0
    let packet = try bytes {
      count = try RTCPWriter.writeTransportFeedback(
        TransportFeedbackHead(sender: SSRC(1), media: SSRC(2), number: 9, first: 65_500), arrivals: written.span,
        to: &$0)
    }
    guard count > 0 else {
      #expect(written.allSatisfy { $0 == RTCPWriter.lostPacket })
      return
    }
    #expect(count == written.count)
    let words = Int(packet[2]) * 256 + Int(packet[3])
    #expect(packet.count == 4 * (words + 1))
    let read = try arrivals(in: packet)
    let expected: [SequenceNumber] = (0..<count).map { (offset: Int) in SequenceNumber(65_500).advanced(by: offset) }
    #expect(read.map(\.sequenceNumber) == expected)
    let times: [Int64] = read.map { arrival in
      guard let time = arrival.time else { return RTCPWriter.lostPacket }
      return time.nanoseconds / 250_000
    }
    #expect(times == Array(written[..<count]))
  }

  @Test func whatDoesNotFitIsLeftToTheNext() throws {
    let many: [Int64] = (0..<3_000).map { (index: Int64) in index * 300 - index % 2 * 2 }
    var count = 0
    let packet = try bytes {
      count = try RTCPWriter.writeTransportFeedback(
        TransportFeedbackHead(sender: SSRC(1), media: SSRC(2), number: 0, first: 0), arrivals: many.span, to: &$0)
    }
    #expect((700..<900).contains(count) && packet.count <= 2_000)
    #expect(try arrivals(in: packet).count == count)
    let leap: [Int64] = [0, 10, 100_000, 100_010]
    _ = try bytes {
      count = try RTCPWriter.writeTransportFeedback(
        TransportFeedbackHead(sender: SSRC(1), media: SSRC(2), number: 0, first: 0), arrivals: leap.span, to: &$0)
    }
    #expect(count == 2)
  }
}

@Suite struct TransportFeedbackGeneratorTests {
  private func report(_ generator: inout TransportFeedbackGenerator, at now: MonotonicInstant) throws -> [PacketArrival]
  {
    let packet = try bytes { try generator.write(sender: SSRC(1), media: SSRC(2), now: now, to: &$0) }
    var reader = RTCPReader()
    guard case .transportFeedback(let feedback) = try reader.next(in: packet.span.bytes) else { return [] }
    var cursor = TransportFeedbackCursor(feedback)
    var result: [PacketArrival] = []
    while let arrival = cursor.next(in: packet.span.bytes) { result.append(arrival) }
    return result
  }

  @Test func tellsEachPacketOnceAndLossesBetween() throws {
    var generator = TransportFeedbackGenerator()
    var told: [SequenceNumber: TimeSpan?] = [:]
    var reports = 0
    for index in 0..<1_000 where index % 10 != 3 {
      let now = MonotonicInstant.milliseconds(Int64(1_000 + index * 8))
      generator.receive(SequenceNumber(65_000).advanced(by: index), now: now)
      guard generator.isDue(now: now) else { continue }
      reports += 1
      for arrival in try report(&generator, at: now) {
        #expect(told.updateValue(arrival.time, forKey: arrival.sequenceNumber) == nil)
      }
      #expect(generator.deadline == nil)
    }
    // 8 s of packets, a report at most every 50 ms.
    #expect((130...160).contains(reports))
    #expect(told.count >= 990)
    #expect(told.values.count { $0 == nil } >= 98)
    for (number, time) in told {
      guard let time else { continue }
      let index = SequenceNumber(65_000).distance(to: number)
      #expect(time == .milliseconds(Int64(1_000 + index * 8)))
    }
  }

  @Test func aLatePacketIsToldAfterAll() throws {
    var generator = TransportFeedbackGenerator()
    for number in [1, 2, 4] as [SequenceNumber] { generator.receive(number, now: .milliseconds(10)) }
    #expect(generator.deadline == .milliseconds(110))
    #expect(try report(&generator, at: .milliseconds(110)).map { $0.time == nil } == [false, false, true, false])
    generator.receive(4, now: .milliseconds(120))
    #expect(generator.deadline == nil)
    generator.receive(3, now: .milliseconds(130))
    let late = try report(&generator, at: .milliseconds(210))
    #expect(late.map(\.sequenceNumber) == [3, 4])
    #expect(late.map(\.time) == [.milliseconds(130), .milliseconds(10)])
  }

  @Test func aFloodOrALeapIsBounded() throws {
    var generator = TransportFeedbackGenerator()
    generator.receive(0, now: .milliseconds(1))
    generator.receive(30_000, now: .milliseconds(2))
    // The first number is far too old to be told.
    let told = try report(&generator, at: .milliseconds(100))
    #expect(told.isEmpty || told.last?.sequenceNumber == 30_000)
    for index in 0..<5_000 { generator.receive(SequenceNumber(30_001).advanced(by: index), now: .milliseconds(110)) }
    var count = 0
    var rounds = 0
    while generator.deadline != nil, rounds < 10 {
      count += try report(&generator, at: .milliseconds(200)).count
      rounds += 1
    }
    #expect(count == 1_024 && rounds < 4)
  }
}
