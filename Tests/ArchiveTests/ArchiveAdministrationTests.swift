import Foundation
import TestSupport
import Signalling
import Testing
import WebM

@testable import Archive

@Suite("Locks, names, repair and a look at one archive") struct ArchiveAdministrationTests {
  private func recorded(_ stage: RecordingStage) async throws {
    let recorder = try stage.startRecorder()
    try stage.addStream("device", to: recorder).pushSamples()
    try stage.addStream("caller", to: recorder).pushSamples(startingAt: 300, hasVideo: false)
    #expect(await recorder.stop().status == .available)
  }

  @Test func lockedArchiveIsDeletedByForceAlone() async throws {
    let stage = try RecordingStage()
    try await recorded(stage)
    let id = RecordingStage.id
    try stage.store.lock(id)
    try stage.store.lock(id)
    #expect(try stage.store.listings().map(\.isLocked) == [true])
    #expect(throws: ArchiveError.locked(id)) { try stage.store.delete(id) }
    #expect(try stage.store.verify(id) == [])
    try stage.store.unlock(id)
    try stage.store.unlock(id)
    #expect(try stage.store.listings().map(\.isLocked) == [false])
    try stage.store.lock(id)
    try stage.store.delete(id, isForced: true)
    #expect(throws: ArchiveError.notFound(id)) { try stage.store.lock(id) }
  }

  @Test func runningArchiveCanBeLockedButNothingElse() async throws {
    let stage = try RecordingStage()
    let recorder = try stage.startRecorder()
    let id = RecordingStage.id
    try stage.store.lock(id)
    #expect(throws: ArchiveError.inUse(id)) { try stage.store.delete(id, isForced: true) }
    #expect(throws: ArchiveError.inUse(id)) { try stage.store.rename(id, to: "x") }
    #expect(throws: ArchiveError.inUse(id)) { _ = try stage.store.repair(id) }
    #expect(try stage.store.content(id).isInUse)
    try stage.addStream("device", to: recorder).pushSamples()
    _ = await recorder.stop()
    #expect(try stage.store.listings().map(\.isLocked) == [true])
    #expect(try stage.store.content(id).isInUse == false)
  }

  @Test func nameIsKept() async throws {
    let stage = try RecordingStage()
    try await recorded(stage)
    let before = try stage.store.manifest(RecordingStage.id)
    try stage.store.rename(RecordingStage.id, to: "Einbruch ☎ 1")
    var after = try stage.store.manifest(RecordingStage.id)
    #expect(after.name == "Einbruch ☎ 1")
    after.name = before.name
    #expect(after == before)
    try stage.store.rename(RecordingStage.id, to: "")
    #expect(try stage.store.manifest(RecordingStage.id).name == "")
  }

  @Test(arguments: ["a\nb", "\u{7F}", "\u{85}", "\u{0}", String(repeating: "ä", count: 65)])
  func impossibleNamesAreRefused(name: String) async throws {
    let stage = try RecordingStage()
    try await recorded(stage)
    #expect(throws: ArchiveError.invalidName(name)) { try stage.store.rename(RecordingStage.id, to: name) }
  }

  @Test func contentNamesTracksAndProblems() async throws {
    let stage = try RecordingStage()
    try await recorded(stage)
    var content = try stage.store.content(RecordingStage.id)
    #expect(content.files.map { $0.tracks.map(\.codec) } == [["V_VP8", "A_OPUS"], ["A_OPUS"]])
    #expect(content.files.map(\.byteCount) == content.manifest.files.map(\.size))
    #expect(content.problems == [])
    #expect(content.otherFiles == [])
    try FileManager.default.removeItem(atPath: try stage.path("caller.webm"))
    try Data(count: 3).write(to: URL(filePath: content.path + "/track.gpx"))
    try Data(count: 3).write(to: URL(filePath: content.path + "/strange.webm"))
    content = try stage.store.content(RecordingStage.id)
    #expect(content.problems == [.missingFile("caller.webm"), .unlistedFile("strange.webm")])
    #expect(content.otherFiles == ["strange.webm", "track.gpx"])
  }

  @Test func wholeArchiveNeedsNoRepair() async throws {
    let stage = try RecordingStage()
    try await recorded(stage)
    #expect(try stage.store.repair(RecordingStage.id).changes == [])
  }

  @Test func tornArchiveIsRepairedAndSaysHow() async throws {
    let stage = try RecordingStage()
    try await recorded(stage)
    let path = try stage.path("device.webm")
    let whole = try Data(contentsOf: URL(filePath: path))
    try whole.prefix(whole.count - 100).write(to: URL(filePath: path))
    try FileManager.default.removeItem(atPath: try stage.path("caller.webm"))
    let report = try stage.store.repair(RecordingStage.id)
    #expect(report.changes.contains(.completed("device.webm")))
    #expect(report.changes.contains(.unlisted("caller.webm")))
    #expect(report.changes.contains(.updatedManifest))
    #expect(report.manifest.files.map(\.filename) == ["device.webm"])
    #expect(try stage.store.manifest(RecordingStage.id) == report.manifest)
    #expect(try stage.store.verify(RecordingStage.id) == [])
    #expect(try stage.store.repair(RecordingStage.id).changes == [])
  }
}
