import CTestSupport
import MediaCore
import TestSupport
import RealtimeRuntime
import Testing
import WebM

@testable import Archive

@Suite struct AllocationTests {
  #if DEBUG
    // Unoptimised code allocates an iterator whenever it appends bytes to an array, and the like.
    private static let allowed = (perFrame: 6, perCluster: 20, perKeptFrame: 20)
  #else
    private static let allowed = (perFrame: 0, perCluster: 0, perKeptFrame: 0)
  #endif

  /// Frames into the inbox, out of it, muxed and written, a cluster's worth at a time, as the archive's thread does it.
  @Test(.enabled(if: callocation_count() >= 0, "allocations cannot be counted under a sanitizer"))
  func recordingAllocatesNothingAfterWarmUp() throws {
    let temporary = try TemporaryFolder(isInMemory: true)
    let folder = ArchiveFolder(id: RecordingStage.id, directory: try DirectoryHandle(path: temporary.path))
    let inbox = FrameInbox(audioBytes: 256 * 1024, videoBytes: 3 << 20, wake: try EventDescriptor())
    let stream = ArchiveStream(
      ArchiveStreamRequest(
        description: ArchiveStreamDescription(streamID: "device"), inbox: inbox, requestKeyFrame: {}),
      writer: WebMWriter())
    var syncs: [DiskSync] = []
    var before = 0
    var (frames, batches) = (0, 0)
    for round in 0..<6 {
      if round == 2 { (before, frames, batches) = (callocation_count(), 0, 0) }
      let start = RecordingStage.start + .milliseconds(Int64(round) * SampleMedia.duration)
      let (video, audio) = (try SampleMedia.video(), try SampleMedia.audio())
      var (pictures, sounds) = (0, 0)
      while pictures < video.count {
        for _ in 0..<min(24, video.count - pictures) {
          while sounds < 600, audio[sounds].milliseconds <= video[pictures].milliseconds {
            inbox.push(.audio, audio[sounds], number: round * 600 + sounds, start: start)
            sounds += 1
          }
          inbox.push(.video, video[pictures], number: round * video.count + pictures, start: start)
          pictures += 1
        }
        try stream.drain(in: folder)
        syncs.removeAll(keepingCapacity: true)
        stream.addPendingSyncs(to: &syncs)
        if let sync = syncs.first { try stream.noteSync(sync.perform()) }
        _ = stream.rest(now: start)
        batches += 1
      }
      frames += pictures + sounds
    }
    let count = callocation_count() - before
    #expect(count <= frames * Self.allowed.perFrame + batches * Self.allowed.perCluster)
    #expect(stream.statistics.videoFrames > 5 * 360)
    #expect(stream.statistics.droppedFrames == 0)
  }

  /// Frames go round and round through a history that is as full as it gets.
  @Test(.enabled(if: callocation_count() >= 0, "allocations cannot be counted under a sanitizer"))
  func preRollAllocatesNothingAfterWarmUp() throws {
    var history = FrameHistory(span: .seconds(5), byteLimit: 4 << 20)
    let video = try SampleMedia.video()
    var before = 0
    for round in 0..<8 {
      if round == 4 { before = callocation_count() }
      for (number, frame) in video.enumerated() {
        let time = RecordingStage.start + .milliseconds(frame.milliseconds + Int64(round) * SampleMedia.duration)
        let header = EncodedFrameHeader(
          kind: .video, timestamp: time, duration: .milliseconds(33), isKeyFrame: frame.isKeyFrame, number: 0)
        history.push(header, frame.payload.span.bytes)
        if number % 15 == 0 { history.trim() }
      }
    }
    let count = callocation_count() - before
    #expect(count <= 4 * video.count * Self.allowed.perKeptFrame)
  }
}
