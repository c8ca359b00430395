import Foundation
import MediaCore
import TestSupport
import Signalling
import Testing
import WebM

@testable import Archive

@Suite struct ArchiveRemuxerTests {
  /// Both parties, the caller 1,730 ms late; the device's stream in two segments if so wished.
  private func recorded(_ stage: RecordingStage, inSegments: Bool = false) async throws {
    let recorder = try stage.startRecorder(segmentDuration: inSegments ? .seconds(12) : nil)
    let device = try stage.addStream("device", to: recorder)
    try device.pushSamples()
    try stage.addStream("caller", to: recorder).pushSamples(startingAt: 1_730)
    if inSegments { try device.pushSamples(startingAt: 12_000) }
    #expect(await recorder.stop().status == .available)
  }

  private func joined(
    _ stage: RecordingStage, span: ArchiveSpan? = nil
  ) throws -> (path: String, problems: [String]) {
    let join = try ArchiveRemuxer(RecordingStage.id, in: stage.store, span: span)
    let path = stage.folder.path + "/joined.webm"
    var bytes: [UInt8] = []
    var progress: [Int64] = []
    try join.run { output, data in
      if case .write(let offset) = output {
        bytes.replaceSubrange(Int(offset)..<Int(offset) + data.byteCount, with: data.copiedToArray())
      } else {
        bytes += data.copiedToArray()
      }
    } onProgress: {
      progress.append($0)
    }
    #expect(progress == progress.sorted() && progress.count > (span == nil ? 3 : 0))
    try Data(bytes).write(to: URL(filePath: path))
    return (path, join.problems)
  }

