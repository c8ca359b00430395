import CTestSupport
import MediaCore
import TestSupport
import Testing
import WebM

@Suite struct AllocationTests {
  #if DEBUG
    // Unoptimised code allocates an iterator whenever it appends bytes to an array, and the like.
    private static let allowed = (perFrame: 2, perCluster: 6)
  #else
    private static let allowed = (perFrame: 0, perCluster: 0)
  #endif

  @Test(.enabled(if: callocation_count() >= 0, "allocations cannot be counted under a sanitizer"))
  func muxingAllocatesNothingAfterWarmUp() throws {
    let (video, audio) = (try SampleMedia.video(), try SampleMedia.audio())
    var writer = WebMWriter()
    let start = Recording.origin
    var before = callocation_count()
    var clustersBefore = 0
    for round in 0..<6 {
      if round == 2 { (before, clustersBefore) = (callocation_count(), writer.statistics.clusters) }
      let offset = start + Int64(round) * SampleMedia.duration * 1_000_000
      var sounds = 0
      for index in video.indices {
        while sounds < audio.count, audio[sounds].milliseconds <= video[index].milliseconds {
          mux(.audio, audio[sounds], offset, &writer)
          sounds += 1
        }
        mux(.video, video[index], offset, &writer)
      }
    }
    let frames = 4 * (video.count + audio.count)
    let clusters = writer.statistics.clusters - clustersBefore
    #expect(callocation_count() - before <= frames * Self.allowed.perFrame + clusters * Self.allowed.perCluster)
    #expect(writer.statistics.videoFrames > video.count * 5)
  }

  private func mux(_ kind: MediaKind, _ frame: SampleFrame, _ offset: Int64, _ writer: inout WebMWriter) {
    let now = MonotonicInstant(nanoseconds: offset + frame.milliseconds * 1_000_000)
    let header = EncodedFrameHeader(
      kind: kind, timestamp: now, duration: .milliseconds(20), isKeyFrame: frame.isKeyFrame, number: 0)
    writer.push(header, payload: frame.payload.span.bytes, now: now)
    while writer.nextOutput(now: now) != .nothing { writer.withOutput { _ in } }
  }
}
