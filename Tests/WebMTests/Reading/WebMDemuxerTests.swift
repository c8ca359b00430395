import MediaCore
import TestSupport
import Testing

@testable import WebM

/// A frame as a demuxer gave it.
struct ReadFrame: Hashable {
  var track: UInt8
  var milliseconds: Int64
  var isKeyFrame: Bool
  var payload: [UInt8]
}

/// Everything that a file holds; `nil` if it is not read at all.
func demuxed(_ bytes: [UInt8]) -> (tracks: [WebMTrackEntry], frames: [ReadFrame], damage: WebMDamage)? {
  var source = MemorySource(bytes)
  guard var demuxer = WebMDemuxer(&source) else { return nil }
  var frames: [ReadFrame] = []
  while let block = demuxer.next(&source) {
    let payload = demuxer.withPayload(of: block) { $0.copiedToArray() }
    frames.append(
      ReadFrame(
        track: block.trackNumber, milliseconds: block.milliseconds, isKeyFrame: block.isKeyFrame, payload: payload))
  }
  return (demuxer.tracks, frames, demuxer.damage)
}

@Suite struct WebMDemuxerTests {
  @Test func givesBackWhatWasRecorded() throws {
    let recording = try Recording.ofSamples()
    let file = try #require(demuxed(recording.bytes))
    #expect(file.tracks.map(\.codec) == ["V_VP8", "A_OPUS"])
    #expect(file.tracks.map(\.kind) == [.video, .audio])
    #expect(file.tracks[0].media == .video(WebMVideoTrack(width: SampleMedia.width, height: SampleMedia.height)))
    #expect(file.tracks[1].media == .audio(WebMAudioTrack(channels: 1)))
    #expect(file.damage.isEmpty)
    let video = try SampleMedia.video()
    let pictures = file.frames.filter { $0.track == 1 }
    #expect(pictures.map(\.payload) == video.map(\.payload))
    #expect(pictures.map(\.isKeyFrame) == video.map(\.isKeyFrame))
    #expect(pictures.map(\.milliseconds) == video.map(\.milliseconds))
    let sound = file.frames.filter { $0.track == 2 }.map(\.payload)
    #expect(try sound == SampleMedia.audio().map(\.payload))
  }

  @Test func readsAFileThatWasNeverFinished() throws {
    let recording = try Recording.ofSamples(isFinished: false)
    let file = try #require(demuxed(recording.bytes))
    #expect(file.damage.isEmpty)
    #expect(!file.frames.isEmpty)
  }

  @Test func cutFileGivesItsWholeClusters() throws {
    let recording = try Recording.ofSamples(isFinished: false)
    let ends = recording.clusterEnds
    let whole = try #require(demuxed(Array(recording.bytes.prefix(ends[3]))))
    let torn = try #require(demuxed(Array(recording.bytes.prefix(ends[4] - 1))))
    #expect(torn.frames == whole.frames)
    #expect(torn.damage == WebMDamage(clusters: 0, unreadableBytes: UInt64(ends[4] - 1 - ends[3])))
  }

  @Test func damagedClusterIsLeftOut() throws {
    let recording = try Recording.ofSamples()
    var bytes = recording.bytes
    bytes[recording.clusterEnds[2] - 1] ^= 0x40
    let good = try #require(demuxed(recording.bytes))
    let file = try #require(demuxed(bytes))
    #expect(file.damage == WebMDamage(clusters: 1, unreadableBytes: 0))
    #expect(file.frames.count < good.frames.count)
    #expect(Set(file.frames).isSubset(of: good.frames))
  }

  @Test func voidBetweenClustersIsPassedOver() throws {
    let recording = try Recording.ofSamples(isFinished: false)
    var void = EBMLWriter(capacity: 32)
    void.writeVoid(total: 32)
    var bytes = recording.bytes
    bytes.insert(contentsOf: void.bytes, at: recording.clusterEnds[1])
    #expect(demuxed(bytes)?.frames == demuxed(recording.bytes)?.frames)
  }

  @Test(arguments: [0, 1, 1_999, 2_000, 7_300, 11_900, 90_000] as [Int64])
  func seekingStandsBeforeTheLastKeyFrame(milliseconds: Int64) throws {
    let recording = try Recording.ofSamples()
    var source = MemorySource(recording.bytes)
    var demuxer = try #require(WebMDemuxer(&source))
    demuxer.seek(&source, to: milliseconds, track: 1)
    var first: WebMBlock?
    while let block = demuxer.next(&source), first == nil { first = block.trackNumber == 1 ? block : nil }
    let expected = try SampleMedia.video().last { $0.isKeyFrame && $0.milliseconds <= milliseconds }
    #expect(first?.isKeyFrame == true)
    #expect(first?.milliseconds == expected?.milliseconds)
  }

  @Test func beforeTheFirstClusterIsItsBeginning() throws {
    let recording = try Recording.ofSamples()
    let whole = try #require(demuxed(recording.bytes))
    var source = MemorySource(recording.bytes)
    var demuxer = try #require(WebMDemuxer(&source))
    demuxer.seek(&source, to: -1, track: 1)
    var count = 0
    while demuxer.next(&source) != nil { count += 1 }
    #expect(count == whole.frames.count && demuxer.damage.isEmpty)
    // There is nothing behind the end, either.
    #expect(demuxer.next(&source) == nil && demuxer.damage.isEmpty)
  }

  /// Each cluster once for itself, and at most once behind the one before it.
  @Test func aKeyFrameThatIsNotThereIsNotSoughtRepeatedly() throws {
    let recording = try Recording.ofSamples()
    var source = MemorySource(recording.bytes)
    var demuxer = try #require(WebMDemuxer(&source))
    demuxer.seek(&source, to: 90_000, track: 9)
    #expect(source.bytesRead <= recording.bytes.count * 5 / 2)
    #expect(demuxer.damage.isEmpty)
    #expect(demuxer.next(&source)?.milliseconds == 0)
  }

  @Test(arguments: ["", "RIFF", "\u{1A}E"]) func otherFilesAreRefused(text: String) {
    #expect(demuxed(Array(text.utf8)) == nil)
  }

  @Test func everyCutGivesWhatLiesBeforeIt() throws {
    let recording = try Recording.ofSamples()
    let bytes = Array(recording.bytes.prefix(40_000))
    let whole = try #require(demuxed(bytes))
    for count in stride(from: 0, to: bytes.count, by: 97) {
      guard let file = demuxed(Array(bytes.prefix(count))) else {
        #expect(count < recording.clusterEnds[0], "\(count) bytes")
        continue
      }
      #expect(whole.frames.starts(with: file.frames), "\(count) bytes")
      #expect(file.frames.isEmpty == (count < recording.clusterEnds[0]), "\(count) bytes")
    }
  }

  @Test func brokenBytesMakeNoFrames() throws {
    let bytes = Array(try Recording.ofSamples().bytes.prefix(40_000))
    let good = Set(try #require(demuxed(bytes)).frames.map(\.payload))
    var random = SeededGenerator(seed: 7)
    var damaged = 0
    for _ in 0..<300 {
      var broken = bytes
      for _ in 0..<4 { broken[Int.random(in: 0..<broken.count, using: &random)] = .random(in: 0...255, using: &random) }
      guard let file = demuxed(broken) else { continue }
      #expect(good.isSuperset(of: file.frames.map(\.payload)))
      if !file.damage.isEmpty { damaged += 1 }
    }
    #expect(damaged > 200)
  }
}