  /// From the last key frame before on, of both parties, and no longer than asked for.
  @Test func aPartBeginsWithKeyFramesAndEndsInTime() async throws {
    let stage = try RecordingStage()
    try await recorded(stage)
    let (start, end): (Int64, Int64) = (5_000, 7_000)
    let (path, problems) = try joined(stage, span: ArchiveSpan(start: start, end: end))
    #expect(problems == [])
    #expect(try MediaInspection.decodeWarnings(path) == "")
    let keyFrames = try SampleMedia.video().filter(\.isKeyFrame).map(\.milliseconds)
    let begin = try #require(
      [keyFrames, keyFrames.map { $0 + 1_730 }].compactMap { $0.last { $0 <= start } }.min())
    let packets = try MediaInspection.packets(path)
    // Sound begins by Opus' delay earlier, of which nothing is played.
    let outside = packets.filter { !(-7..<end - begin).contains($0.milliseconds) }
    #expect(outside.isEmpty, "begins at \(begin): \(outside)")
    for stream in [0, 2] {
      let video = packets.filter { $0.stream == stream }
      #expect(video.first?.isKeyFrame == true)
      #expect((video.first?.milliseconds ?? .max) <= start - begin)
      #expect((video.last?.milliseconds ?? 0) > end - begin - 100)
    }
  }

  @Test func aPartyThatHadLeftBeginsNoPartEarly() async throws {
    let stage = try RecordingStage()
    let recorder = try stage.startRecorder()
    let device = try stage.addStream("device", to: recorder)
    try device.pushSamples()
    try stage.addStream("caller", to: recorder).pushSamples()
    try device.pushSamples(startingAt: 80_000)
    #expect(await recorder.stop().status == .available)
    let (path, problems) = try joined(stage, span: ArchiveSpan(start: 82_500, end: 84_000))
    #expect(problems == [])
    let video = try SampleMedia.video()
    let key = try #require(video.last { $0.isKeyFrame && $0.milliseconds <= 2_500 }?.milliseconds)
    let expected = video.map(\.milliseconds).filter { $0 >= key && $0 < 4_000 }.map { $0 - key }
    #expect(try MediaInspection.packets(path).filter { $0.stream == 0 }.map(\.milliseconds) == expected)
  }

  @Test func whatIsNoSpan() {
    #expect(ArchiveSpan(start: 0, end: 1) != nil)
    for (start, end) in [(-1, 5), (5, 5), (6, 5)] as [(Int64, Int64)] {
      #expect(ArchiveSpan(start: start, end: end) == nil)
    }
  }

  @Test func bothPartiesAreInSync() async throws {
    let stage = try RecordingStage()
    try await recorded(stage)
    let (path, problems) = try joined(stage)
    #expect(problems == [])
    #expect(try MediaInspection.probeWarnings(path) == "")
    #expect(try MediaInspection.decodeWarnings(path) == "")
    let identity = try MediaInspection.identify(path)
    #expect(identity.codecs == ["VP8", "Opus", "VP8", "Opus"])
    #expect(identity.warnings == [])
    let packets = try MediaInspection.packets(path)
    let (video, audio) = (try SampleMedia.video(), try SampleMedia.audio())
    #expect(packets.filter { $0.stream == 0 }.map(\.milliseconds) == video.map(\.milliseconds))
    #expect(packets.filter { $0.stream == 2 }.map(\.milliseconds) == video.map { $0.milliseconds + 1_730 })
    #expect(packets.filter { $0.stream == 1 }.count == audio.count)
    #expect(packets.filter { $0.stream == 3 }.map(\.byteCount) == audio.map(\.payload.count))
    let duration = try #require(try MediaInspection.duration(path))
    #expect(abs(duration - 13.73) < 0.05)
    let seek = try MediaInspection.firstPacket(path, seekingTo: 7)
    #expect(seek?.isKeyFrame == true)
  }

  @Test func segmentsFollowEachOtherWithoutAGap() async throws {
    let stage = try RecordingStage()
    try await recorded(stage, inSegments: true)
    let (path, problems) = try joined(stage)
    #expect(problems == [])
    #expect(try MediaInspection.decodeWarnings(path) == "")
    let packets = try MediaInspection.packets(path)
    let video = try SampleMedia.video()
    let times = packets.filter { $0.stream == 0 }.map(\.milliseconds)
    #expect(times == video.map(\.milliseconds) + video.map { $0.milliseconds + 12_000 })
    let audio = try SampleMedia.audio()
    #expect(packets.filter { $0.stream == 1 }.count == 2 * audio.count)
    #expect(packets.filter { $0.stream == 2 }.count == video.count)
  }

  @Test func damageIsLeftOutUpToTheNextKeyFrame() async throws {
    let stage = try RecordingStage()
    try await recorded(stage)
    let device = URL(filePath: try stage.path("device.webm"))
    var bytes = try Data(contentsOf: device)
    bytes[bytes.count / 2] ^= 0x10
    try bytes.write(to: device)
    try FileManager.default.removeItem(atPath: try stage.path("caller.webm"))
    let (path, problems) = try joined(stage)
    #expect(
      problems == [
        "caller.webm is missing", "device.webm: 1 damaged clusters and 0 unreadable bytes were left out",
      ])
    #expect(try MediaInspection.decodeWarnings(path) == "")
    let times = try MediaInspection.packets(path).filter { $0.stream == 0 }.map(\.milliseconds)
    let gap = zip(times, times.dropFirst()).map { $1 - $0 }.max() ?? 0
    #expect(gap > 300 && gap <= 2_800)
  }

  @Test func isRefusedWhileItIsRecordedOrTorn() async throws {
    let stage = try RecordingStage()
    let recorder = try stage.startRecorder()
    #expect(throws: ArchiveError.inUse(RecordingStage.id)) { try ArchiveRemuxer(RecordingStage.id, in: stage.store) }
    _ = await recorder.stop()
    #expect(throws: ArchiveError.noMedia(RecordingStage.id)) { try ArchiveRemuxer(RecordingStage.id, in: stage.store) }
    try stage.change { $0.status = .started }
    #expect(throws: ArchiveError.unfinished(RecordingStage.id)) {
      try ArchiveRemuxer(RecordingStage.id, in: stage.store)
    }
  }

  @Test func manifestsMayTellAnyTime() async throws {
    let stage = try RecordingStage()
    let recorder = try stage.startRecorder()
    try stage.addStream("device", to: recorder).pushSamples()
    #expect(await recorder.stop().status == .available)
    for offset in [Int64.min, Int64.max - 100] {
      try stage.change { manifest in
        for index in manifest.files.indices { manifest.files[index].startTimeOffset = offset }
      }
      let join = try ArchiveRemuxer(RecordingStage.id, in: stage.store)
      var last: Int64 = 0
      try join.run { _, _ in
      } onProgress: {
        last = $0
      }
      #expect((0...366 * 86_400_000).contains(last))
    }
  }

  @Test func nobodyDeletesItMeanwhile() async throws {
    let stage = try RecordingStage()
    try await recorded(stage)
    do {
      let join = try ArchiveRemuxer(RecordingStage.id, in: stage.store)
      let other = try ArchiveRemuxer(RecordingStage.id, in: stage.store)
      #expect(throws: ArchiveError.inUse(RecordingStage.id)) { try stage.store.delete(RecordingStage.id) }
      withExtendedLifetime((join, other)) {}
    }
    try stage.store.delete(RecordingStage.id)
  }

  @Test func singleTracksHaveNoGapsInTheirSound() async throws {
    let stage = try RecordingStage()
    try await recorded(stage)
    let join = try ArchiveRemuxer(RecordingStage.id, in: stage.store)
    let readers = join.makeTrackReaders()
    #expect(join.tracks.map(\.name) == ["device video", "device audio", "caller video", "caller audio"])
    for (track, reader) in zip(join.tracks, readers) {
      var bytes: [UInt8] = []
      while let more = reader.read() { bytes += more }
      let path = stage.folder.path + "/track.webm"
      try Data(bytes).write(to: URL(filePath: path))
      #expect(try MediaInspection.decodeWarnings(path) == "")
      let times = try MediaInspection.packets(path).map(\.milliseconds)
      #expect(times.first == (track.name == "caller video" ? 1_730 : times[0] < 0 ? times[0] : 0))
      if track.kind == .audio { #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 <= 31 }) }
    }
  }
}

extension RecordingStage {
  /// Rewrites the manifest.
  func change(_ body: (inout ArchiveManifest) -> Void) throws {
    var manifest = try store.manifest(Self.id)
    body(&manifest)
    try Data(try manifest.json()).write(to: URL(filePath: try path("archive.json")))
  }
}
