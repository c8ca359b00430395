import Foundation
import MediaCore
import Signalling
import TestSupport
import Testing
import WebM

@testable import Archive

@Suite struct ArchiveClipTests {
  /// The device's stream, in two files if so wished, and a further camera's without sound, 400 ms later.
  private func recorded(_ stage: RecordingStage, inSegments: Bool = false) async throws {
    let recorder = try stage.startRecorder(segmentDuration: inSegments ? .seconds(12) : nil)
    let device = try stage.addStream("device", to: recorder)
    try device.pushSamples()
    try stage.addStream("caller", to: recorder).pushSamples(startingAt: 400)
    if inSegments { try device.pushSamples(startingAt: 12_000) }
    #expect(await recorder.stop().status == .available)
  }

  private func clip(_ stage: RecordingStage, _ file: String, _ start: Int64, _ end: Int64) throws -> ArchiveClip {
    try ArchiveClip(
      RecordingStage.id, file: file, span: try #require(ArchiveSpan(start: start, end: end)), in: stage.store)
  }

  private func written(_ clip: ArchiveClip, _ stage: RecordingStage) throws -> String {
    let path = stage.folder.path + "/clip.webm"
    let bytes = try clip.read(at: 0, count: .max)
    #expect(UInt64(bytes.count) == clip.byteCount)
    try Data(bytes).write(to: URL(filePath: path))
    return path
  }

  @Test(arguments: [(3_100, 7_300), (0, 1_000), (5_000, 60_000)] as [(Int64, Int64)])
  func beginsWithTheKeyFrameBeforeAndEndsAtItsEnd(start: Int64, end: Int64) async throws {
    let stage = try RecordingStage()
    try await recorded(stage)
    let clip = try clip(stage, "device.webm", start, end)
    let path = try written(clip, stage)
    #expect(try MediaInspection.probeWarnings(path) == "")
    #expect(try MediaInspection.decodeWarnings(path) == "")
    let video = try SampleMedia.video()
    let key = try #require(video.last { $0.isKeyFrame && $0.milliseconds <= start }?.milliseconds)
    #expect(clip.span.start == key)
    let packets = try MediaInspection.packets(path)
    let expected = video.map(\.milliseconds).filter { $0 >= key && $0 < end }.map { $0 - key }
    #expect(packets.filter { $0.stream == 0 }.map(\.milliseconds) == expected)
    #expect(packets.first { $0.stream == 0 }?.isKeyFrame == true)
    let audio = try SampleMedia.audio().map(\.milliseconds).filter { $0 >= key && $0 < end }
    #expect(packets.count { $0.stream == 1 } == audio.count)
    let duration = try #require(try MediaInspection.duration(path))
    let last = try #require((expected + audio.map { $0 - key }).max())
    #expect(abs(duration - Double(last) / 1_000) < 0.15)
    #expect(try MediaInspection.firstPacket(path, seekingTo: duration / 2)?.isKeyFrame == true)
  }

  @Test func goesOnInTheNextFileOfItsStream() async throws {
    let stage = try RecordingStage()
    try await recorded(stage, inSegments: true)
    let clip = try clip(stage, "device.webm", 10_000, 15_000)
    let times = try MediaInspection.packets(try written(clip, stage)).filter { $0.stream == 0 }.map(\.milliseconds)
    let video = try SampleMedia.video().map(\.milliseconds)
    let whole = video + video.map { $0 + 12_000 }
    #expect(times == whole.filter { $0 >= clip.span.start && $0 < 15_000 }.map { $0 - clip.span.start })
  }

  @Test func isReadFromAnyPlace() async throws {
    let stage = try RecordingStage()
    try await recorded(stage)
    let clip = try clip(stage, "caller.webm", 2_000, 6_000)
    let whole = try clip.read(at: 0, count: .max)
    let middle = UInt64(whole.count / 2)
    #expect(try clip.read(at: middle, count: 1_000) == Array(whole[Int(middle)..<Int(middle) + 1_000]))
    #expect(try clip.read(at: middle - 500, count: 100) == Array(whole[Int(middle) - 500..<Int(middle) - 400]))
    #expect(try clip.read(at: UInt64(whole.count), count: 10) == [])
  }

  @Test func partsThatAreNotThereAreRefused() async throws {
    let stage = try RecordingStage()
    try await recorded(stage)
    #expect(throws: ArchiveError.noMedia(RecordingStage.id)) { try clip(stage, "device.webm", 80_000, 81_000) }
    #expect(throws: ArchiveError.invalidName("other.webm")) { try clip(stage, "other.webm", 0, 1_000) }
    try stage.change { $0.status = .started }
    #expect(throws: ArchiveError.unfinished(RecordingStage.id)) { try clip(stage, "device.webm", 0, 1_000) }
  }

  /// A recording that continues is cut from what the disk has: what comes later, while the clip is read, changes nothing.
  @Test func aRunningRecordingIsCutFromWhatIsThere() async throws {
    let stage = try RecordingStage()
    let recorder = try stage.startRecorder()
    let device = try stage.addStream("device", to: recorder)
    try device.pushSamples()
    let video = try SampleMedia.video()
    let length = try #require(video.last?.milliseconds)
    try await eventually { (try? clip(stage, "device.webm", 3_100, 60_000)) != nil }
    let running = try clip(stage, "device.webm", 3_100, 60_000)
    let before = try running.read(at: 0, count: Int(running.byteCount / 2))
    try device.pushSamples(startingAt: length + 40)
    let size = try FileManager.default.attributesOfItem(atPath: try stage.path("device.webm"))[.size] as? Int
    try await eventually {
      (try? FileManager.default.attributesOfItem(atPath: stage.path("device.webm"))[.size] as? Int) != size
    }
    #expect(try running.read(at: 0, count: before.count) == before)
    let path = try written(running, stage)
    #expect(try MediaInspection.probeWarnings(path) == "" && MediaInspection.decodeWarnings(path) == "")
    let times = try MediaInspection.packets(path).filter { $0.stream == 0 }.map(\.milliseconds)
    let whole = video.map(\.milliseconds).filter { $0 >= running.span.start }.map { $0 - running.span.start }
    #expect(!times.isEmpty && times == Array(whole.prefix(times.count)))
    let remuxer = try ArchiveRemuxer(RecordingStage.id, in: stage.store, span: running.span)
    var count = 0
    try remuxer.run { _, bytes in count += bytes.byteCount }
    #expect(count > 1_000)
    #expect(throws: ArchiveError.inUse(RecordingStage.id)) { try ArchiveRemuxer(RecordingStage.id, in: stage.store) }
    #expect(try stage.store.middleKeyFrame(RecordingStage.id) != nil)
    #expect(await recorder.stop().status == .available)
  }

  @Test func anArchiveIsNotDeletedWhileAClipOfItIsRead() async throws {
    let stage = try RecordingStage()
    try await recorded(stage)
    do {
      let clip = try clip(stage, "device.webm", 0, 1_000)
      #expect(throws: ArchiveError.inUse(RecordingStage.id)) { try stage.store.delete(RecordingStage.id) }
      _ = clip.byteCount
    }
    try stage.store.delete(RecordingStage.id)
  }

  @Test func theMiddleHasAKeyFrame() async throws {
    let stage = try RecordingStage()
    try await recorded(stage)
    let frame = try #require(try stage.store.middleKeyFrame(RecordingStage.id))
    #expect(try SampleMedia.video().contains { $0.isKeyFrame && $0.payload == frame })
  }
}
