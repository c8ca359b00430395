import Archive
import Foundation
import Glibc
import MediaCore
import TestSupport
import RealtimeRuntime
import Signalling
import Testing

/// What the next start finds after the process or the power has gone: a copy of the folder as it was at that moment.
@Suite struct ArchiveRecoveryTests {
  /// Records in real time and copies the store every 300 ms.
  @Test func crashAtAnyMomentCostsAtMostASecond() async throws {
    let (video, audio) = (try SampleMedia.video(), try SampleMedia.audio())
    let stage = try RecordingStage(isInMemory: true)
    let start = MonotonicClock.now()
    let recorder = try stage.startRecorder(start: start)
    let inbox = try stage.addStream("publisher", to: recorder)
    var pictures = 0
    var sounds = 0
    var snapshots: [(root: String, milliseconds: Int64)] = []
    for step in 1...350 {
      let elapsed = Int64(step) * 10
      MonotonicClock.sleep(until: start + .milliseconds(elapsed))
      while sounds < audio.count, audio[sounds].milliseconds + 20 <= elapsed {
        inbox.push(.audio, audio[sounds], number: sounds, start: start)
        sounds += 1
      }
      while pictures < video.count, video[pictures].milliseconds <= elapsed {
        inbox.push(.video, video[pictures], number: pictures, start: start)
        pictures += 1
      }
      guard step % 30 == 0 else { continue }
      let copy = stage.folder.path + "/copy\(step)"
      let now = (MonotonicClock.now() - start).milliseconds
      try FileManager.default.copyItem(atPath: stage.store.root, toPath: copy)
      snapshots.append((copy, now))
    }
    _ = await recorder.stop()
    for snapshot in snapshots { try check(snapshot.root, madeAt: snapshot.milliseconds) }
  }

  private func check(_ root: String, madeAt milliseconds: Int64) throws {
    let store = ArchiveStore(root: root)
    let results = try store.recover()
    guard case .recovered(let manifest) = results.first else {
      Issue.record("not recovered: \(results)")
      return
    }
    #expect(manifest.status == (manifest.files.isEmpty ? .failed : .available))
    #expect(try store.verify(RecordingStage.id) == [])
    #expect(try store.recover().isEmpty)
    // The margin is for the machine's own delays: this test shares its processors with others.
    let end = manifest.files.first?.stopTimeOffset ?? 0
    #expect(end >= milliseconds - 1_000 - 1_000, "snapshot at \(milliseconds) ms holds \(end) ms")
    for file in manifest.files {
      #expect(file.connectionData == "data of publisher")
      #expect(try MediaInspection.probeWarnings(store.path(RecordingStage.id) + "/" + file.filename) == "")
    }
  }

  /// Makes a finished archive look as if the power had gone while it was recorded.
  private func makeCrashedArchive(_ stage: RecordingStage) async throws -> ArchiveManifest {
    let recorder = try stage.startRecorder()
    try stage.addStream("publisher", to: recorder).pushSamples()
    let finished = await recorder.stop()
    var started = finished
    started.status = .started
    started.reason = ""
    started.files[0].size = 0
    try started.json().write(to: URL(fileURLWithPath: try stage.path("archive.json")))
    return finished
  }

  /// Names are free text, and a manifest that was edited by hand is laid out otherwise.
  @Test(arguments: ["\n  \"status\" : \"available\",\n", "\"status\" : \"available\","], [true, false])
  func whatAManifestSaysElsewhereEndsNoRecording(name: String, isCompact: Bool) async throws {
    let stage = try RecordingStage()
    var manifest = try await makeCrashedArchive(stage)
    manifest.status = .started
    manifest.name = name
    var json = try manifest.json()
    if isCompact {
      json = try JSONSerialization.data(withJSONObject: JSONSerialization.jsonObject(with: json))
    }
    try json.write(to: URL(fileURLWithPath: try stage.path("archive.json")))
    #expect(try stage.store.recover().count == 1)
    #expect(try stage.store.recover().isEmpty)
  }

  @Test func finishedFilesSurviveRecoveryUnchanged() async throws {
    let stage = try RecordingStage()
    let finished = try await makeCrashedArchive(stage)
    let path = try stage.path("publisher.webm")
    let before = try Data(contentsOf: URL(fileURLWithPath: path))
    _ = try stage.store.recover()
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
    var expected = finished
    expected.reason = "recovered"
    #expect(try stage.store.manifest(RecordingStage.id) == expected)
  }

