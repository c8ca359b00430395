import MediaCore
import RTP
import TestSupport

func checkRTP() {
  checkPackets()
  checkUnwrapping()
  checkTimelines()
  checkHostileInput()
}

/// RFC 3550 §5.1 and RFC 7741 §4.2.
private func checkPackets() {
  let packet: [UInt8] =
    [0xA2, 0xE0, 0xFF, 0xFE, 0xDE, 0xAD, 0xBE, 0xEF, 0xFF, 0xFF, 0xFF, 0xFF] + [0, 0, 0, 7, 0, 0, 0, 8]
    + [0x80, 0xE0, 0xFF, 0xFF, 0x05, 0xA0, 0xFF] + [0, 0, 3]
  let header = try? RTPHeader(parsing: packet.span.bytes)
  expect(header?.timestamp == 0xDEAD_BEEF && header?.ssrc == SSRC(.max))
  expect(header?.payloadRange == 20..<27)
  let descriptor = try? VP8PayloadDescriptor(parsing: Array(packet[20..<27]).span.bytes)
  expect(descriptor?.pictureID == 0x7FFF && descriptor?.temporalLayer == 2)
}

private func checkUnwrapping() {
  var numbers = SequenceUnwrapper()
  // 2^34 packets are a month of 6,600 a second.
  var number = numbers.unwrap(0)
  for _ in 0..<(1 << 21) { number = numbers.unwrap(SequenceNumber(extended: number + 0x2000)) }
  expect(number == 0x1_0000 + 1 << 34)
  expect(numbers.peek(0xFFFF) == number - 1)
  var times = AbsoluteSendTimeUnwrapper()
  var last = times.unwrap(AbsoluteSendTime(rawValue: 0))
  for step in 1..<2_000 as Range<UInt32> {
    let next = times.unwrap(AbsoluteSendTime(rawValue: step &* 0x40_0000 & 0xFF_FFFF))
    expect(next > last)
    last = next
  }
}

/// Timestamps that pass 2^31 and 2^32, and clocks that have run for years.
private func checkTimelines() {
  for start in [0, 1 << 31, 1 << 32, 1 << 53] as [Int64] {
    var mapper = RTPTimestampMapper(clockRate: 90_000)
    let origin = MonotonicInstant(nanoseconds: start)
    var previous = MonotonicInstant(nanoseconds: start - 1)
    for step in 0..<3_000 as Range<Int64> {
      let timestamp = UInt32(truncatingIfNeeded: 0x7FF0_0000 + step * 900_000)
      let instant = mapper.instant(of: timestamp, arrival: origin + .seconds(10 * step))
      expect(instant > previous)
      previous = instant
    }
  }
}

private func checkHostileInput() {
  var generator = SeededGenerator(seed: 7)
  var timeline = PeerTimeline()
  var mapper = RTPTimestampMapper(clockRate: 90_000)
  for step in 0..<5_000 as Range<Int64> {
    let now = MonotonicInstant(nanoseconds: step * 1_000_000)
    let ntp = NTPTimestamp(rawValue: generator.next())
    timeline.receive(ntp, now: now)
    let timestamp = UInt32(truncatingIfNeeded: generator.next())
    mapper.receive(
      SenderInfo(ntp: ntp, rtpTimestamp: timestamp, packetCount: .max, octetCount: .max), timeline: timeline)
    let other = UInt32(truncatingIfNeeded: generator.next())
    expect(mapper.instant(of: other, arrival: now) - now <= .seconds(2))
  }
  for _ in 0..<5_000 {
    let packet = (0..<40).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
    _ = try? RTPHeader(parsing: packet.span.bytes)
    _ = try? VP8PayloadDescriptor(parsing: packet.span.bytes)
  }
}
