import Foundation
import TestSupport
import Signalling
import Testing

@testable import Archive

@Suite struct ArchiveStoreTests {
  private func makeArchive(
    _ text: String, in stage: RecordingStage, createdAt: Int64, seconds: Int64 = 0, status: ArchiveStatus = .available
  ) throws {
    let id = try #require(ArchiveID(text))
    let folder = try stage.store.create(id, on: CalendarDay(milliseconds: createdAt))
    var manifest = ArchiveManifest(
      id: id, details: ArchiveDetails(sessionID: "s"), createdAt: createdAt, clockSynchronized: true)
    manifest.status = status
    manifest.duration = seconds
    try folder.write(manifest)
  }

  @Test func listsTheYoungestFirst() throws {
    let stage = try RecordingStage()
    #expect(try stage.store.list() == [])
    let day: Int64 = 86_400_000
    try makeArchive("b", in: stage, createdAt: 1_000 * day)
    try makeArchive("a", in: stage, createdAt: 1_000 * day + 5)
    try makeArchive("c", in: stage, createdAt: 999 * day)
    try makeArchive("d", in: stage, createdAt: 20_000 * day)
    #expect(try stage.store.list().map(\.id) == ["d", "a", "b", "c"])
    #expect(try stage.store.list(limit: 2).map(\.id) == ["d", "a"])
  }

  @Test func aSpanHasWhatShowsSomethingOfIt() throws {
    let stage = try RecordingStage()
    let midnight: Int64 = 1_000 * 86_400_000
    try makeArchive("over", in: stage, createdAt: midnight - 10_000, seconds: 10)
    try makeArchive("across", in: stage, createdAt: midnight - 10_000, seconds: 11)
    try makeArchive("inside", in: stage, createdAt: midnight + 5_000, seconds: 1)
    try makeArchive("later", in: stage, createdAt: midnight + 60_000, seconds: 1)
    try makeArchive("running", in: stage, createdAt: midnight - 20_000, status: .started)
    try makeArchive("old", in: stage, createdAt: midnight - 9 * 86_400_000, seconds: 10 * 86_400)
    let span = try #require(TimelineSpan(start: midnight, end: midnight + 60_000))
    let timeline = ArchiveTimeline(store: stage.store)
    let page = try timeline.page(of: span, limit: 3)
    #expect(page.manifests.map(\.id) == ["inside", "across", "running"] && !page.hasMore)
    let part = try timeline.page(of: span, limit: 2)
    #expect(part.manifests.map(\.id) == ["inside", "across"] && part.hasMore)
    let none = try #require(TimelineSpan(start: 0, end: 1))
    #expect(try timeline.page(of: none, limit: 3).manifests.isEmpty)
  }

  @Test func deletesAnArchiveAndItsEmptyFolders() throws {
    let stage = try RecordingStage()
    try makeArchive("one", in: stage, createdAt: RecordingStage.createdAt)
    try makeArchive("two", in: stage, createdAt: RecordingStage.createdAt)
    let (one, two) = (ArchiveID("one"), ArchiveID("two"))
    try stage.store.delete(one)
    #expect(throws: ArchiveError.notFound(one)) { try stage.store.manifest(one) }
    #expect(try stage.store.manifest(two).id == "two")
    try stage.store.delete(two)
    #expect(throws: ArchiveError.notFound(two)) { try stage.store.delete(two) }
    #expect(!FileManager.default.fileExists(atPath: stage.store.root + "/2026"))
  }

  @Test func interruptedDeletionIsCompleted() throws {
    let stage = try RecordingStage()
    try makeArchive("one", in: stage, createdAt: RecordingStage.createdAt)
    let path = try stage.store.path(ArchiveID("one"))
    try FileManager.default.moveItem(atPath: path, toPath: path + ".deleted")
    #expect(try stage.store.list() == [])
    #expect(try stage.store.recover().isEmpty)
    #expect(!FileManager.default.fileExists(atPath: path + ".deleted"))
  }

  @Test func opensOnlyFilesThatTheManifestNames() throws {
    let stage = try RecordingStage()
    try makeArchive("one", in: stage, createdAt: RecordingStage.createdAt)
    let one = ArchiveID("one")
    let manifest = try stage.store.openFile(one, name: "archive.json")
    #expect(try Array(stage.store.manifest(one).json()) == manifest.read(at: 0, count: 1 << 30))
    for name in ["../one/archive.json", "x.webm", "", "/etc/passwd", "archive.json.tmp"] {
      #expect(throws: ArchiveError.invalidName(name)) { try stage.store.openFile(one, name: name) }
    }
  }

  @Test func symbolicLinksAreNotFollowed() throws {
    let stage = try RecordingStage()
    try makeArchive("one", in: stage, createdAt: RecordingStage.createdAt)
    let path = try stage.store.path(ArchiveID("one"))
    try FileManager.default.moveItem(atPath: path + "/archive.json", toPath: stage.folder.path + "/elsewhere")
    try FileManager.default.createSymbolicLink(
      atPath: path + "/archive.json", withDestinationPath: stage.folder.path + "/elsewhere")
    #expect(throws: ArchiveError.self) { try stage.store.manifest(ArchiveID("one")) }
  }

  @Test(arguments: [
    "", "{", "[]", "{\"id\":\"one\"}", String(repeating: "[", count: 100_000), "\u{0}",
  ]) func damagedManifestsAreRefused(json: String) {
    #expect(throws: ArchiveError.self) { try ArchiveManifest(json: Data(json.utf8)) }
  }

  @Test func manifestWithAPathAsFileNameIsRefused() throws {
    var manifest = ArchiveManifest(
      id: ArchiveID("one"), details: ArchiveDetails(sessionID: "s"), createdAt: 0, clockSynchronized: false)
    manifest.files = [
      .init(
        streamId: "x", connectionData: "", filename: "x.webm", size: 1, startTimeOffset: 0, stopTimeOffset: 1,
        videoType: nil)
    ]
    #expect(try ArchiveManifest(json: manifest.json()) == manifest)
    manifest.files[0].filename = "../../x.webm"
    #expect(throws: ArchiveError.invalidName("../../x.webm")) { try ArchiveManifest(json: manifest.json()) }
  }
}