  @Test func archiveWithoutMediaHasFailed() async throws {
    for isManual in [false, true] {
      let stage = try RecordingStage()
      _ = try await makeCrashedArchive(stage)
      try FileManager.default.removeItem(atPath: try stage.path("publisher.webm"))
      if isManual { _ = try stage.store.repair(RecordingStage.id) } else { _ = try stage.store.recover() }
      let manifest = try stage.store.manifest(RecordingStage.id)
      #expect(manifest.status == .failed)
      #expect(manifest.reason == "interrupted before anything was recorded")
      #expect(manifest.files.isEmpty && manifest.duration == 0 && manifest.size == 0)
      #expect(try stage.store.verify(RecordingStage.id) == [])
      #expect(try stage.store.recover().isEmpty)
    }
  }

  /// The daemon is ended as soon as it records, for lack of memory perhaps: no attempt leaves anything.
  @Test func whatTheDeviceBeganAloneAndNeverRecordedGoes() async throws {
    let stage = try RecordingStage()
    var manifest = ArchiveManifest(
      id: RecordingStage.id, details: ArchiveDetails(sessionID: "", callerID: ""), createdAt: RecordingStage.createdAt,
      clockSynchronized: true)
    manifest.plans = ["night"]
    let folder = stage.store.root + "/2026/11/21/" + RecordingStage.id.text
    for keepsIt in [nil, "locked", "notes.txt"] {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      try manifest.json().write(to: URL(fileURLWithPath: folder + "/archive.json"))
      try Data(count: 21_504).write(to: URL(fileURLWithPath: folder + "/device.webm"))
      if let keepsIt { try Data().write(to: URL(fileURLWithPath: folder + "/" + keepsIt)) }
      let results = try stage.store.recover()
      let isDiscarded = results.contains { if case .discarded(RecordingStage.id) = $0 { true } else { false } }
      #expect(isDiscarded == (keepsIt == nil))
      #expect(FileManager.default.fileExists(atPath: folder) == (keepsIt != nil))
      if keepsIt != nil { #expect(try stage.store.manifest(RecordingStage.id).status == .failed) }
    }
  }

  /// A power cut in an archive's first second: the announced manifest was never on the disk.
  private func blankManifest(
    _ stage: RecordingStage, next hasNext: Bool, mediaBytes: Int
  ) async throws -> [ArchiveRecovery] {
    _ = try await makeCrashedArchive(stage)
    let (manifest, media) = (try stage.path("archive.json"), try stage.path("publisher.webm"))
    let bytes = try Data(contentsOf: URL(fileURLWithPath: manifest))
    try (hasNext ? bytes : Data()).write(to: URL(fileURLWithPath: manifest + ".tmp"))
    try Data(count: 336).write(to: URL(fileURLWithPath: manifest))
    #expect(truncate(media, mediaBytes) == 0)
    return try stage.store.recover()
  }

  @Test func nextManifestTakesTheBlankOnesPlace() async throws {
    for (mediaBytes, status) in [(21_504, ArchiveStatus.failed), (60_000, .available)] {
      let stage = try RecordingStage()
      let results = try await blankManifest(stage, next: true, mediaBytes: mediaBytes)
      #expect(results.count == 1)
      #expect(try stage.store.manifest(RecordingStage.id).status == status)
      #expect(try stage.store.verify(RecordingStage.id) == [])
      #expect(!FileManager.default.fileExists(atPath: try stage.path("archive.json.tmp")))
      #expect(try stage.store.recover().isEmpty)
    }
  }

  /// The next manifest goes to the disk together with the files that it names, and takes the other's place afterwards.
  @Test func nextManifestIsPreferredWhenItIsWhole() async throws {
    let stage = try RecordingStage()
    var next = try await makeCrashedArchive(stage)
    next.status = .started
    next.files[0].size = 0
    next.files[0].startTimeOffset = 1_730
    var old = next
    old.files = []
    let path = try stage.path("archive.json")
    try old.json().write(to: URL(fileURLWithPath: path))
    try next.json().write(to: URL(fileURLWithPath: path + ".tmp"))
    #expect(try stage.store.recover().count == 1)
    let manifest = try stage.store.manifest(RecordingStage.id)
    #expect(manifest.files.map(\.startTimeOffset) == [1_730])
    #expect(manifest.files.first?.connectionData == next.files[0].connectionData)
    #expect(!FileManager.default.fileExists(atPath: path + ".tmp"))
    #expect(try stage.store.verify(RecordingStage.id) == [])
  }

  /// The last manifest was on the disk, and others may have seen it.
  @Test func archiveThatWasCompleteStaysAsItWas() async throws {
    let stage = try RecordingStage()
    let finished = try await makeCrashedArchive(stage)
    try finished.json().write(to: URL(fileURLWithPath: try stage.path("archive.json.tmp")))
    #expect(try stage.store.recover().isEmpty)
    #expect(try stage.store.manifest(RecordingStage.id) == finished)
  }

  @Test func archiveWithoutManifestGoesIfItHoldsNoMedia() async throws {
    for mediaBytes in [0, 100, 21_504] {
      let stage = try RecordingStage()
      #expect(try await blankManifest(stage, next: false, mediaBytes: mediaBytes).isEmpty)
      #expect(try stage.store.ids().isEmpty)
    }
  }

  @Test func mediaWithoutManifestGetOne() async throws {
    let stage = try RecordingStage()
    #expect(try await blankManifest(stage, next: false, mediaBytes: 60_000).count == 1)
    let manifest = try stage.store.manifest(RecordingStage.id)
    #expect(manifest.status == .available && !manifest.clockSynchronized)
    #expect(manifest.files.map(\.filename) == ["publisher.webm"])
    #expect(try stage.store.verify(RecordingStage.id) == [])
  }

  @Test func tornTailIsCutOff() async throws {
    let stage = try RecordingStage()
    let finished = try await makeCrashedArchive(stage)
    let file = try FileHandle(forUpdating: URL(fileURLWithPath: try stage.path("publisher.webm")))
    try file.truncate(atOffset: finished.size - 100)
    try file.close()
    #expect(try !stage.store.verify(RecordingStage.id).isEmpty)
    _ = try stage.store.recover()
    let manifest = try stage.store.manifest(RecordingStage.id)
    #expect(manifest.size < finished.size)
    #expect((0...751).contains(finished.files[0].stopTimeOffset - manifest.files[0].stopTimeOffset))
    #expect(try stage.store.verify(RecordingStage.id) == [])
    #expect(try MediaInspection.probeWarnings(try stage.path("publisher.webm")) == "")
  }

  @Test func fileThatTheManifestDoesNotNameIsKept() async throws {
    let stage = try RecordingStage()
    _ = try await makeCrashedArchive(stage)
    var manifest = try stage.store.manifest(RecordingStage.id)
    manifest.files = []
    try manifest.json().write(to: URL(fileURLWithPath: try stage.path("archive.json")))
    #expect(
      try stage.store.verify(RecordingStage.id) == [.unfinished, .unlistedFile("publisher.webm")])
    _ = try stage.store.recover()
    let file = try #require(try stage.store.manifest(RecordingStage.id).files.first)
    #expect(file.streamId == "publisher")
    #expect(file.videoType == "camera")
    #expect(try stage.store.verify(RecordingStage.id) == [])
  }

