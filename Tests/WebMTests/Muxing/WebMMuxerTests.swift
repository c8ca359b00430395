import MediaCore
import TestSupport
import Testing

@testable import WebM

/// A joined file in memory, or as it would have gone into a pipe.
struct JoinedFile {
  var joiner: WebMMuxer
  var bytes: [UInt8] = []
  var clusterByteCounts: [Int] = []

  init(_ tracks: [WebMMuxedTrack], title: String = "", creationDate: Int64? = nil) {
    joiner = WebMMuxer(tracks: tracks, title: title, creationDate: creationDate)
    store()
  }

  mutating func push(_ track: Int, _ frame: SampleFrame, shift: Int64 = 0) {
    push(track, frame.payload, at: frame.milliseconds + shift, isKeyFrame: frame.isKeyFrame)
  }

  mutating func push(_ track: Int, _ payload: [UInt8], at milliseconds: Int64, isKeyFrame: Bool = false) {
    joiner.push(
      track: track, milliseconds: milliseconds, isKeyFrame: isKeyFrame, payload: payload.span.bytes)
    store()
  }

  mutating func store() {
    while true {
      switch joiner.nextOutput() {
      case .nothing, .nextFile: return
      case .append: joiner.withOutput { bytes += $0.copiedToArray() }
      case .write(let offset):
        joiner.withOutput { patch in
          bytes.replaceSubrange(Int(offset)..<Int(offset) + patch.byteCount, with: patch.copiedToArray())
        }
      }
    }
  }

  mutating func finish() {
    joiner.finish()
    store()
  }

  static let tracks = [
    WebMMuxedTrack(
      name: "device video", media: .video(.init(width: SampleMedia.width, height: SampleMedia.height)), isDefault: true),
    WebMMuxedTrack(name: "device audio", media: .audio(.init(channels: 1)), isDefault: true),
    WebMMuxedTrack(name: "caller video", media: .video(.init(width: 640, height: 480)), isDefault: false),
    WebMMuxedTrack(name: "caller audio", media: .audio(.init(channels: 1)), isDefault: false),
  ]

  /// Four tracks: the samples, and the samples again, `shift` ms later.
  static func ofSamples(shift: Int64) throws -> JoinedFile {
    let (video, audio, larger) = (try SampleMedia.video(), try SampleMedia.audio(), try SampleMedia.largerVideo())
    var frames = video.map { (1, $0, Int64(0)) } + audio.map { (2, $0, Int64(0)) }
    frames += larger.map { (3, $0, shift) } + audio.map { (4, $0, shift) }
    frames.sort { ($0.1.milliseconds + $0.2, $0.0) < ($1.1.milliseconds + $1.2, $1.0) }
    var file = JoinedFile(tracks, title: "front door", creationDate: 0)
    for (track, frame, shift) in frames { file.push(track, frame, shift: shift) }
    file.finish()
    return file
  }
}

@Suite struct WebMMuxerTests {
  @Test func timesMayBeAny() {
    let video = WebMMuxedTrack(name: "v", media: .video(WebMVideoTrack(width: 640, height: 480)), isDefault: true)
    var file = JoinedFile([video])
    for time in [Int64.min, 0, .max, .max, .min] { file.push(1, [0, 0, 0], at: time, isKeyFrame: true) }
    file.joiner.finish()
    file.store()
    #expect(file.joiner.durationMilliseconds >= 1 << 47)
  }

  @Test func everyFrameComesBackWithItsShiftedTime() throws {
    let joined = try JoinedFile.ofSamples(shift: 1_234)
    let file = try #require(demuxed(joined.bytes))
    #expect(file.tracks.map(\.name) == ["device video", "device audio", "caller video", "caller audio"])
    #expect(file.tracks.map(\.isDefault) == [true, true, false, false])
    let video = try SampleMedia.video()
    #expect(file.frames.filter { $0.track == 1 }.map(\.payload) == video.map(\.payload))
    #expect(file.frames.filter { $0.track == 1 }.map(\.milliseconds) == video.map(\.milliseconds))
    let larger = try SampleMedia.largerVideo()
    #expect(file.frames.filter { $0.track == 3 }.map(\.milliseconds) == larger.map { $0.milliseconds + 1_234 })
    let audio = try SampleMedia.audio()
    #expect(file.frames.filter { $0.track == 4 }.map(\.payload) == audio.map(\.payload))
    #expect(file.damage.isEmpty)
  }

