import MediaCore
import TestSupport
import Testing
import WebM

/// Files of one picture, of which nothing tells how long it lasts.
@Suite struct LoneFrameTests {
  @Test func whatThePowerCutLeavesOfAFileThatHadJustBegunHasADuration() throws {
    var recording = Recording()
    try recording.push(.video, #require(try SampleMedia.video().first))
    recording.store(now: MonotonicInstant(nanoseconds: Recording.origin) + .seconds(1))
    #expect(recording.clusterEnds.count == 1)
    let (bytes, scan) = repaired(recording.bytes)
    #expect(scan.durationMilliseconds == 33)
    try expectPlayable(bytes)
    #expect(repaired(bytes).bytes == bytes)
  }

  @Test func finishedFileOfAPictureWithoutDurationHasOne() throws {
    try expectPlayable(Self.finished().bytes)
    #expect(try Self.finished().writer.durationMilliseconds == 33)
  }

  /// Files that an earlier recovery completed with no duration.
  @Test func repairGivesADurationToACompleteFileThatHasNone() throws {
    var bytes = try Self.finished().bytes
    let duration = try #require(Self.offset(of: [0x44, 0x89, 0x88], in: bytes)) + 3
    bytes.replaceSubrange(duration..<duration + 8, with: [UInt8](repeating: 0, count: 8))
    try withFile(bytes) { (path) throws in #expect(try MediaInspection.duration(path) ?? 0 == 0) }
    let (mended, scan) = repaired(bytes)
    #expect(scan.findings == [.unfinished])
    try expectPlayable(mended)
  }

  @Test func joinedFileHasADuration() throws {
    var muxer = WebMMuxer(tracks: [
      WebMMuxedTrack(
        name: "device video", media: .video(WebMVideoTrack(width: 320, height: 240)), isDefault: true)
    ])
    let picture = try #require(try SampleMedia.video().first)
    muxer.push(track: 1, milliseconds: 0, isKeyFrame: true, payload: picture.payload.span.bytes)
    #expect(muxer.durationMilliseconds == 33)
  }

  private static func finished() throws -> Recording {
    var recording = Recording()
    let picture = try #require(try SampleMedia.video().first)
    let header = EncodedFrameHeader(
      kind: .video, timestamp: MonotonicInstant(nanoseconds: Recording.origin), duration: .zero, isKeyFrame: true,
      number: 0)
    recording.writer.push(
      header, payload: picture.payload.span.bytes, now: MonotonicInstant(nanoseconds: Recording.origin))
    recording.finish()
    return recording
  }

  private static func offset(of pattern: [UInt8], in bytes: [UInt8]) -> Int? {
    (0..<512).first { bytes[$0...].starts(with: pattern) }
  }

  private func expectPlayable(_ bytes: [UInt8]) throws {
    try withFile(bytes) { (path) throws in
      #expect(try MediaInspection.probeWarnings(path) == "")
      #expect(try MediaInspection.duration(path) == 0.033)
    }
  }
}
