import Archive
import Foundation
import TestSupport
import Testing

@testable import ArchiveReading

/// Programs that are content with what is not whole, and disks on which nothing else fits.
@Suite(.timeLimit(.minutes(3))) struct UnreliableProgramTests {
  /// What happens to a file that the real ffmpeg has rendered, before the program says that all is well.
  enum Damage: String, CaseIterable {
    case half = "truncate -s $(($(stat -c %s \"$file\") / 2)) \"$file\""
    case end = "truncate -s -40000 \"$file\""
    case nothing = "truncate -s 0 \"$file\""
    case soundGone =
      "case $file in *.mp4.*) f=mp4;; *) f=webm;; esac; ffmpeg -v error -i \"$file\" -c copy -an -f $f -y \"$file.x\"; mv \"$file.x\" \"$file\""
    case garbage = "head -c 300000 /dev/zero > \"$file\""
  }

  /// Rendered fast.
  private static func smallStage() async throws -> ExportStage {
    try await ExportStage(device: [try SampleMedia.audio(), try SampleMedia.smallVideo()])
  }

  private func program(_ damage: Damage, in folder: String) throws -> FFmpeg {
    let path = folder + "/bin"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    let script = """
      #!/bin/sh
      PATH=/usr/local/bin:/usr/bin:/bin
      ffmpeg "$@" || exit
      case "$*" in *-filter_complex*) ;; *) exit 0;; esac
      for last; do :; done
      file="${last#file:}"
      \(damage.rawValue)
      exit 0
      """
    try Data(script.utf8).write(to: URL(filePath: path + "/ffmpeg"))
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path + "/ffmpeg")
    return try FFmpeg(searchPath: path)
  }

  @Test(arguments: ["mp4", "webm"], Damage.allCases.map(\.rawValue))
  func whatIsNotWholeIsNoResult(format: String, damage: String) async throws {
    let stage = try await Self.smallStage()
    let tools = try TemporaryFolder()
    let ffmpeg = try program(try #require(Damage(rawValue: damage)), in: tools.path)
    #expect {
      _ = try stage.export.renderSideBySide(to: stage.path("out.\(format)"), replaces: false, ffmpeg: ffmpeg) { _ in }
    } throws: { error in
      guard case ExportError.notWhole = error else { return false }
      return true
    }
    #expect(stage.leftovers == [])
  }

  /// A file that was there before stays.
  @Test func aFileThatWasToBeReplacedStays() async throws {
    let stage = try await Self.smallStage()
    let path = stage.path("out.mp4")
    try Data("before".utf8).write(to: URL(filePath: path))
    let tools = try TemporaryFolder()
    let ffmpeg = try program(.half, in: tools.path)
    #expect(throws: ExportError.self) {
      _ = try stage.export.renderSideBySide(to: path, replaces: true, ffmpeg: ffmpeg) { _ in }
    }
    #expect(try Data(contentsOf: URL(filePath: path)) == Data("before".utf8))
  }

  /// A disk on which all fits but the end: the index of an .mp4, the last pictures of a .webm.
  @Test(
    .enabled("only root can mount a small tmpfs") { geteuid() == 0 && FullDisk.canBeMounted },
    arguments: ["mp4", "webm"])
  func aDiskThatIsFullBeforeTheEnd(format: String) async throws {
    let stage = try await Self.smallStage()
    let ffmpeg = try FFmpeg(searchPath: "/usr/local/bin:/usr/bin")
    let whole = try stage.export.renderSideBySide(to: stage.path("out.\(format)"), replaces: false, ffmpeg: ffmpeg) {
      _ in
    }
    for missing in [4, 12, 40, 100] {
      let disk = try FullDisk(kilobytes: Int(whole.byteCount / 1_024) - missing)
      let path = disk.path + "/out.\(format)"
      do {
        _ = try stage.export.renderSideBySide(to: path, replaces: false, ffmpeg: ffmpeg) { _ in }
        // Encoders that are in a hurry take a little less at another time.
        #expect(missing < 40)
        #expect(try MediaInspection.probeWarnings(path) == "")
        #expect(try #require(try MediaInspection.duration(path)) > 11.5)
      } catch is ExportError {
        #expect(try FileManager.default.contentsOfDirectory(atPath: disk.path) == [])
      }
    }
  }

  /// A tmpfs that is unmounted when the value goes.
  private final class FullDisk {
    private let folder: TemporaryFolder
    let path: String

    init(kilobytes: Int) throws {
      folder = try TemporaryFolder()
      path = folder.path + "/disk"
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
      try ExternalProgram.run("mount", ["-t", "tmpfs", "-o", "size=\(kilobytes)k", "tmpfs", path])
    }

    deinit { _ = try? ExternalProgram.run("umount", [path]) }

    static let canBeMounted = (try? FullDisk(kilobytes: 64)) != nil
  }
}