  @Test func otherProgramsHaveNothingToSay() throws {
    try withFile(try JoinedFile.ofSamples(shift: 500).bytes) { path in
      #expect(try MediaInspection.probeWarnings(path) == "")
      #expect(try MediaInspection.decodeWarnings(path) == "")
      let identity = try MediaInspection.identify(path)
      #expect(identity.isSupported)
      #expect(identity.codecs == ["VP8", "Opus", "VP8", "Opus"])
      #expect(identity.warnings == [])
    }
  }

  @Test func pipeWithoutTheLastOutputPlaysAsWell() throws {
    let whole = try JoinedFile.ofSamples(shift: 0)
    let head = JoinedFile(JoinedFile.tracks, title: "front door", creationDate: 0).bytes
    let warnings = try withFile(head + whole.bytes.dropFirst(head.count)) { try MediaInspection.decodeWarnings($0) }
    #expect(warnings == "")
  }

  @Test func clustersAreShortAndStartWithTheDevicesKeyFrames() throws {
    var file = JoinedFile([JoinedFile.tracks[1]])
    for frame in try SampleMedia.audio() { file.push(1, frame) }
    file.finish()
    let starts = file.clusterTimes
    #expect(starts == [0, 5_000, 10_000])
    let joined = try JoinedFile.ofSamples(shift: 300)
    #expect(joined.clusterTimes == [0, 2_000, 4_000, 6_000, 8_000, 10_000])
  }

  @Test func largeFramesMakeManyClusters() throws {
    var file = JoinedFile([JoinedFile.tracks[0]])
    let payload = [UInt8](repeating: 0x01, count: 3_000_000)
    for index in 0..<6 { file.push(1, payload, at: Int64(index)) }
    file.finish()
    #expect(file.clusterTimes.count == 6)
    #expect(demuxed(file.bytes)?.frames.count == 6)
  }

  @Test func timesOfATrackAlwaysGrow() throws {
    var file = JoinedFile([JoinedFile.tracks[1]])
    for milliseconds in [0, 20, 20, 19, 21, 60] as [Int64] { file.push(1, [0xF8], at: milliseconds) }
    file.finish()
    #expect(demuxed(file.bytes)?.frames.map(\.milliseconds) == [0, 20, 21, 22, 23, 60])
  }

  @Test func seekPointsOfVeryLongFilesAreThinnedOut() {
    var cues = MuxedCues(trackCount: 2)
    for second in 0..<200_000 {
      for track in 1...2 {
        cues.offer(.init(milliseconds: Int64(second) * 1_000, trackNumber: UInt8(track), clusterOffset: 1 << 40))
      }
    }
    #expect(cues.points.count <= MuxedCues.capacity)
    for track in 1...2 as ClosedRange<UInt8> {
      let times = cues.points.filter { $0.trackNumber == track }.map(\.milliseconds)
      #expect(times.count > 10_000)
      #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 && $1 - $0 <= 16_000 })
    }
    #expect(cues.points.map(\.milliseconds) == cues.points.map(\.milliseconds).sorted())
  }
}

extension JoinedFile {
  /// Where clusters start, in ms.
  var clusterTimes: [Int64] {
    var source = MemorySource(bytes)
    var window = ScanWindow()
    var offset = UInt64(MuxedHeader.segmentContentOffset)
    var times: [Int64] = []
    while let element = SegmentElement(&window, &source, at: offset, end: source.byteCount) {
      offset = element.end
      guard element.id == .cluster else { continue }
      window.load(&source, at: element.contentOffset, byteCount: Int(element.contentByteCount))
      var cursor = window.withBytes { ClusterCursor(checking: $0) }
      if let block = window.withBytes({ cursor?.next($0) }) { times.append(block.milliseconds) }
    }
    return times
  }
}
