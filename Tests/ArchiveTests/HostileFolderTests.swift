import Foundation
import Glibc
import MediaCore
import TestSupport
import Signalling
import Testing

@testable import Archive

/// A disk that somebody has prepared: nothing outside of the archives' folder is read, changed or deleted, and nothing
/// hangs.
@Suite struct HostileFolderTests {
  private let stage: RecordingStage
  private let outside: String
  private let secret: String
  private static let one = ArchiveID("one")
  private static let day = "/2026/11/21"

  init() throws {
    stage = try RecordingStage()
    outside = stage.folder.path + "/outside"
    secret = outside + "/secret.webm"
    try FileManager.default.createDirectory(atPath: outside, withIntermediateDirectories: true)
    try Data("secret".utf8).write(to: URL(filePath: secret))
    try makeArchive()
  }

  private var path: String { stage.store.root + Self.day + "/one" }

  private func makeArchive(_ id: ArchiveID = one, status: ArchiveStatus = .available) throws {
    let folder = try stage.store.create(id, on: CalendarDay(milliseconds: RecordingStage.createdAt))
    try folder.write(manifest(of: id, files: ["device.webm"], status: status))
  }

  private func manifest(
    of id: ArchiveID = one, files: [String], status: ArchiveStatus = .available
  ) -> ArchiveManifest {
    var manifest = ArchiveManifest(
      id: id, details: ArchiveDetails(sessionID: "s", callerID: "c"), createdAt: RecordingStage.createdAt,
      clockSynchronized: true,
      status: status)
    manifest.files = files.map {
      .init(
        streamId: "device", connectionData: "", filename: $0, size: status == .started ? 0 : 6, startTimeOffset: 0,
        stopTimeOffset: 0)
    }
    return manifest
  }

  private func secretIsUntouched() -> Bool {
    (try? Data(contentsOf: URL(filePath: secret))) == Data("secret".utf8)
  }

  private enum Trap: String, CaseIterable {
    case symbolicLink, hardLink, pipe, socket, device, directory, dangling

    /// Puts itself in a file's place.
    func lay(at path: String, target: String) throws {
      unlink(path)
      let result =
        switch self {
        case .symbolicLink: symlink(target, path)
        case .hardLink: link(target, path)
        case .pipe: mkfifo(path, 0o600)
        case .socket: mknod(path, S_IFSOCK | 0o600, 0)
        // The endless one, /dev/zero; needs root, else a link to it does.
        case .device: mknod(path, S_IFCHR | 0o600, 0x0105) == 0 ? 0 : symlink("/dev/zero", path)
        case .directory: mkdir(path, 0o700)
        case .dangling: symlink("/nowhere/at/all", path)
        }
      #expect(result == 0)
    }
  }

  @Test(arguments: Trap.allCases.map(\.rawValue)) func mediaFiles(trap: String) throws {
    try #require(Trap(rawValue: trap)).lay(at: path + "/device.webm", target: secret)
    #expect(throws: ArchiveError.self) { try stage.store.openFile(Self.one, name: "device.webm") }
    _ = try? stage.store.verify(Self.one)
    _ = try? stage.store.content(Self.one)
    _ = try? ArchiveRemuxer(Self.one, in: stage.store)
    _ = try? stage.store.repair(Self.one)
    try? stage.store.delete(Self.one)
    #expect(secretIsUntouched())
  }

  @Test(arguments: Trap.allCases.map(\.rawValue)) func manifests(trap: String) throws {
    try Data(manifest(files: ["device.webm"], status: .started).json()).write(to: URL(filePath: secret))
    let before = try Data(contentsOf: URL(filePath: secret))
    for name in ["archive.json", "archive.json.tmp", "track.gpx", "locked"] {
      try #require(Trap(rawValue: trap)).lay(at: path + "/" + name, target: secret)
      _ = try? stage.store.recover()
      _ = try? stage.store.rename(Self.one, to: "other")
      _ = try? stage.store.lock(Self.one)
      _ = try? stage.store.list()
      #expect(try Data(contentsOf: URL(filePath: secret)) == before)
    }
    try? stage.store.delete(Self.one, isForced: true)
    #expect(try Data(contentsOf: URL(filePath: secret)) == before)
  }

  /// A year, month, day or archive that leads elsewhere.
  @Test(arguments: ["/2026", "/2026/11", "/2026/11/21", "/2026/11/21/one"]) func foldersThatAreLinks(level: String)
    throws
  {
    let moved = outside + "/moved"
    try FileManager.default.moveItem(atPath: stage.store.root + level, toPath: moved)
    try FileManager.default.createSymbolicLink(
      atPath: stage.store.root + level, withDestinationPath: moved)
    let before = try FileManager.default.subpathsOfDirectory(atPath: moved)
    #expect(try stage.store.list() == [])
    #expect(throws: ArchiveError.self) { try stage.store.delete(Self.one, isForced: true) }
    #expect(throws: ArchiveError.self) { try stage.store.openFile(Self.one, name: "archive.json") }
    _ = try stage.store.recover()
    _ = RetentionJob(store: stage.store, limits: ArchiveLimits(maximumTotal: 0)).keep()
    #expect(throws: ArchiveError.self) { _ = try stage.startRecorder(Self.one) }
    #expect(try FileManager.default.subpathsOfDirectory(atPath: moved) == before)
  }

