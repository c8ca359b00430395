import Foundation
import MediaCore
import OpusCodec
import RealtimeRuntime
import Locking
import Testing

@testable import MediaPipeline

/// Sends a tone's packets at the pace of the clock, without those in `lost`.
private func send(_ count: Int, to inbox: FrameInbox, lost: Set<Int> = []) throws {
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
      let header = EncodedFrameHeader(
        kind: .audio, timestamp: timestamp, duration: .milliseconds(20), isKeyFrame: true, number: UInt32(index))
      if !lost.contains(index) { inbox.push(header, payload: payload) }
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
    let playout = try AudioPlayout(speaker: .testNull)
    try playout.start()
    try send(60, to: playout.inbox)
    #expect(wait { playout.statistics.played + playout.statistics.leftOut >= 60 })
    playout.stop()
    #expect(playout.waitUntilIdle(timeout: .seconds(5)))
    #expect(playout.statistics.lateOrRefused == 0)
    #expect(playout.statistics.played >= 55)
  }

  @Test func bridgesLostPackets() throws {
    let playout = try AudioPlayout(speaker: .testNull)
    try playout.start()
    try send(60, to: playout.inbox, lost: [20, 30, 31, 45])
    #expect(wait { playout.statistics.played + playout.statistics.leftOut >= 56 })
    playout.stop()
    let statistics = playout.statistics
    #expect(statistics.recovered + statistics.concealed >= 4)
  }

  /// Twelve packets came while the card was being opened: the latest three are played, and the others not heard late.
  @Test func beginsWithTheLatest() throws {
    let playout = try AudioPlayout(speaker: .testNull)
    try send(12, to: playout.inbox)
    try playout.start()
    #expect(wait { playout.statistics.played + playout.statistics.leftOut >= 12 })
    playout.stop()
    #expect(playout.statistics.leftOut == 9)
    #expect(playout.statistics.played == 3)
  }

  @Test func doesNothingWithoutASpeaker() throws {
    let playout = try AudioPlayout(speaker: .none)
    try playout.start()
    try send(5, to: playout.inbox)
    #expect(playout.statistics == AudioPlayoutStatistics())
    #expect(!playout.inbox.audio.isEmpty)
  }

  @Test func tellsOnceThatTheCardIsAbsent() throws {
    let box = EventBox()
    let playout = try AudioPlayout(speaker: .device("hw:CARD=Absent")) { box.append($0) }
    try playout.start()
    #expect(wait { !box.events.isEmpty })
    MonotonicClock.sleep(until: MonotonicClock.now() + .milliseconds(400))
    playout.stop()
    #expect(playout.waitUntilIdle(timeout: .seconds(5)))
    #expect(box.events.count == 1)
    guard case .failed(let reason) = box.events.first else {
      Issue.record("no failure: \(box.events)")
      return
    }
    #expect(reason.contains("hw:CARD=Absent: snd_pcm_open"))
  }

  @Test func playsToACard() throws {
    let box = EventBox()
    let path = "/tmp/playout-\(UUID()).raw"
    defer { try? FileManager.default.removeItem(atPath: path) }
    // ALSA's file device takes samples as fast as they come, so the packets are all there at once.
    let device = "file:'\(path)',raw"
    let playout = try AudioPlayout(speaker: .device(device)) { box.append($0) }
    try playout.start()
    try send(20, to: playout.inbox)
    #expect(wait { playout.statistics.played + playout.statistics.leftOut >= 20 })
    playout.stop()
    #expect(playout.waitUntilIdle(timeout: .seconds(5)))
    #expect(box.events == [.opened(name: device)])
    let written = try #require(FileManager.default.contents(atPath: path))
    // All but what the resampler holds back.
    #expect(written.count >= (playout.statistics.played * 960 - 100) * 2)
  }
}

/// Collects events from the playout thread.
private final class EventBox: Sendable {
  private let list = Mutex<[AudioPlayoutEvent]>([])
  var events: [AudioPlayoutEvent] { list.withLock { $0 } }
  func append(_ event: AudioPlayoutEvent) { list.withLock { $0.append(event) } }
}
