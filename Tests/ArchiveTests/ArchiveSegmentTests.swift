import Foundation
import MediaCore
import TestSupport
import RealtimeRuntime
import Signalling
import Testing

@testable import Archive

@Suite(.timeLimit(.minutes(3))) struct ArchiveSegmentTests {
  @Test func streamsAreSplitEachAtItsOwnKeyFrames() async throws {
    let stage = try RecordingStage()
    let recorder = try stage.startRecorder(segmentDuration: .seconds(5))
    try stage.addStream("publisher", to: recorder).pushSamples(startingAt: 40)
    try stage.addStream("caller", to: recorder, hasVideo: false).pushSamples(startingAt: 1_000, hasVideo: false)
    let manifest = await recorder.stop()
    #expect(
      manifest.files.map(\.filename) == [
        "publisher.webm", "publisher-0002.webm", "caller.webm", "caller-0002.webm", "caller-0003.webm",
      ])
    #expect(manifest.files.map(\.streamId) == ["publisher", "publisher", "caller", "caller", "caller"])
    #expect(manifest.files.map(\.startTimeOffset) == [40, 6_040, 1_000, 6_000, 11_000])
    #expect(manifest.files.map(\.stopTimeOffset).prefix(4) == [6_040, 12_060, 6_000, 11_000])
    #expect(manifest.files.map(\.videoType) == ["camera", "camera", nil, nil, nil])
    #expect(manifest.size == recorder.statistics.byteCount)
    #expect(try stage.store.manifest(RecordingStage.id) == manifest)
    #expect(try stage.store.verify(RecordingStage.id) == [])
    for file in manifest.files { #expect(try MediaInspection.decodeWarnings(stage.path(file.filename)) == "") }
  }

  /// A power cut after the third file was begun: the first two are not even opened.
  @Test func recoveryRepairsOnlyWhatWasNotComplete() async throws {
    let stage = try RecordingStage()
    let recorder = try stage.startRecorder(segmentDuration: .seconds(4))
    try stage.addStream("publisher", to: recorder).pushSamples()
    // A file is completed while the next one is written already.
    var running = try stage.store.manifest(RecordingStage.id)
    for _ in 0..<1_000 where running.files.map({ $0.size > 0 }) != [true, true, false] {
      try await Task.sleep(for: .milliseconds(10))
      running = try stage.store.manifest(RecordingStage.id)
    }
    #expect(running.files.map { $0.size > 0 } == [true, true, false])
    let finished = await recorder.stop()
    #expect(finished.files.prefix(2) == running.files.prefix(2))
    try running.json().write(to: URL(fileURLWithPath: try stage.path("archive.json")))
    let first = URL(fileURLWithPath: try stage.store.path(RecordingStage.id) + "/publisher.webm")
    let before = try first.resourceValues(forKeys: [.contentAccessDateKey, .contentModificationDateKey])
    _ = try stage.store.recover()
    let after = try first.resourceValues(forKeys: [.contentAccessDateKey, .contentModificationDateKey])
    #expect(before.contentModificationDate == after.contentModificationDate)
    var recovered = try stage.store.manifest(RecordingStage.id)
    #expect(recovered.reason == "recovered")
    recovered.reason = finished.reason
    #expect(recovered == finished)
  }

  @Test func laterFileThatTheManifestDoesNotNameIsFoundItsPlace() async throws {
    let stage = try RecordingStage()
    let recorder = try stage.startRecorder(segmentDuration: .seconds(4))
    try stage.addStream("publisher", to: recorder).pushSamples()
    let finished = await recorder.stop()
    var started = finished
    started.status = .started
    started.files = [finished.files[0]]
    started.files[0].size = 0
    try started.json().write(to: URL(fileURLWithPath: try stage.path("archive.json")))
    _ = try stage.store.recover()
    var recovered = try stage.store.manifest(RecordingStage.id)
    recovered.reason = finished.reason
    #expect(recovered == finished)
  }

  @Test func streamsWhoseFilesCouldBeMistakenAreRefused() async throws {
    let stage = try RecordingStage()
    let recorder = try stage.startRecorder()
    _ = try stage.addStream("door", to: recorder)
    #expect(throws: ArchiveError.duplicateStream("door-0002")) { try stage.addStream("door-0002", to: recorder) }
    _ = try stage.addStream("gate-0003", to: recorder)
    #expect(throws: ArchiveError.duplicateStream("gate")) { try stage.addStream("gate", to: recorder) }
    _ = try stage.addStream("gate-0004", to: recorder)
    _ = await recorder.stop()
  }

  @Test(arguments: [
    ("device.webm", "device", 1), ("device-0002.webm", "device", 2), ("device-12345.webm", "device", 12_345),
    ("device-002.webm", "device-002", 1), ("device-0001.webm", "device-0001", 1), ("-0002.webm", "-0002", 1),
  ]) func namesOfSegments(name: String, streamID: String, number: Int) {
    #expect(SegmentName(fileName: name) == SegmentName(streamID: streamID, number: number))
    #expect(SegmentName(streamID: streamID, number: number).fileName == name)
  }
}
