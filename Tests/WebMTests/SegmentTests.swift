import MediaCore
import TestSupport
import Testing
import WebM

/// A recording in several files.
@Suite struct SegmentTests {
  private struct Packet: Hashable {
    var stream: Int
    var milliseconds: Int64
    var byteCount: Int
  }

  /// The packets of all files on one timeline, in the order of the files.
  private func packets(_ recording: Recording) throws -> [Packet] {
    let origin = MonotonicInstant(nanoseconds: Recording.origin)
    return try recording.files.flatMap { file in
      let offset = try #require(file.firstTimestamp) - origin
      return try withFile(file.bytes) { (path) throws in
        #expect(try MediaInspection.decodeWarnings(path) == "")
        let identity = try MediaInspection.identify(path)
        #expect(identity.warnings == [])
        return try MediaInspection.packets(path).map { packet in
          // Readers subtract the codec delay.
          let delay: Int64 = identity.codecs[packet.stream] == "Opus" ? 7 : 0
          return Packet(
            stream: delay == 0 ? 0 : 1, milliseconds: packet.milliseconds + delay + offset.milliseconds,
            byteCount: packet.byteCount)
        }
      }
    }
  }

  private func expected(_ kind: MediaKind, _ frames: [SampleFrame]) -> [Packet] {
    frames.map { Packet(stream: kind == .video ? 0 : 1, milliseconds: $0.milliseconds, byteCount: $0.payload.count) }
  }

  /// Each file ends where the next begins.
  private func expectSeamless(_ recording: Recording) {
    for (file, next) in zip(recording.files, recording.files.dropFirst()) {
      let end = file.firstTimestamp.map { $0 + .milliseconds(file.durationMilliseconds) }
      #expect(end == next.firstTimestamp)
    }
  }

  @Test func filesBeginWithKeyFramesAndLoseNothing() throws {
    let (video, audio) = (try SampleMedia.video(), try SampleMedia.audio())
    // Key frames come every 2 s.
    let recording = Recording.ofSamples(video: video, audio: audio, segmentDuration: .seconds(3))
    #expect(recording.files.map(\.durationMilliseconds).prefix(2) == [4_000, 4_000])
    #expect(recording.files.count == 3)
    expectSeamless(recording)
    let packets = try packets(recording)
    #expect(packets.filter { $0.stream == 0 } == expected(.video, video))
    #expect(packets.filter { $0.stream == 1 } == expected(.audio, audio))
    #expect(packets.map(\.milliseconds) == packets.map(\.milliseconds).sorted())
  }

  @Test func soundThatComesLateIsSplitAtTheKeyFrameAllTheSame() throws {
    let video = try SampleMedia.video()
    var sounds = try SampleMedia.audio()[...]
    var recording = Recording(segmentDuration: .seconds(2))
    for picture in video {
      recording.push(.video, picture)
      while let sound = sounds.first, sound.milliseconds <= picture.milliseconds - 140 {
        recording.push(.audio, sound, now: picture.milliseconds)
        sounds = sounds.dropFirst()
      }
    }
    for sound in sounds { recording.push(.audio, sound, now: 12_140) }
    recording.finish()
    #expect(recording.files.count == 6)
    expectSeamless(recording)
    let packets = try packets(recording)
    #expect(packets.map(\.milliseconds) == packets.map(\.milliseconds).sorted())
    #expect(try packets.filter { $0.stream == 1 } == expected(.audio, SampleMedia.audio()))
  }

  @Test func soundAloneIsSplitAtAPacket() throws {
    let audio = try SampleMedia.audio()
    let recording = Recording.ofSamples(video: [], audio: audio, segmentDuration: .milliseconds(2_990))
    #expect(recording.files.map(\.durationMilliseconds).prefix(4) == [3_000, 3_000, 3_000, 3_000])
    expectSeamless(recording)
    #expect(try packets(recording) == expected(.audio, audio))
  }

  /// The camera is off for half a minute: files end without it, and it is in the last one again.
  @Test func picturesThatStayAwayDoNotHoldUpTheNextFile() throws {
    let (video, audio) = (try SampleMedia.video(), try SampleMedia.audio())
    var recording = Recording(segmentDuration: .seconds(5))
    for round in 0..<4 {
      for sound in audio {
        recording.push(.audio, sound.delayed(by: Int64(round) * SampleMedia.duration))
        for picture in video where round % 3 == 0 && picture.milliseconds / 20 == sound.milliseconds / 20 {
          recording.push(.video, picture.delayed(by: Int64(round) * SampleMedia.duration))
        }
      }
    }
    recording.finish()
    expectSeamless(recording)
    let packets = try packets(recording)
    #expect(packets.filter { $0.stream == 0 }.count == 2 * video.count)
    #expect(packets.filter { $0.stream == 1 }.count == 4 * audio.count)
    #expect(recording.files.count >= 6)
    #expect(recording.files.dropLast().allSatisfy { (5_000..<18_000).contains($0.durationMilliseconds) })
  }

  @Test func eachFileSaysItsOwnPictureSizeAndDate() throws {
    let date: Int64 = 800_000_000_000_000_000
    var recording = Recording(segmentDuration: .seconds(12), timelineDate: date)
    for frame in try SampleMedia.video() { recording.push(.video, frame) }
    for frame in try SampleMedia.largerVideo() { recording.push(.video, frame.delayed(by: SampleMedia.duration)) }
    recording.finish()
    let headers = recording.files.map { WebMHeader(parsing: $0.bytes.span.bytes) }
    #expect(headers.map(\.?.video) == [.init(width: 320, height: 240), .init(width: 640, height: 480)])
    let start = date + Recording.origin
    #expect(headers.map(\.?.creationDate) == [start, start + 12_000_000_000])
  }

  @Test func dateThatBecomesKnownIsWrittenAtTheEnd() throws {
    var recording = Recording()
    for frame in try SampleMedia.audio() { recording.push(.audio, frame) }
    recording.writer.timelineDate = 1_000
    recording.finish()
    #expect(WebMHeader(parsing: recording.bytes.span.bytes)?.creationDate == 1_000 + Recording.origin)
  }

  @Test func asksForAKeyFrameWhenOneIsMissing() throws {
    let video = try SampleMedia.video()
    let keys = video.indices.filter { video[$0].isKeyFrame }
    var recording = Recording(segmentDuration: .seconds(1))
    var wishes: [Int64] = []
    for frame in video[..<keys[2]] {
      recording.push(.video, frame)
      if recording.writer.wantsKeyFrame { wishes.append(frame.milliseconds) }
    }
    #expect(try #require(wishes.first) < 1_040)
    #expect(wishes.allSatisfy { !(2_000..<2_966).contains($0) })
  }
}
