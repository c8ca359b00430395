import Archive
import Foundation
import TestSupport
import Signalling
import Testing

/// A disk that fills up under way. Needs a disk of its own, which only root can mount.
@Suite(
  .timeLimit(.minutes(3)), .enabled("only root can mount a small tmpfs") { geteuid() == 0 && SmallDisk.canBeMounted })
struct FullDiskTests {
  /// Sizes around each other, so that the disk is full at different places within a cluster.
  @Test(arguments: Array(stride(from: 300, to: 332, by: 4)))
  func fullDiskFailsTheArchiveAndKeepsWhatWasWritten(kilobytes: Int) async throws {
    let disk = try SmallDisk(kilobytes: kilobytes)
    let stage = try RecordingStage(root: disk.path)
    let recorder = try stage.startRecorder()
    try stage.addStream("publisher", to: recorder).pushSamples()
    let manifest = await recorder.stop()
    #expect(manifest.status == .failed)
    #expect(manifest.reason == "disk full")
    #expect(try stage.store.manifest(RecordingStage.id) == manifest)
    #expect(manifest.files[0].stopTimeOffset > 2_000)
    #expect(try stage.store.verify(RecordingStage.id) == [])
    #expect(try MediaInspection.probeWarnings(try stage.path("publisher.webm")) == "")
    #expect(try stage.store.recover().isEmpty)
  }

  @Test func lowSpaceStopsTheRecordingBefore() async throws {
    let disk = try SmallDisk(kilobytes: 2_000)
    let stage = try RecordingStage(root: disk.path)
    let recorder = try stage.startRecorder(minimumFreeBytes: 1_000_000)
    try stage.addStream("publisher", to: recorder).pushSamples()
    try Data(count: 1_000_000).write(to: URL(fileURLWithPath: disk.path + "/other"))
    let inbox = try stage.addStream("caller", to: recorder)
    try inbox.pushSamples()
    try await eventually { stage.events.count >= 2 }
    let manifest = await recorder.stop(reason: "too late")
    #expect(manifest.status == .available)
    #expect(manifest.reason == "not enough disk space")
    #expect(try stage.store.verify(RecordingStage.id) == [])
  }
}

/// A disk that becomes read-only, as after errors.
@Suite(
  .timeLimit(.minutes(3)), .enabled("only root can mount a small tmpfs") { geteuid() == 0 && SmallDisk.canBeMounted })
struct ReadOnlyDiskTests {
  @Test func readOnlyDiskIsNamedAtTheStartAndUnderWay() async throws {
    let disk = try SmallDisk(kilobytes: 2_000)
    let stage = try RecordingStage(root: disk.path)
    let recorder = try stage.startRecorder()
    try await stage.settle()
    try ExternalProgram.run("mount", ["-o", "remount,ro", disk.path])
    #expect {
      _ = try stage.startRecorder(ArchiveID("other"))
    } throws: { error in
      String(describing: error).contains("mount it for writing")
    }
    try stage.addStream("publisher", to: recorder).pushSamples()
    try await eventually { stage.events.count >= 2 }
    let manifest = await recorder.stop()
    #expect(manifest.status == .failed)
    #expect(manifest.reason == "read-only file system")
    try ExternalProgram.run("mount", ["-o", "remount,rw", disk.path])
    _ = try stage.store.recover()
    #expect(try stage.store.verify(RecordingStage.id) == [])
  }
}

/// A tmpfs that is unmounted when the value goes.
final class SmallDisk {
  private let folder: TemporaryFolder
  let path: String

  init(kilobytes: Int) throws {
    folder = try TemporaryFolder()
    path = folder.path + "/disk"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    try ExternalProgram.run("mount", ["-t", "tmpfs", "-o", "size=\(kilobytes)k", "tmpfs", path])
  }

  deinit { _ = try? ExternalProgram.run("umount", [path]) }

  /// Containers may deny it even to root.
  static let canBeMounted = (try? SmallDisk(kilobytes: 64)) != nil
}