  @Test func fileWithoutMediaAndLeftoversGo() async throws {
    let stage = try RecordingStage()
    _ = try await makeCrashedArchive(stage)
    let folder = try stage.store.path(RecordingStage.id)
    let original = try Data(contentsOf: URL(fileURLWithPath: folder + "/publisher.webm"))
    try original.prefix(21_600).write(to: URL(fileURLWithPath: folder + "/caller.webm"))
    try Data().write(to: URL(fileURLWithPath: folder + "/empty.webm"))
    try Data("{".utf8).write(to: URL(fileURLWithPath: folder + "/archive.json.tmp"))
    _ = try stage.store.recover()
    let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    #expect(names == ["archive.json", "publisher.webm"])
  }

  @Test func archiveBeingRecordedIsLeftAlone() async throws {
    let stage = try RecordingStage()
    let recorder = try stage.startRecorder()
    try stage.addStream("publisher", to: recorder).pushSamples()
    #expect(try stage.store.recover().isEmpty)
    #expect(try stage.store.manifest(RecordingStage.id).status == .started)
    #expect(await recorder.stop().status == .available)
  }

  @Test func folderWithoutManifestIsRemovedOnlyWhenEmpty() throws {
    let stage = try RecordingStage()
    let day = stage.store.root + "/2026/11/21/"
    try FileManager.default.createDirectory(atPath: day + "empty", withIntermediateDirectories: true)
    try FileManager.default.createDirectory(atPath: day + "full", withIntermediateDirectories: true)
    try Data([1]).write(to: URL(fileURLWithPath: day + "full/x.webm"))
    let results = try stage.store.recover()
    #expect(results.count == 1)
    guard case .foreign(let id, ["x.webm"]) = results.first else {
      Issue.record("not reported: \(results)")
      return
    }
    #expect(id.text == "full")
    #expect(FileManager.default.fileExists(atPath: day + "full/x.webm"))
    #expect(!FileManager.default.fileExists(atPath: day + "empty"))
  }
}
