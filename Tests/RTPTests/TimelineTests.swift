import MediaCore
import RTP
import TestSupport
import Testing

@Suite struct RTPTimestampMapperTests {
  private func info(_ ntp: NTPTimestamp, _ timestamp: UInt32) -> SenderInfo {
    SenderInfo(ntp: ntp, rtpTimestamp: timestamp, packetCount: 0, octetCount: 0)
  }

  @Test func firstArrivalAnchorsTheTimeline() {
    var mapper = RTPTimestampMapper(clockRate: 90_000)
    let timeline = PeerTimeline()
    let first = mapper.instant(of: .max - 2_999, arrival: .milliseconds(1_000), timeline: timeline)
    let late = mapper.instant(of: 0, arrival: .milliseconds(1_090), timeline: timeline)
    #expect(first == .milliseconds(1_000))
    #expect(abs((late - first).nanoseconds - 33_333_333) <= 1)
  }

  @Test func aPacketThatIsEarlyShowsThatTheFirstHadWaited() {
    var mapper = RTPTimestampMapper(clockRate: 48_000)
    let timeline = PeerTimeline()
    // 600 ms of sound at once, then sound as it is captured.
    var last = MonotonicInstant.milliseconds(0)
    for number in 0..<30 {
      last = mapper.instant(of: UInt32(number * 960), arrival: .milliseconds(1_000), timeline: timeline)
    }
    #expect(last <= .milliseconds(1_061))
    let live = mapper.instant(of: 60 * 960, arrival: .milliseconds(1_600), timeline: timeline)
    #expect((.milliseconds(1_540) ... .milliseconds(1_660)).contains(live))
  }

  @Test func senderReportsAlignAudioAndVideo() {
    var timeline = PeerTimeline()
    var audio = RTPTimestampMapper(clockRate: 48_000)
    var video = RTPTimestampMapper(clockRate: 90_000)
    // Both sample the peer's clock at its second 100; video takes 200 ms longer on its way.
    let ntp = NTPTimestamp(rawValue: 100 << 32)
    _ = audio.instant(of: 48_000, arrival: .milliseconds(5_000), timeline: timeline)
    _ = video.instant(of: 900_000, arrival: .milliseconds(5_200), timeline: timeline)
    timeline.receive(ntp, now: .milliseconds(5_210))
    audio.receive(info(ntp, 48_000))
    timeline.receive(ntp, now: .milliseconds(5_210))
    video.receive(info(ntp, 900_000))
    let sound = audio.instant(of: 96_000, arrival: .milliseconds(6_000), timeline: timeline)
    let picture = video.instant(of: 990_000, arrival: .milliseconds(6_200), timeline: timeline)
    #expect(sound == picture)
  }

  @Test func resultsNeverGoBack() {
    var timeline = PeerTimeline()
    var mapper = RTPTimestampMapper(clockRate: 48_000)
    var previous = mapper.instant(of: 0, arrival: .milliseconds(1_000), timeline: timeline)
    for step in 1..<500 {
      let time = Int64(1_000 + step * 20)
      let timestamp = UInt32(step * 960)
      if step % 50 == 0 {
        // Reports that jump about by hundreds of milliseconds.
        let ntp = NTPTimestamp(unixNanoseconds: Int64(step) * 20_000_000 + Int64(step % 7) * 100_000_000)
        timeline.receive(ntp, now: .milliseconds(time))
        mapper.receive(info(ntp, timestamp))
      }
      let instant = mapper.instant(of: timestamp, arrival: .milliseconds(time), timeline: timeline)
      #expect(instant > previous)
      previous = instant
    }
  }

  @Test func timestampsThatStartAnewAreAnchoredAnew() {
    var mapper = RTPTimestampMapper(clockRate: 90_000)
    let timeline = PeerTimeline()
    let first = mapper.instant(of: 1_000, arrival: .milliseconds(1_000), timeline: timeline)
    let second = mapper.instant(of: 0x7000_0000, arrival: .milliseconds(1_020), timeline: timeline)
    let third = mapper.instant(of: 0x7000_0000 + 900, arrival: .milliseconds(1_030), timeline: timeline)
    #expect(first == .milliseconds(1_000))
    #expect(second == .milliseconds(1_020))
    #expect(third == .milliseconds(1_030))
  }

  @Test func hostileReportsDoNotTrap() {
    var generator = SeededGenerator(seed: 7)
    var timeline = PeerTimeline()
    var mapper = RTPTimestampMapper(clockRate: 90_000)
    var previous = MonotonicInstant(nanoseconds: 0)
    for step in 0..<20_000 {
      let now = MonotonicInstant.milliseconds(Int64(step))
      let ntp = NTPTimestamp(rawValue: generator.next())
      timeline.receive(ntp, now: now)
      mapper.receive(info(ntp, UInt32(truncatingIfNeeded: generator.next())))
      let instant = mapper.instant(of: UInt32(truncatingIfNeeded: generator.next()), arrival: now, timeline: timeline)
      #expect(instant - now <= .seconds(2))
      previous = max(previous, instant)
    }
    #expect(previous > .milliseconds(0))
  }
}

@Suite struct PeerTimelineTests {
  @Test func aDriftingPeerIsFollowedForHours() throws {
    var timeline = PeerTimeline()
    var generator = SeededGenerator(seed: 3)
    // The peer's clock runs 200 ppm slow, a report comes every 2.5 s and waits for up to 30 ms.
    for step in 0..<5_760 as Range<Int64> {
      let sent = step * 2_500
      let ntp = NTPTimestamp(unixNanoseconds: sent * 1_000_000 - sent * 200)
      timeline.receive(ntp, now: .milliseconds(sent + 20 + Int64(generator.next() % 30)))
    }
    let end: Int64 = 5_760 * 2_500
    let instant = try #require(timeline.instant(of: NTPTimestamp(unixNanoseconds: end * 1_000_000 - end * 200)))
    #expect(abs((instant - .milliseconds(end)).milliseconds) < 60)
  }
}
