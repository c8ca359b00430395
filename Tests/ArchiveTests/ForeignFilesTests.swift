import Foundation
import Glibc
import MediaCore
import TestSupport
import OpenSSLCrypto
import RealtimeRuntime
import Signalling
import Testing
import WebM

@testable import Archive

/// Each kind of foreign file in an archive's folder, and each command that works on one: nothing is deleted or changed that the
/// recorder did not make, it is reported, and the recordings beside it are served as ever.
@Suite(.timeLimit(.minutes(5))) struct ForeignFilesTests {
  private enum Command: String, CaseIterable {
    case recovery, repair, verify, export, retention, rename, content
  }

  private static let id = RecordingStage.id
  private static let cases = ForeignFile.allCases.flatMap { file in
    Command.allCases.map { [file.rawValue, $0.rawValue] }
  }

  /// A finished recording of a second and a half with a foreign file beside it.
  private struct Scene {
    let stage: RecordingStage
    let folder: String
    let file: ForeignFile
    let before: FileState
    let outside: FileState

    init(_ file: ForeignFile) async throws {
      self.file = file
      stage = try RecordingStage(evidence: .sample(try Ed25519Key()))
      let recorder = try stage.startRecorder()
      let inbox = try stage.addStream("device", to: recorder, hasVideo: false)
      for (number, frame) in try SampleMedia.audio().prefix(75).enumerated() {
        inbox.push(.audio, frame, number: number)
      }
      _ = await recorder.stop()
      folder = try stage.store.path(ForeignFilesTests.id)
      let other = stage.folder.path + "/outside.webm"
      try Data("secret".utf8).write(to: URL(filePath: other))
      try file.lay(in: folder, outside: other)
      before = try #require(FileState(folder + "/" + file.name))
      outside = try #require(FileState(other))
    }

    var path: String { folder + "/" + file.name }
    var store: ArchiveStore { stage.store }

    /// As after a power cut.
    func interrupt() throws {
      var manifest = try store.manifest(ForeignFilesTests.id)
      manifest.status = .started
      manifest.reason = ""
      manifest.files[0].size = 0
      try manifest.json().write(to: URL(filePath: folder + "/archive.json"))
    }

    func expectUntouched() {
      #expect(FileState(path) == before)
      #expect(FileState(stage.folder.path + "/outside.webm") == outside)
    }

    /// The recording is whole, and nothing else became part of it.
    func expectSound() throws {
      #expect(try store.manifest(ForeignFilesTests.id).files.map(\.filename) == ["device.webm"])
      #expect(try store.manifest(ForeignFilesTests.id).status == .available)
      #expect(try store.verify(ForeignFilesTests.id).filter(\.isProblem) == [])
      #expect(try store.content(ForeignFilesTests.id).problems == [])
    }

    var reported: [String] {
      get throws {
        try store.verify(ForeignFilesTests.id)
          .compactMap { if case .foreignFile(let name) = $0 { name } else { nil } }
      }
    }
  }

  @Test(arguments: cases) func foreignFile(_ pair: [String]) async throws {
    let file = try #require(ForeignFile(rawValue: pair[0]))
    let scene = try await Scene(file)
    let expected = [file.name]
    switch try #require(Command(rawValue: pair[1])) {
    case .recovery:
      try scene.interrupt()
      let results = try scene.store.recover()
      let foreign = results.compactMap { if case .foreign(_, let names) = $0 { names } else { nil } }.flatMap(\.self)
      #expect(foreign == expected)
      #expect(!results.contains { if case .failed = $0 { true } else { false } }, "\(results)")
      #expect(try scene.store.recover().isEmpty)
    case .repair:
      let report = try scene.store.repair(Self.id)
      #expect(report.changes == [] && report.foreign == expected)
      try scene.interrupt()
      #expect(try scene.store.repair(Self.id).foreign == expected)
      #expect(try scene.store.repair(Self.id).changes == [])
    case .verify:
      #expect(try scene.reported == expected)
      // Evidence says that the device did not make it.
      let report = try EvidenceArchive.verify(scene.folder)
      #expect(report.findings == [.addedFile(file.name)])
    case .export: try expectExport(scene)
    case .retention: return try expectRetention(scene)
    case .rename:
      try scene.store.rename(Self.id, to: "other")
      #expect(try scene.store.manifest(Self.id).name == "other")
    case .content: #expect(try scene.store.content(Self.id).otherFiles.contains(file.name))
    }
    scene.expectUntouched()
    try scene.expectSound()
  }

  private func expectExport(_ scene: Scene) throws {
    let remuxer = try ArchiveRemuxer(Self.id, in: scene.store)
    var byteCount = 0
    try remuxer.run { _, bytes in byteCount += bytes.byteCount }
    #expect(byteCount > 5_000 && remuxer.problems == [])
  }

  /// The recording goes when its time has come, and what others put there stays.
  private func expectRetention(_ scene: Scene) throws {
    let job = RetentionJob(store: scene.store, limits: ArchiveLimits(maximumTotal: 0))
    let reports = job.keep()
    #expect(reports.contains { if case .deleted(Self.id, _, _) = $0 { true } else { false } }, "\(reports)")
    #expect(!FileManager.default.fileExists(atPath: scene.folder + "/device.webm"))
    #expect(throws: ArchiveError.self) { try scene.store.manifest(Self.id) }
    scene.expectUntouched()
    let again = job.keep()
    #expect(again == [.foreign(count: 1, example: scene.folder)])
    let results = try scene.store.recover()
    #expect(
      results.contains { if case .foreign(Self.id, [scene.file.name]) = $0 { true } else { false } }, "\(results)")
    scene.expectUntouched()
  }

  /// Something else in the place of a recording that the manifest names: it is left alone and named, and the other recording is
  /// served.
  @Test(
    arguments: [ForeignFile.symbolicLink, .dangling, .pipe, .socket, .device, .folder, .hardLink, .sparse].map(
      \.rawValue)
  ) func inPlaceOfARecording(kind: String) async throws {
    let file = try #require(ForeignFile(rawValue: kind))
    let stage = try RecordingStage(evidence: .sample(try Ed25519Key()))
    let recorder = try stage.startRecorder()
    for name in ["device", "caller"] {
      let inbox = try stage.addStream(name, to: recorder, hasVideo: false)
      for (number, frame) in try SampleMedia.audio().prefix(75).enumerated() {
        inbox.push(.audio, frame, number: number)
      }
    }
    let finished = await recorder.stop()
    let folder = try stage.store.path(Self.id)
    let outside = stage.folder.path + "/outside.webm"
    try FileManager.default.moveItem(atPath: folder + "/device.webm", toPath: outside)
    try file.lay(in: folder, outside: outside)
    #expect(rename(folder + "/" + file.name, folder + "/device.webm") == 0)
    let before = FileState(folder + "/device.webm")
    let original = FileState(outside)
    try expectExportOfTheOther(stage, isReadable: file == .hardLink)
    if file != .hardLink {
      let findings = try stage.store.verify(Self.id)
      #expect(findings.count == 1, "\(findings)")
      guard case .replacedFile("device.webm", _)? = findings.first else {
        Issue.record("\(findings)")
        return
      }
      #expect(try stage.store.content(Self.id).problems == findings)
      #expect(try EvidenceArchive.verify(folder).findings == [.replacedFile("device.webm")])
    }
    #expect {
      _ = try stage.store.openFile(Self.id, name: "device.webm")
    } throws: { "\($0)".hasPrefix("device.webm") }
    // Repair and recovery: it stays named, and the other one is made whole.
    #expect(try stage.store.repair(Self.id).changes == [])
    var started = finished
    started.status = .started
    started.files[1].size = 0
    started.files[0].size = 0
    try started.json().write(to: URL(filePath: folder + "/archive.json"))
    _ = try stage.store.recover()
    let recovered = try stage.store.manifest(Self.id)
    #expect(recovered.status == .available)
    #expect(recovered.files.map(\.filename) == ["device.webm", "caller.webm"])
    #expect(recovered.files[1].size == finished.files[1].size)
    #expect(FileState(folder + "/device.webm") == before)
    #expect(FileState(outside) == original)
  }

  /// The other file, and the name of this one.
  private func expectExportOfTheOther(_ stage: RecordingStage, isReadable: Bool) throws {
    let remuxer = try ArchiveRemuxer(Self.id, in: stage.store)
    try remuxer.run { _, _ in }
    #expect(remuxer.tracks.map(\.streamID) == (isReadable ? ["device", "caller"] : ["caller"]))
    #expect(remuxer.problems.count == (isReadable ? 0 : 1))
    #expect(remuxer.problems.allSatisfy { $0.hasPrefix("device.webm") }, "\(remuxer.problems)")
  }

  /// Besides archives: nothing of it is an archive, and nothing goes.
  @Test func foreignFoldersAndFilesBesideArchives() async throws {
    let scene = try await Scene(.notes)
    let day = scene.store.root + "/2026/11/21"
    let places = [
      scene.store.root + "/lost+found", scene.store.root + "/readme", day + "/backup", day + "/backup.deleted",
      day + "/odd name", scene.store.root + "/2026/notes",
    ]
    for place in places {
      try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
      try Data("mine".utf8).write(to: URL(filePath: place + "/mine.webm"))
    }
    try Data("mine".utf8).write(to: URL(filePath: day + "/file"))
    try scene.interrupt()
    let recovered = try scene.store.recover()
    #expect(recovered.contains { if case .recovered(let manifest) = $0 { manifest.id == Self.id } else { false } })
    #expect(try scene.store.list().map(\.id) == [Self.id])
    let job = RetentionJob(store: scene.store, limits: ArchiveLimits(maximumTotal: 0))
    let reports = job.keep()
    #expect(reports.contains { if case .foreign(4, _) = $0 { true } else { false } }, "\(reports)")
    for place in places { #expect(FileManager.default.fileExists(atPath: place + "/mine.webm"), "\(place)") }
    #expect(FileManager.default.fileExists(atPath: day + "/file"))
  }

  /// What an interrupted deletion leaves is recognized, however far it came, and completed but for what is foreign.
  @Test(arguments: 0...3) func interruptedDeletionsAreCompleted(removed: Int) async throws {
    let scene = try await Scene(.notes)
    let condemned = scene.folder + ".deleted"
    try FileManager.default.moveItem(atPath: scene.folder, toPath: condemned)
    // Files go in the order of their names, the manifest last.
    let names = ["device.webm", "evidence.bin", "notes.txt", "archive.json"]
    for name in names.prefix(removed + 1) { try FileManager.default.removeItem(atPath: condemned + "/" + name) }
    _ = try scene.store.recover()
    #expect(!FileManager.default.fileExists(atPath: condemned))
    let left = try? FileManager.default.contentsOfDirectory(atPath: scene.folder)
    #expect(left == (removed < 2 ? ["notes.txt"] : nil))
  }

  /// Headers that were torn, and files whose beginning never reached the disk, are still ours.
  @Test(arguments: [0, 30, 60, 100, 511, 512, 4_096, 21_504, 21_600]) func tornBeginningsOfOursGo(byteCount: Int)
    async throws
  {
    let scene = try await Scene(.notes)
    let whole = try Data(contentsOf: URL(filePath: scene.folder + "/device.webm"))
    let path = scene.folder + "/caller.webm"
    for blank in [false, true] {
      try (blank ? Data(count: byteCount) : whole.prefix(byteCount)).write(to: URL(filePath: path))
      try scene.interrupt()
      _ = try scene.store.recover()
      #expect(!FileManager.default.fileExists(atPath: path), "\(byteCount) \(blank)")
      try scene.expectSound()
    }
  }

  /// A power cut kept the first page from the disk, and not those behind it.
  @Test(arguments: [512, 4_096, 24_000]) func mediaBehindABlankBeginningIsKept(blank: Int) async throws {
    let stage = try RecordingStage()
    let recorder = try stage.startRecorder()
    try stage.addStream("device", to: recorder).pushSamples()
    var started = await recorder.stop()
    let path = try stage.path("device.webm")
    var bytes = try Data(contentsOf: URL(filePath: path))
    bytes.replaceSubrange(0..<blank, with: Data(count: blank))
    try bytes.write(to: URL(filePath: path))
    started.status = .started
    started.files[0].size = 0
    try started.json().write(to: URL(filePath: try stage.path("archive.json")))
    _ = try stage.store.recover()
    let recovered = try stage.store.manifest(Self.id)
    #expect(recovered.status == .available)
    #expect((recovered.files.first?.stopTimeOffset ?? 0) > 11_000)
    #expect(try stage.store.verify(Self.id) == [])
    #expect(try MediaInspection.probeWarnings(path) == "")
  }
}
