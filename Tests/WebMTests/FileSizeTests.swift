import MediaCore
import TestSupport
import Testing
import WebM

/// Recordings whose files may not become as large as they would.
@Suite struct FileSizeTests {
  private struct Packet: Hashable {
    var kind: MediaKind
    /// On the timeline of all files.
    var milliseconds: Int64
    var byteCount: Int
  }

  private func packets(_ recording: Recording) throws -> [Packet] {
    var packets: [Packet] = []
    for file in recording.files {
      let offset = try #require(file.firstTimestamp) - MonotonicInstant(nanoseconds: Recording.origin)
      var source = MemorySource(file.bytes)
      var demuxer = try #require(WebMDemuxer(&source))
      let kinds = Dictionary(
        uniqueKeysWithValues: [MediaKind.video, .audio].compactMap { kind in
          demuxer.track(kind).map { ($0.number, kind) }
        })
      while let block = demuxer.next(&source) {
        let byteCount = demuxer.withPayload(of: block) { $0.byteCount }
        let kind = try #require(kinds[block.trackNumber])
        packets.append(
          Packet(kind: kind, milliseconds: block.milliseconds + offset.milliseconds, byteCount: byteCount))
      }
    }
    return packets
  }

  private func expected(_ kind: MediaKind, _ frames: [SampleFrame]) -> [Packet] {
    frames.map { Packet(kind: kind, milliseconds: $0.milliseconds, byteCount: $0.payload.count) }
  }

  private func expectAll(_ recording: Recording, _ video: [SampleFrame], _ audio: [SampleFrame]) throws {
    let packets = try packets(recording)
    #expect(packets.filter { $0.kind == .video } == expected(.video, video))
    #expect(packets.filter { $0.kind == .audio } == expected(.audio, audio))
    for (file, next) in zip(recording.files, recording.files.dropFirst()) {
      #expect(file.firstTimestamp.map { $0 + .milliseconds(file.durationMilliseconds) } == next.firstTimestamp)
    }
    for file in recording.files {
      var source = MemorySource(file.bytes)
      #expect(WebMScanner.scan(&source, depth: .full).findings == [])
      try withFile(file.bytes) { (path) throws in #expect(try MediaInspection.probeWarnings(path) == "") }
    }
    #expect(recording.writer.statistics.videoFrames == video.count)
    #expect(recording.writer.statistics.audioFrames == audio.count)
  }

  /// Known beforehand: between key frames, too, where none comes in time.
  @Test(arguments: [120_000, 150_000, 200_000, 300_000]) func filesKeepBelowAKnownLimit(limit: UInt64) throws {
    let (video, audio) = (try SampleMedia.video(), try SampleMedia.audio())
    let recording = Recording.ofSamples(video: video, audio: audio, maximumFileByteCount: limit)
    #expect(recording.files.count > 1)
    #expect(recording.files.allSatisfy { $0.bytes.count <= Int(limit) })
    try expectAll(recording, video, audio)
  }

  /// Found out when it is reached; later files keep below it.
  @Test(arguments: [120_000, 150_000, 200_000, 300_000]) func whatDoesNotFitBeginsTheNextFile(limit: Int) throws {
    let (video, audio) = (try SampleMedia.video(), try SampleMedia.audio())
    let recording = Recording.ofSamples(video: video, audio: audio, refusedByteCount: limit)
    #expect(recording.files.count > 1)
    try expectAll(recording, video, audio)
    #expect((recording.writer.maximumFileByteCount ?? .max) <= UInt64(limit))
  }

  @Test func soundAloneIsSplitToo() throws {
    let audio = try SampleMedia.audio()
    let recording = Recording.ofSamples(video: [], audio: audio, maximumFileByteCount: 80_000)
    #expect(recording.files.count > 1)
    try expectAll(recording, [], audio)
  }

  /// Nearly full, a file ends with the next key frame, so that each can be decoded from its beginning.
  @Test func aFileThatIsNearlyFullEndsAtAKeyFrame() throws {
    let (video, audio) = (try SampleMedia.video(), try SampleMedia.audio())
    let whole = Recording.ofSamples(video: video, audio: audio)
    let limit = UInt64(whole.bytes.count) * 9 / 10
    let recording = Recording.ofSamples(video: video, audio: audio, maximumFileByteCount: limit)
    #expect(recording.files.count == 2)
    for file in recording.files {
      try withFile(file.bytes) { (path) throws in #expect(try MediaInspection.decodeWarnings(path) == "") }
    }
    try expectAll(recording, video, audio)
  }

  @Test func aKeyFrameIsWantedWhereAFileBeginsWithoutOne() throws {
    let (video, audio) = (try SampleMedia.video(), try SampleMedia.audio())
    var recording = Recording()
    recording.refusedByteCount = 150_000
    var wanted = false
    var sounds = audio[...]
    for picture in video.enumerated() where picture.offset == 0 || !picture.element.isKeyFrame {
      while let sound = sounds.first, sound.milliseconds <= picture.element.milliseconds {
        recording.push(.audio, sound)
        sounds.removeFirst()
      }
      recording.push(.video, picture.element)
      wanted = wanted || recording.files.count > 1 && recording.writer.wantsKeyFrame
    }
    #expect(wanted)
  }

  /// A limit below the smallest file gains nothing by a next one.
  @Test func aFileThatTakesNoClusterHasNoNextOne() throws {
    var writer = WebMWriter()
    for sound in try SampleMedia.audio().prefix(100) {
      let header = EncodedFrameHeader(
        kind: .audio, timestamp: MonotonicInstant(nanoseconds: sound.milliseconds * 1_000_000),
        duration: .milliseconds(20), isKeyFrame: true, number: 0)
      writer.push(header, payload: sound.payload.span.bytes, now: MonotonicInstant(nanoseconds: 0))
    }
    let now = MonotonicInstant(nanoseconds: 2_000_000_000)
    // The header, and the first cluster.
    for _ in 0..<2 {
      #expect(writer.nextOutput(now: now) == .append)
      let isMoved = writer.moveClusterToNextFile()
      #expect(!isMoved)
    }
    #expect(writer.nextOutput(now: now) == .append)
    let isMoved = writer.moveClusterToNextFile()
    #expect(isMoved)
  }
}
