import Foundation
import MediaCore
import MediaCodecs
import RealtimeRuntime
import Testing

@testable import MediaPipeline

private func configuration(
  camera: VideoSourceSelection = .testBars, microphone: AudioSourceSelection = .testTone(frequency: 1_000)
) -> MediaPipelineConfiguration {
  MediaPipelineConfiguration(
    cameras: [camera], microphone: microphone, width: 320, height: 180, frameRate: 30, videoBitrate: .kilobits(300))
}

/// The marks read from each decoded frame.
private func decodedCodes(_ frames: [ReceivedFrame]) throws -> [FrameCode?] {
  var decoder = try VP8Decoder()
  var codes: [FrameCode?] = []
  for frame in frames { try decoder.decode(frame.payload.span.bytes) { codes.append(FrameCode.read($0)) } }
  return codes
}

@Suite(.serialized) struct MediaPipelineTests {
  @Test func deliversBarsAndToneInOrderAndOnTime() throws {
    let bus = FrameBus()
    let reader = try InboxReader(on: bus)
    let pipeline = MediaPipeline(configuration: configuration(), bus: bus)
    try pipeline.start([.audio, .video])
    #expect(pipeline.running == [.audio, .video])
    #expect(reader.receive { $0.video.count >= 60 && $0.audio.count >= 100 })
    pipeline.stop([.audio, .video])
    #expect(pipeline.waitUntilIdle(timeout: .seconds(5)))
    #expect(pipeline.running.isEmpty)
    checkVideo(reader.video)
    checkAudio(reader.audio)
    let codes = try decodedCodes(reader.video)
    #expect(codes.count == reader.video.count)
    for (frame, code) in zip(reader.video, codes) {
      let milliseconds = UInt32(truncatingIfNeeded: frame.header.timestamp.nanoseconds / 1_000_000) & 0xFF_FFFF
      #expect(code?.milliseconds == milliseconds)
    }
    #expect(pipeline.statistics.framesEncoded >= 60)
    #expect(pipeline.statistics.packetsEncoded >= 100)
  }

  private func checkVideo(_ frames: [ReceivedFrame]) {
    let headers = frames.map(\.header)
    #expect(headers.map(\.number) == Array(0..<UInt32(headers.count)))
    #expect(headers.first?.isKeyFrame == true)
    #expect(headers.allSatisfy { $0.kind == .video && $0.width == 320 && $0.height == 180 })
    // Pictures that the rate control leaves out make whole multiples.
    for (one, next) in zip(headers, headers.dropFirst()) {
      let intervals = (next.timestamp - one.timestamp).seconds * 30
      #expect(intervals > 0.9 && abs(intervals - intervals.rounded()) < 0.001)
    }
  }

  private func checkAudio(_ frames: [ReceivedFrame]) {
    let headers = frames.map(\.header)
    #expect(headers.map(\.number) == Array(0..<UInt32(headers.count)))
    #expect(headers.allSatisfy { $0.kind == .audio && $0.isKeyFrame && $0.duration == .milliseconds(20) })
    for (one, next) in zip(headers, headers.dropFirst()) {
      #expect((next.timestamp - one.timestamp).nanoseconds == 20_000_000)
    }
  }

  @Test func keepsTheTone() throws {
    let bus = FrameBus()
    let reader = try InboxReader(on: bus)
    let pipeline = MediaPipeline(configuration: configuration(), bus: bus)
    try pipeline.start([.audio])
    #expect(reader.receive { $0.audio.count >= 50 })
    pipeline.setMuted(true, .audio)
    let before = reader.audio.count
    #expect(reader.receive { $0.audio.count >= before + 25 })
    pipeline.stop([.audio])
    let samples = try decodedSound(reader.audio)
    #expect(crossings(samples[24_000..<38_400]) == 600)
    #expect(samples[(samples.count - 4_800)...].allSatisfy { abs(Int($0)) < 100 })
  }

  /// Changes of sign: two a period.
  private func crossings(_ samples: ArraySlice<Int16>) -> Int {
    zip(samples, samples.dropFirst()).filter { ($0 < 0) != ($1 < 0) }.count
  }

  @Test func sendsKeyFramesOnRequestButNoMoreThanTwoASecond() throws {
    let bus = FrameBus()
    let reader = try InboxReader(on: bus)
    let pipeline = MediaPipeline(configuration: configuration(), bus: bus)
    try pipeline.start([.video])
    #expect(reader.receive { $0.video.count >= 20 })
    pipeline.requestKeyFrame()
    let requested = reader.video.count
    #expect(reader.receive { $0.video.count >= requested + 4 })
    #expect(reader.video[requested...].contains { $0.header.isKeyFrame })
    let before = reader.video.count
    #expect(
      reader.receive { reader in
        pipeline.requestKeyFrame()
        return reader.video.count >= before + 60
      })
    pipeline.stop([.video])
    let keys = reader.video.filter(\.header.isKeyFrame).map(\.header.timestamp)
    for (first, third) in zip(keys, keys.dropFirst(2)) { #expect(third - first >= .milliseconds(999)) }
    #expect(keys.count >= 4)
  }

  @Test func countsOnWhenStartedAgain() throws {
    let bus = FrameBus()
    let reader = try InboxReader(on: bus)
    let pipeline = MediaPipeline(configuration: configuration(), bus: bus)
    for round in 1...3 {
      try pipeline.start([.audio, .video])
      #expect(reader.receive { $0.video.count >= 5 * round && $0.audio.count >= 5 * round })
      pipeline.stop([.audio, .video])
      #expect(pipeline.waitUntilIdle(timeout: .seconds(5)))
      #expect(reader.receive { $0.inbox.video.isEmpty && $0.inbox.audio.isEmpty })
    }
    #expect(reader.video.map(\.header.number) == Array(0..<UInt32(reader.video.count)))
    #expect(reader.audio.map(\.header.number) == Array(0..<UInt32(reader.audio.count)))
    #expect(zip(reader.video, reader.video.dropFirst()).allSatisfy { $0.header.timestamp < $1.header.timestamp })
  }

  @Test func encodesNothingForNobody() throws {
    let bus = FrameBus()
    let pipeline = MediaPipeline(configuration: configuration(), bus: bus)
    try pipeline.start([.video])
    let end = MonotonicClock.now() + .seconds(10)
    while pipeline.statistics.framesCaptured < 5, MonotonicClock.now() < end {
      MonotonicClock.sleep(until: MonotonicClock.now() + .milliseconds(20))
    }
    #expect(pipeline.statistics.framesEncoded == 0)
    let reader = try InboxReader(on: bus)
    #expect(reader.receive { $0.video.count >= 1 })
    #expect(reader.video[0].header.isKeyFrame)
    pipeline.stop([.video])
  }
}
