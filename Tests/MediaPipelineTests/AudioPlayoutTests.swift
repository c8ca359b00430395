import Foundation
import MediaCore
import MediaCodecs
import RealtimeRuntime
import SystemSupport
import Testing

@testable import MediaPipeline

/// Sends a tone's packets at the pace of the clock, without those in `lost`.
private func send(_ count: Int, to talker: PlayoutSource, lost: Set<Int> = []) throws {
  var encoder = try OpusEncoder(OpusEncoderSettings(expectedLoss: 20))
  var tone = ToneGenerator(frequency: 440)
  var samples = [Int16](repeating: 0, count: 960)
  let start = MonotonicClock.now()
  for index in 0..<count {
    var span = samples.mutableSpan
    tone.fill(&span, channels: 1)
    let timestamp = start + .milliseconds(20) * Int64(index)
    MonotonicClock.sleep(until: timestamp)
    try encoder.encode(samples.span) { payload in
      let arrival = SoundArrival(
        instant: MonotonicClock.now(), timestamp: UInt32(960 * index), sequenceNumber: UInt16(index))
      if !lost.contains(index) { talker.received.push(arrival, payload: payload) }
    }
  }
}

private func wait(until isDone: () -> Bool) -> Bool {
  let end = MonotonicClock.now() + .seconds(10)
  while !isDone() {
    guard MonotonicClock.now() < end else { return false }
    MonotonicClock.sleep(until: MonotonicClock.now() + .milliseconds(10))
  }
  return true
}

@Suite(.serialized) struct AudioPlayoutTests {
  @Test func playsEveryPacketOfASteadyStream() throws {
    let playout = AudioPlayout(speaker: .testNull)
    try send(60, to: try playout.addTalker())
    #expect(wait { playout.statistics.played + playout.statistics.skipped >= 60 })
    playout.stop()
    #expect(playout.waitUntilIdle(timeout: .seconds(5)))
    #expect(playout.statistics.late == 0)
    #expect(playout.statistics.played >= 55)
  }

  @Test func bridgesLostPackets() throws {
    let playout = AudioPlayout(speaker: .testNull)
    try send(60, to: try playout.addTalker(), lost: [20, 30, 31, 45])
    #expect(wait { playout.statistics.played + playout.statistics.skipped >= 56 })
    playout.stop()
    let statistics = playout.statistics
    #expect(statistics.recovered + statistics.concealed >= .milliseconds(60))
  }

  /// Twelve packets came while the card was being opened: the latest are played, and the others not heard late.
  @Test func beginsWithTheLatest() throws {
    let playout = AudioPlayout(speaker: .testNull)
    let talker = PlayoutSource()
    try send(12, to: talker)
    try playout.add(talker)
    #expect(wait { playout.statistics.played + playout.statistics.skipped >= 12 })
    playout.stop()
    #expect(playout.statistics.skipped >= 8)
    #expect(playout.statistics.played >= 2)
  }

  @Test func doesNothingWithoutASpeaker() throws {
    let playout = AudioPlayout(speaker: .none)
    let talker = try playout.addTalker()
    try send(5, to: talker)
    #expect(playout.statistics == AudioPlayoutStatistics())
    #expect(!talker.received.isEmpty)
  }

  @Test func closesTheCardWhenNobodyIsHeardAndOpensItAgain() throws {
    let box = EventBox()
    let path = "/tmp/playout-\(UUID()).raw"
    defer { try? FileManager.default.removeItem(atPath: path) }
    let device = "file:'\(path)',raw"
    let playout = AudioPlayout(speaker: .device(device)) { box.append($0) }
    for _ in 0..<2 {
      let talkers = [try playout.addTalker(), try playout.addTalker()]
      #expect(wait { box.events.last == .opened(name: device) })
      playout.remove(talkers[0])
      playout.remove(talkers[1])
      #expect(wait { box.events.last == .closed })
    }
    #expect(box.events == [.opened(name: device), .closed, .opened(name: device), .closed])
    #expect(playout.waitUntilIdle(timeout: .seconds(5)))
  }

