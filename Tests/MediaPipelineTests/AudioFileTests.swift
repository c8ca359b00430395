import Foundation
import MediaCore
import MediaCodecs
import RealtimeRuntime
import Testing

@testable import MediaPipeline

@Suite(.serialized, .timeLimit(.minutes(1))) struct AudioFileTests {
  private func pipeline(_ path: String, _ bus: FrameBus) -> MediaPipeline {
    MediaPipeline(
      configuration: MediaPipelineConfiguration(cameras: [.none], microphone: .file(path: path, repeats: true)),
      bus: bus)
  }

  @Test func sendsAFilesSoundAtThePaceOfTheClock() throws {
    let tone = (0..<44_100).map { Int16(8_000 * sin(2 * .pi * 1_000 * Double($0) / 44_100)) }
    let file = try TemporaryWAV(rate: 44_100, samples: tone)
    let bus = FrameBus()
    let reader = try InboxReader(on: bus)
    let pipeline = pipeline(file.path, bus)
    try pipeline.start([.audio])
    #expect(reader.receive { $0.audio.count >= 75 })
    pipeline.stop([.audio])
    #expect(pipeline.waitUntilIdle(timeout: .seconds(5)))
    for (one, next) in zip(reader.audio, reader.audio.dropFirst()) {
      #expect(next.header.timestamp - one.header.timestamp == .milliseconds(20))
    }
    let samples = try decodedSound(reader.audio)
    let crossings = zip(samples[24_000..<67_200], samples[24_001...]).filter { ($0 < 0) != ($1 < 0) }.count
    #expect(abs(crossings - 1_800) <= 2)
  }

  @Test func tellsOnceThatAFileIsAbsentAndSendsSilence() async throws {
    let bus = FrameBus()
    let reader = try InboxReader(on: bus)
    var pipeline: MediaPipeline? = pipeline("/nowhere/clip.wav", bus)
    let events = pipeline!.events
    try pipeline!.start([.audio])
    #expect(reader.receive { $0.audio.count >= 120 })
    pipeline!.stop([.audio])
    #expect(pipeline!.waitUntilIdle(timeout: .seconds(5)))
    pipeline = nil
    var seen: [MediaPipelineEvent] = []
    for await event in events { seen.append(event) }
    #expect(
      seen == [
        .failed(.audio, reason: "/nowhere/clip.wav: open: No such file or directory"), .closed(.audio),
      ])
  }
}
