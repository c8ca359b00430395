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
    let first = mapper.instant(of: .max - 2_999, arrival: .milliseconds(1_000))
    let late = mapper.instant(of: 0, arrival: .milliseconds(1_090))
    #expect(first == .milliseconds(1_000))
    #expect(abs((late - first).nanoseconds - 33_333_333) <= 1)
  }

  @Test func aPacketThatIsEarlyShowsThatTheFirstHadWaited() {
    var mapper = RTPTimestampMapper(clockRate: 48_000)
    // 600 ms of sound at once, then sound as it is captured.
    var last = MonotonicInstant.milliseconds(0)
    for number in 0..<30 {
      last = mapper.instant(of: UInt32(number * 960), arrival: .milliseconds(1_000))
    }
    #expect(last <= .milliseconds(1_061))
    let live = mapper.instant(of: 60 * 960, arrival: .milliseconds(1_600))
    #expect((.milliseconds(1_540) ... .milliseconds(1_660)).contains(live))
  }

  @Test func senderReportsAlignAudioAndVideo() {
    var timeline = PeerTimeline()
    var audio = RTPTimestampMapper(clockRate: 48_000)
    var video = RTPTimestampMapper(clockRate: 90_000)
    // Both sample the peer's clock at its second 100; video takes 200 ms longer on its way.
    let ntp = NTPTimestamp(rawValue: 100 << 32)
    _ = audio.instant(of: 48_000, arrival: .milliseconds(5_000))
    _ = video.instant(of: 900_000, arrival: .milliseconds(5_200))
    timeline.receive(ntp, now: .milliseconds(5_210))
    audio.receive(info(ntp, 48_000), timeline: timeline)
    timeline.receive(ntp, now: .milliseconds(5_210))
    video.receive(info(ntp, 900_000), timeline: timeline)
    let sound = audio.instant(of: 96_000, arrival: .milliseconds(6_000))
    let picture = video.instant(of: 990_000, arrival: .milliseconds(6_200))
    #expect(sound == picture)
  }

  @Test func resultsNeverGoBack() {
    var timeline = PeerTimeline()
    var mapper = RTPTimestampMapper(clockRate: 48_000)
    var previous = mapper.instant(of: 0, arrival: .milliseconds(1_000))
    for step in 1..<500 {
      let time = Int64(1_000 + step * 20)
      let timestamp = UInt32(step * 960)
      if step % 50 == 0 {
        // Reports that jump about by hundreds of milliseconds.
        let ntp = NTPTimestamp(unixNanoseconds: Int64(step) * 20_000_000 + Int64(step % 7) * 100_000_000)
        timeline.receive(ntp, now: .milliseconds(time))
        mapper.receive(info(ntp, timestamp), timeline: timeline)
      }
      let instant = mapper.instant(of: timestamp, arrival: .milliseconds(time))
      #expect(instant > previous)
      previous = instant
    }
  }

  @Test func timestampsThatStartAnewAreAnchoredAnew() {
    var mapper = RTPTimestampMapper(clockRate: 90_000)
    let first = mapper.instant(of: 1_000, arrival: .milliseconds(1_000))
    let second = mapper.instant(of: 0x7000_0000, arrival: .milliseconds(1_020))
    let third = mapper.instant(of: 0x7000_0000 + 900, arrival: .milliseconds(1_030))
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
      mapper.receive(info(ntp, UInt32(truncatingIfNeeded: generator.next())), timeline: timeline)
      let instant = mapper.instant(of: UInt32(truncatingIfNeeded: generator.next()), arrival: now)
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

/// A peer whose sound and pictures are captured at the same instants, and whose reports may be wrong.
private struct ReportingPeer {
  typealias Error = (_ second: Int64, _ isAudio: Bool) -> Int64

  var timeline = PeerTimeline()
  var audio = RTPTimestampMapper(clockRate: 48_000)
  var video = RTPTimestampMapper(clockRate: 90_000)
  /// Sound minus pictures of the same capture instant, in milliseconds, and when they were captured.
  private(set) var skews: [(time: Int64, skew: Int64)] = []
  /// The least and the greatest distance of two packets of sound that follow each other.
  private(set) var steps = Int64.max...Int64.max
  private var lastSound: MonotonicInstant?

  /// Runs for so long in steps of 20 ms; a report of each medium comes each second.
  ///
  /// - Parameter error: by how many milliseconds the RTP timestamp of a report is wrong.
  mutating func run(seconds: Int64, error: Error) {
    for time in stride(from: Int64(0), to: seconds * 1_000, by: 20) {
      if time % 1_000 == 500 { report(time, error: error) }
      let arrival = MonotonicInstant.milliseconds(time + 30)
      let sound = audio.instant(of: UInt32(time * 48), arrival: arrival)
      let picture = video.instant(of: UInt32(time * 90), arrival: arrival + .milliseconds(15))
      skews.append((time, (sound - picture).milliseconds))
      if let lastSound { note((sound - lastSound).nanoseconds) }
      lastSound = sound
    }
  }

  private mutating func note(_ step: Int64) {
    steps = steps.upperBound == .max ? step...step : min(step, steps.lowerBound)...max(step, steps.upperBound)
  }

  private mutating func report(_ time: Int64, error: Error) {
    let ntp = NTPTimestamp(unixNanoseconds: 1_700_000_000_000_000_000 + time * 1_000_000)
    for isAudio in [false, true] {
      let wrong = time + error(time / 1_000, isAudio)
      timeline.receive(ntp, now: .milliseconds(time + 20))
      let info = SenderInfo(
        ntp: ntp, rtpTimestamp: UInt32(truncatingIfNeeded: wrong * (isAudio ? 48 : 90)), packetCount: 0, octetCount: 0)
      if isAudio { audio.receive(info, timeline: timeline) } else { video.receive(info, timeline: timeline) }
    }
  }

  /// The greatest skew from a second on, in milliseconds.
  func skew(from second: Int64) -> Int64 {
    skews.filter { $0.time >= second * 1_000 }.map { abs($0.skew) }.max() ?? 0
  }
}

@Suite struct WrongReportTests {
  private static let jumps: [Int64] = [100, 250, 760, 1_200, 2_000]

  @Test(arguments: jumps.flatMap { [$0, -$0] })
  func earlyReportsMoveNothing(jump: Int64) {
    var peer = ReportingPeer()
    // GStreamer's first report is off by a second, and by another amount for each medium.
    peer.run(seconds: 20) { second, isAudio in second == 0 ? (isAudio ? jump : jump * 4 / 5) : 0 }
    #expect(peer.skew(from: 4) <= 20)
    #expect(peer.steps.lowerBound >= 13_000_000, "sound is compressed")
    #expect(peer.steps.upperBound <= 20_000_000 + max(0, 1_000_000 * min(abs(jump), 260)), "sound has a hole")
  }

  @Test(arguments: jumps.flatMap { [$0, -$0] })
  func aReportThatStandsAloneMovesNothing(jump: Int64) {
    var peer = ReportingPeer()
    peer.run(seconds: 20) { second, isAudio in second == 9 && isAudio ? jump : 0 }
    #expect(peer.skew(from: 1) <= 20)
    #expect(peer.steps.lowerBound >= 13_000_000 && peer.steps.upperBound <= 20_100_000)
  }

  @Test(arguments: jumps)
  func soundThatIsReportedLateConvergesWithinSeconds(jump: Int64) {
    var peer = ReportingPeer()
    peer.run(seconds: 30) { second, isAudio in second >= 9 && isAudio ? jump : 0 }
    // What both media say agrees again where the skew is what the reports say it is.
    let late = peer.skews.filter { $0.time >= 19_000 }.map { abs($0.skew + jump) }.max() ?? 0
    #expect(late <= 20)
    #expect(peer.steps.lowerBound >= 13_000_000, "sound is compressed")
  }

  @Test(arguments: jumps)
  func mediaThatJumpTogetherStayTogether(jump: Int64) {
    var peer = ReportingPeer()
    peer.run(seconds: 30) { second, _ in second >= 9 ? jump : 0 }
    #expect(peer.skew(from: 1) <= 20)
  }

  @Test func aSenderThatReadsItsClocksUnevenlyIsFollowedSmoothly() {
    var generator = SeededGenerator(seed: 5)
    var peer = ReportingPeer()
    peer.run(seconds: 300) { _, _ in Int64(generator.next() % 16) - 8 }
    #expect(peer.skew(from: 1) <= 20)
    #expect(peer.steps.lowerBound >= 13_000_000 && peer.steps.upperBound <= 25_000_000)
  }

  @Test func clocksThatDriftApartAreFollowed() {
    var peer = ReportingPeer()
    // The sound's clock runs 200 ppm fast, which the reports say.
    peer.run(seconds: 600) { second, isAudio in isAudio ? second / 5 : 0 }
    let drifted = peer.skews.last.map { abs($0.skew + 600 / 5) } ?? 0
    #expect(drifted <= 5)
  }
}