  @Test func closesTheCardAfterASignal() throws {
    let box = EventBox()
    let path = "/tmp/playout-\(UUID()).raw"
    defer { try? FileManager.default.removeItem(atPath: path) }
    let device = "file:'\(path)',raw"
    let playout = AudioPlayout(speaker: .device(device)) { box.append($0) }
    try playout.announce(.callBegins)
    #expect(wait { box.events.last == .closed })
    let written = try #require(FileManager.default.contents(atPath: path))
    // Two tones of 0.2 s.
    #expect((38_400...42_240).contains(written.count))
  }

  /// What a playout writes in so much time while a ring is set, and how much more once it has ended.
  @Test func ringsAgainAndAgainUntilItIsEnded() throws {
    let path = "/tmp/playout-\(UUID()).raw"
    defer { try? FileManager.default.removeItem(atPath: path) }
    let box = EventBox()
    let playout = AudioPlayout(speaker: .device("file:'\(path)',raw"), clipGain: 0.5) { box.append($0) }
    try playout.setRing(.ring)
    // Two strokes take a second, the pause after them two.
    MonotonicClock.sleep(until: MonotonicClock.now() + .milliseconds(3_600))
    try playout.setRing(nil)
    #expect(wait { box.events.last == .closed })
    let written = try #require(FileManager.default.contents(atPath: path))
    let samples = written.withUnsafeBytes { Array($0.bindMemory(to: Int16.self)) }
    let strokes = stride(from: 0, to: samples.count - 4_800, by: 4_800).map { start in
      samples[start..<start + 4_800].contains { abs(Int($0)) > 1_000 }
    }
    #expect(strokes.prefix(10).allSatisfy(\.self) && !strokes[10..<29].contains(true) && strokes[31])
    #expect(samples.allSatisfy { abs(Int($0)) < 3_500 })
  }

  @Test func tellsOnceThatTheCardIsAbsent() throws {
    let box = EventBox()
    let playout = AudioPlayout(speaker: .device("hw:CARD=Absent")) { box.append($0) }
    _ = try playout.addTalker()
    #expect(wait { !box.events.isEmpty })
    MonotonicClock.sleep(until: MonotonicClock.now() + .milliseconds(400))
    #expect(box.events.count == 1)
    playout.stop()
    #expect(playout.waitUntilIdle(timeout: .seconds(5)))
    guard case .failed(let reason) = box.events.first else {
      Issue.record("no failure: \(box.events)")
      return
    }
    #expect(reason.contains("hw:CARD=Absent: snd_pcm_open"))
  }

  @Test func mixesTwoTalkersIntoOneStream() throws {
    let path = "/tmp/playout-\(UUID()).raw"
    defer { try? FileManager.default.removeItem(atPath: path) }
    let playout = AudioPlayout(speaker: .device("file:'\(path)',raw"))
    let talkers = [try playout.addTalker(), try playout.addTalker()]
    let threads = talkers.map { talker in
      let thread = Thread { try? send(50, to: talker) }
      thread.start()
      return thread
    }
    #expect(wait { playout.statistics.played + playout.statistics.skipped >= 100 })
    #expect(wait { threads.allSatisfy(\.isFinished) })
    playout.stop()
    #expect(playout.waitUntilIdle(timeout: .seconds(5)))
    let written = try #require(FileManager.default.contents(atPath: path))
    let samples = written.withUnsafeBytes { Array($0.bindMemory(to: Int16.self)) }
    // One tone has a quarter of full scale, and two of the same frequency between none and a half; Opus overshoots.
    #expect(samples.contains { abs(Int($0)) > 8_800 })
    #expect(samples.allSatisfy { abs(Int($0)) < 20_000 })
    #expect(playout.statistics.played >= 80)
  }
}

/// Collects events from the playout thread.
private final class EventBox: Sendable {
  private let list = Mutex<[AudioPlayoutEvent]>([])
  var events: [AudioPlayoutEvent] { list.withLock { $0 } }
  func append(_ event: AudioPlayoutEvent) { list.withLock { $0.append(event) } }
}
