import MediaCore
import RTP
import Testing

@Suite struct ReceiveStatisticsTests {
  private func header(_ number: UInt16, timestamp: UInt32 = 0) -> RTPHeader {
    RTPHeader(payloadType: 96, sequenceNumber: SequenceNumber(number), timestamp: timestamp, ssrc: SSRC(1))
  }

  private func report(_ statistics: inout ReceiveStatistics, at time: Int64) throws -> ReportBlock {
    let block = statistics.makeReportBlock(now: .milliseconds(time))
    return try #require(block)
  }

  @Test func rfc3550A3LossOverAWrap() throws {
    var statistics = ReceiveStatistics(ssrc: SSRC(1), clockRate: 90_000)
    let early = statistics.makeReportBlock(now: .milliseconds(0))
    #expect(early == nil)
    for number in [0xFFFC, 0xFFFD, 0xFFFF, 1] as [UInt16] { statistics.receive(header(number), now: .milliseconds(0)) }
    let first = try report(&statistics, at: 0)
    #expect(first.cumulativeLost == 2)
    #expect(first.fractionLost == UInt8(2 * 256 / 6))
    #expect(first.extendedHighestSequenceNumber == 0x1_0001)
    statistics.receive(header(0), now: .milliseconds(1))
    statistics.receive(header(2), now: .milliseconds(1))
    let second = try report(&statistics, at: 1)
    #expect(second.cumulativeLost == 1)
    #expect(second.fractionLost == 0)
  }

  @Test func duplicatesMakeLossNegative() throws {
    var statistics = ReceiveStatistics(ssrc: SSRC(1), clockRate: 90_000)
    for number in [1, 2, 2, 2] as [UInt16] { statistics.receive(header(number), now: .milliseconds(0)) }
    let last = try report(&statistics, at: 0)
    #expect(last.cumulativeLost == -2)
  }

  @Test func rfc3550A8JitterOfEvenArrivalsIsZero() {
    var statistics = ReceiveStatistics(ssrc: SSRC(1), clockRate: 48_000)
    for index in 0..<50 {
      statistics.receive(
        header(UInt16(index), timestamp: UInt32.max &- 5_000 &+ UInt32(index * 960)),
        now: .milliseconds(Int64(index * 20)))
    }
    #expect(statistics.jitter == 0)
  }

  @Test func rfc3550A8JitterConvergesToTheMeanDifference() {
    var statistics = ReceiveStatistics(ssrc: SSRC(1), clockRate: 48_000)
    for index in 0..<500 {
      // Every other packet is 5 ms late: |D| is always 240 ticks.
      let late: Int64 = index.isMultiple(of: 2) ? 0 : 5
      statistics.receive(
        header(UInt16(index), timestamp: UInt32(index * 960)), now: .milliseconds(Int64(index * 20) + late))
    }
    #expect((230...241).contains(statistics.jitter))
  }

  @Test func rfc3550LSRAndDLSR() throws {
    var statistics = ReceiveStatistics(ssrc: SSRC(1), clockRate: 48_000)
    statistics.receive(header(1), now: .milliseconds(0))
    statistics.receive(
      SenderInfo(ntp: NTPTimestamp(rawValue: 0x1111_2222_3333_4444), rtpTimestamp: 0, packetCount: 0, octetCount: 0),
      now: .milliseconds(100))
    let block = try report(&statistics, at: 350)
    #expect(block.lastSenderReport == 0x2222_3333)
    #expect(block.delaySinceLastSenderReport == 65_536 / 4)
    let last = try report(&statistics, at: 100_000_000)
    #expect(last.delaySinceLastSenderReport == .max)
  }

  @Test func aRestartCountsNoLoss() throws {
    var statistics = ReceiveStatistics(ssrc: SSRC(1), clockRate: 48_000)
    for number in [1, 2, 40_000, 40_001, 40_002] as [UInt16] {
      statistics.receive(header(number), now: .milliseconds(0))
    }
    let last = try report(&statistics, at: 0)
    #expect(last.cumulativeLost == 0)
  }
}

@Suite struct SendStatisticsTests {
  @Test func rfc3550SenderInfoExtrapolatesTheRTPClock() throws {
    var statistics = SendStatistics(ssrc: SSRC(1), clockRate: 90_000)
    let early = statistics.makeSenderInfo(ntp: NTPTimestamp(rawValue: 1), now: .milliseconds(0))
    #expect(early == nil)
    statistics.send(timestamp: .max, captured: .milliseconds(1_000), payloadByteCount: 700)
    statistics.send(timestamp: .max, captured: .milliseconds(1_000), payloadByteCount: 300)
    let info = statistics.makeSenderInfo(ntp: NTPTimestamp(rawValue: 1), now: .milliseconds(1_100))
    #expect(info == SenderInfo(ntp: NTPTimestamp(rawValue: 1), rtpTimestamp: 8_999, packetCount: 2, octetCount: 1_000))
  }

  @Test func rfc3550RoundTripFromLSRAndDLSR() throws {
    var statistics = SendStatistics(ssrc: SSRC(1), clockRate: 90_000)
    statistics.send(timestamp: 0, captured: .milliseconds(0), payloadByteCount: 1)
    let ntp = NTPTimestamp(unixNanoseconds: 1_700_000_000_000_000_000)
    _ = statistics.makeSenderInfo(ntp: ntp, now: .milliseconds(1_000))
    var samples: [TimeSpan?] = []
    var block = ReportBlock(
      ssrc: SSRC(1), fractionLost: 0, cumulativeLost: 0, extendedHighestSequenceNumber: 0, jitter: 0,
      lastSenderReport: ntp.compact, delaySinceLastSenderReport: 65_536 / 2)
    samples.append(statistics.receive(block, now: .milliseconds(1_580)))
    block.delaySinceLastSenderReport = .max
    samples.append(statistics.receive(block, now: .milliseconds(1_600)))
    block.lastSenderReport &+= 1
    samples.append(statistics.receive(block, now: .milliseconds(1_600)))
    block.ssrc = SSRC(2)
    samples.append(statistics.receive(block, now: .milliseconds(1_600)))
    #expect(samples == [.milliseconds(80), nil, nil, nil])
    #expect(statistics.roundTrip == .milliseconds(80))
  }
}

@Suite struct ReferenceTimeTests {
  @Test func rfc3611AReceiverLearnsItsRoundTrip() throws {
    var meter = RoundTripMeter()
    var responder = ReferenceTimeResponder()
    let ntp = NTPTimestamp(unixNanoseconds: 5_000_000_000)
    meter.send(ntp, now: .milliseconds(1_000))
    responder.receive(ntp, from: SSRC(4), now: .milliseconds(7_040))
    let taken = responder.takeAnswer(now: .milliseconds(7_540))
    let answer = try #require(taken)
    #expect(answer.ssrc == SSRC(4))
    let second = responder.takeAnswer(now: .milliseconds(7_541))
    #expect(second == nil)
    let sample = meter.receive(answerTo: answer.lastReferenceTime, delay: answer.delay, now: .milliseconds(1_600))
    #expect(sample.map { (99...101).contains($0.milliseconds) } == true)
    let unknown = meter.receive(answerTo: 77, delay: 0, now: .milliseconds(1_600))
    // A claim to have waited for longer than the report is old.
    let absurd = meter.receive(answerTo: ntp.compact, delay: 65_536, now: .milliseconds(1_600))
    #expect(unknown == nil && absurd == nil)
  }
}