  @Test(arguments: [
    ["../../../outside/secret.webm"], ["/etc/passwd"], ["..", "."], ["secret.webm/../x.webm"], ["a.webm", "a.webm"],
    [String(repeating: "a", count: 80) + ".webm"],
  ]) func manifestsThatNameTheWrongFiles(files: [String]) throws {
    try expectRefusal(ofFiles: files)
  }

  @Test func manifestsThatNameTooManyFiles() throws {
    try expectRefusal(ofFiles: (0...10_000).map { "s\($0).webm" })
  }

  private func expectRefusal(ofFiles files: [String]) throws {
    let json = try manifest(files: files).json()
    try Data(json).write(to: URL(filePath: path + "/archive.json"))
    #expect(throws: ArchiveError.self) { try stage.store.manifest(Self.one) }
    #expect(throws: ArchiveError.self) { try stage.store.openFile(Self.one, name: files[0]) }
  }

  /// A terabyte that takes nothing on the disk.
  @Test func filesOfHolesAreNotReadThrough() throws {
    try makeArchive(ArchiveID("torn"), status: .started)
    for id in ["one", "torn"] {
      let file = stage.store.root + Self.day + "/\(id)/device.webm"
      try Data([0x1A, 0x45, 0xDF, 0xA3]).write(to: URL(filePath: file))
      #expect(truncate(file, 1 << 40) == 0)
      let id = try #require(ArchiveID(id))
      let reason = ArchiveError.hollow("device.webm").description
      #expect(try stage.store.verify(id).contains(.replacedFile("device.webm", reason: reason)))
      #expect(throws: ArchiveError.hollow("device.webm")) { try stage.store.openFile(id, name: "device.webm") }
      _ = try stage.store.content(id)
    }
    let results = try stage.store.recover()
    #expect(results.contains { if case .foreign(ArchiveID("torn"), ["device.webm"]) = $0 { true } else { false } })
    #expect(try stage.store.repair(Self.one).foreign == ["device.webm"])
    try stage.store.delete(Self.one)
  }

  @Test func deletionsThatCannotBeCompletedStopNothing() throws {
    let root = stage.store.root + Self.day
    try FileManager.default.createDirectory(
      atPath: root + "/deep.deleted" + String(repeating: "/d", count: 20), withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(atPath: root + "/link.deleted", withDestinationPath: outside)
    try Data().write(to: URL(filePath: root + "/file.deleted"))
    try makeArchive(ArchiveID("torn"), status: .started)
    let recovered = try stage.store.recover().compactMap { result in
      if case .recovered(let manifest) = result { manifest.id } else { nil }
    }
    #expect(recovered == ["torn"])
    #expect(secretIsUntouched())
  }

  @Test func aFolderOfManyNamesIsReadInParts() throws {
    for number in 0..<9_000 { try Data().write(to: URL(filePath: path + "/x\(number)")) }
    try stage.store.delete(Self.one)
    #expect(!FileManager.default.fileExists(atPath: path))
    #expect(secretIsUntouched())
  }

  /// Whoever can read a folder can lock it.
  @Test func aLockThatNobodyReleasesIsNotWaitedForForEver() throws {
    let descriptor = open(stage.store.root + Self.day, O_RDONLY | O_DIRECTORY)
    defer { close(descriptor) }
    #expect(flock(descriptor, LOCK_EX) == 0)
    #expect(throws: ArchiveError.self) { try stage.store.delete(Self.one) }
  }

  @Test func refusedFilesLeaveNoDescriptorOpen() throws {
    try Trap.hardLink.lay(at: path + "/device.webm", target: secret)
    _ = try? stage.store.openFile(Self.one, name: "device.webm")
    let before = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
    for _ in 0..<200 { _ = try? stage.store.openFile(Self.one, name: "device.webm") }
    #expect(try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count < before + 100)
  }

  @Test func aFileThatShrinksWhileItIsReadEnds() throws {
    try Data(repeating: 1, count: 100_000).write(to: URL(filePath: path + "/device.webm"))
    let file = try stage.store.openFile(Self.one, name: "device.webm")
    #expect(file.byteCount == 100_000)
    #expect(truncate(path + "/device.webm", 10) == 0)
    #expect(try file.read(at: 0, count: 65_536).count == 10)
    #expect(try file.read(at: 65_536, count: 65_536).isEmpty)
    #expect(throws: ArchiveError.self) { try file.read(at: .max, count: .max) }
  }
}
