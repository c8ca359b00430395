import Archive
import Foundation
import MediaCore
import TestSupport
import RealtimeRuntime
import Signalling
import Testing

@Suite(.timeLimit(.minutes(3))) struct ArchiveRecorderTests {
  @Test func bothPartiesAreRecorded() async throws {
    let stage = try RecordingStage()
    let recorder = try stage.startRecorder()
    try stage.addStream("publisher", to: recorder).pushSamples(startingAt: 40)
    try stage.addStream("caller", to: recorder, hasVideo: false).pushSamples(startingAt: 1_000, hasVideo: false)
    let manifest = await recorder.stop()

    #expect(manifest.status == .available)
    #expect(manifest.reason == "user initiated")
    #expect(manifest.files.map(\.filename) == ["publisher.webm", "caller.webm"])
    #expect(manifest.files.map(\.startTimeOffset) == [40, 1_000])
    #expect(manifest.files.map(\.videoType) == ["camera", nil])
    #expect(abs(manifest.files[1].stopTimeOffset - 13_000) < 50)
    #expect(manifest.duration == 13)
    #expect(try stage.store.manifest(RecordingStage.id) == manifest)
    #expect(try stage.store.verify(RecordingStage.id) == [])
    for file in manifest.files {
      let path = try stage.path(file.filename)
      #expect(try Data(contentsOf: URL(fileURLWithPath: path)).count == Int(file.size))
      #expect(try MediaInspection.probeWarnings(path) == "")
      #expect(try MediaInspection.decodeWarnings(path) == "")
    }
    let packets = try MediaInspection.packets(try stage.path("publisher.webm"))
    #expect(try packets.count == SampleMedia.audio().count + SampleMedia.video().count)
  }

  @Test func eventsAndStatistics() async throws {
    let stage = try RecordingStage()
    let recorder = try stage.startRecorder()
    try stage.addStream("publisher", to: recorder).pushSamples()
    let manifest = await recorder.stop(reason: "session ended")
    #expect(await recorder.stop(reason: "again") == manifest)
    #expect(manifest.reason == "session ended")
    guard case .started(let first) = stage.events.first else {
      Issue.record("no .started")
      return
    }
    #expect(first.status == .started)
    let statistics = recorder.statistics
    #expect(statistics.streams == 1)
    #expect(try statistics.audioFrames == SampleMedia.audio().count)
    #expect(try statistics.videoFrames == SampleMedia.video().count)
    #expect(statistics.droppedFrames == 0)
    #expect(statistics.byteCount == manifest.size)
    #expect(throws: ArchiveError.stopped) { try stage.addStream("late", to: recorder) }
  }

  @Test func manifestIsOpenTokWithOurFields() async throws {
    let stage = try RecordingStage()
    let recorder = try stage.startRecorder()
    try stage.addStream("publisher", to: recorder).pushSamples()
    _ = await recorder.stop()
    let data = try Data(contentsOf: URL(fileURLWithPath: try stage.path("archive.json")))
    let json = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    #expect(
      Set(json.keys) == [
        "id", "name", "sessionId", "createdAt", "files", "status", "reason", "duration", "size", "hasAudio", "hasVideo",
        "outputMode", "streamMode", "callerID", "policyRule", "clockSynchronized",
      ])
    #expect(json["createdAt"] as? Int64 == RecordingStage.createdAt)
    #expect(json["outputMode"] as? String == "individual")
    #expect(json["streamMode"] as? String == "auto")
    #expect(json["status"] as? String == "available")
    let file = try #require((json["files"] as? [[String: Any]])?.first)
    #expect(
      Set(file.keys) == [
        "streamId", "connectionData", "filename", "size", "startTimeOffset", "stopTimeOffset", "videoType",
      ])
    #expect(file["connectionData"] as? String == "data of publisher")
    #expect(try stage.store.path(RecordingStage.id).hasSuffix("/archives/2026/11/21/\(RecordingStage.id)"))
  }

  @Test func picturesStartWithAKeyFrameAndSkipGaps() async throws {
    let stage = try RecordingStage()
    let recorder = try stage.startRecorder()
    let inbox = try stage.addStream("publisher", to: recorder)
    let video = try SampleMedia.video()
    let keys = video.indices.filter { video[$0].isKeyFrame }
    // It begins in the middle of a group of pictures, and frame `lost` never arrives.
    let lost = keys[2] + 7
    let sent = video.indices.filter { $0 >= 20 && $0 != lost }
    for number in sent where number < keys[1] { inbox.push(.video, video[number], number: number) }
    try await eventually { stage.requestedKeyFrames != 0 }
    for number in sent where number >= keys[1] { inbox.push(.video, video[number], number: number) }
    let manifest = await recorder.stop()
    let kept = video.indices.filter { $0 >= keys[1] && !(lost..<keys[3]).contains($0) }
    let path = try stage.path("publisher.webm")
    let offset = video[keys[1]].milliseconds
    #expect(try MediaInspection.packets(path).map(\.milliseconds) == kept.map { video[$0].milliseconds - offset })
    #expect(try MediaInspection.decodeWarnings(path) == "")
    #expect(manifest.files[0].startTimeOffset == offset)
    #expect(recorder.statistics.droppedFrames == sent.count - kept.count)
  }

  @Test func lateCameraIsRecordedToo() async throws {
    let stage = try RecordingStage()
    let recorder = try stage.startRecorder()
    let inbox = try stage.addStream("publisher", to: recorder)
    try inbox.pushSamples(hasVideo: false)
    try await eventually { recorder.statistics.byteCount != 0 }
    // The file exists by now, with sound alone.
    let path = try stage.store.path(RecordingStage.id) + "/" + "publisher.webm"
    #expect(try MediaInspection.identify(path).codecs == ["Opus"])
    for (number, frame) in try SampleMedia.video().enumerated() {
      inbox.push(.video, frame, number: number, start: RecordingStage.start + .milliseconds(SampleMedia.duration))
    }
    let manifest = await recorder.stop()
    #expect(manifest.files[0].videoType == "camera")
    #expect(manifest.duration == 24)
    #expect(try MediaInspection.identify(path).codecs == ["VP8", "Opus"])
    #expect(try MediaInspection.probeWarnings(path) == "")
    #expect(try stage.store.verify(RecordingStage.id) == [])
  }

  @Test func whatACallerSendsTooMuchIsLeftOutAndTheRestPlays() async throws {
    let stage = try RecordingStage()
    let recorder = try stage.startRecorder()
    let inbox = try stage.addStream("caller", to: recorder, maximumBitrate: .kilobits(100))
    try inbox.pushSamples()
    let manifest = await recorder.stop()
    #expect((100_000...290_000).contains(manifest.size), "\(manifest.size)")
    #expect(recorder.statistics.droppedFrames > 0)
    let told = stage.events.filter { if case .exceededRate(_, streamID: "caller") = $0 { true } else { false } }
    #expect(told.count == 1)
    #expect(try MediaInspection.probeWarnings(try stage.path("caller.webm")) == "")
    #expect(try stage.store.verify(RecordingStage.id) == [])
  }

  @Test func aCallThatTakesItsShareEndsItsRecording() async throws {
    let stage = try RecordingStage()
    let recorder = try stage.startRecorder(maximumByteCount: 100_000)
    try stage.addStream("caller", to: recorder).pushSamples()
    while !stage.events.contains(where: { if case .stopped = $0 { true } else { false } }) {
      try await Task.sleep(for: .milliseconds(20))
    }
    let manifest = await recorder.stop()
    #expect(manifest.status == .available)
    #expect(manifest.reason == "it took half of the space that archives have")
  }

  @Test func archiveWithoutFramesHasNoFiles() async throws {
    let stage = try RecordingStage()
    let recorder = try stage.startRecorder()
    _ = try stage.addStream("publisher", to: recorder)
    let manifest = await recorder.stop()
    #expect(manifest.files == [])
    #expect(manifest.duration == 0)
    #expect(try stage.store.verify(RecordingStage.id) == [])
  }

  @Test func namesThatAreTakenOrUnsafeAreRefused() async throws {
    let stage = try RecordingStage()
    let recorder = try stage.startRecorder()
    _ = try stage.addStream("publisher", to: recorder)
    #expect(throws: ArchiveError.duplicateStream("publisher")) { try stage.addStream("publisher", to: recorder) }
    for name in ["", "..", "a/b", "../../etc/passwd", ".hidden", "a\0b", "a.b", String(repeating: "a", count: 65)] {
      #expect(throws: ArchiveError.invalidName(name)) { try stage.addStream(name, to: recorder) }
      #expect(ArchiveID(name) == nil)
    }
    #expect(throws: ArchiveError.inUse(RecordingStage.id)) { try stage.startRecorder() }
    #expect(throws: ArchiveError.inUse(RecordingStage.id)) { try stage.store.delete(RecordingStage.id) }
    _ = await recorder.stop()
  }

  @Test func refusesToStartOnAFullDisk() throws {
    let stage = try RecordingStage()
    #expect {
      try stage.startRecorder(minimumFreeBytes: .max)
    } throws: { error in
      guard case .notEnoughSpace = error as? ArchiveError else { return false }
      return true
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: stage.store.root) == [])
  }
}
