import Archive
import Foundation
import TestSupport
import Testing

@testable import ArchiveReading

@Suite struct ArchiveExportTests {
  @Test func joinedFileAppearsWhenItIsWhole() async throws {
    let stage = try await ExportStage.ofBoth()
    let path = stage.path("out.webm")
    var progress: [Double] = []
    let result = try stage.export.join(to: path, replaces: false) { part in
      progress.append(part)
      #expect(!FileManager.default.fileExists(atPath: path))
    }
    #expect(progress == progress.sorted() && progress.allSatisfy { (0...1).contains($0) } && progress.count > 3)
    #expect(result.problems == [])
    #expect(stage.leftovers == ["out.webm"])
    #expect(try MediaInspection.probeWarnings(path) == "")
    #expect(result.byteCount == UInt64(try Data(contentsOf: URL(filePath: path)).count))
  }

  @Test func nothingIsReplacedUnlessForced() async throws {
    let stage = try await ExportStage.ofBoth()
    let path = stage.path("out.webm")
    try Data("mine".utf8).write(to: URL(filePath: path))
    let export = stage.export
    #expect(throws: ExportError.exists(path: path)) {
      try export.join(to: path, replaces: false) { _ in }
    }
    #expect(try Data(contentsOf: URL(filePath: path)) == Data("mine".utf8))
    _ = try export.join(to: path, replaces: true) { _ in }
    #expect(try MediaInspection.probeWarnings(path) == "")
    #expect(stage.leftovers == ["out.webm"])
  }

  @Test func fileThatAppearsMeanwhileIsNotReplaced() async throws {
    let stage = try await ExportStage.ofBoth()
    let path = stage.path("out.webm")
    #expect(throws: ExportError.exists(path: path)) {
      try stage.export.join(to: path, replaces: false) { _ in
        try Data("mine".utf8).write(to: URL(filePath: path))
      }
    }
    #expect(try Data(contentsOf: URL(filePath: path)) == Data("mine".utf8))
    #expect(stage.leftovers == ["out.webm"])
  }

  @Test func cancelledExportLeavesNothing() async throws {
    let stage = try await ExportStage.ofBoth()
    let export = stage.export
    #expect(throws: CancellationError.self) {
      try export.join(to: stage.path("out.webm"), replaces: false) { if $0 > 0.3 { throw CancellationError() } }
    }
    let ffmpeg = try FFmpeg(searchPath: "/usr/local/bin:/usr/bin")
    #expect(throws: CancellationError.self) {
      try export.renderSideBySide(to: stage.path("out.mp4"), replaces: false, ffmpeg: ffmpeg) { _ in
        throw CancellationError()
      }
    }
    #expect(stage.leftovers == [])
  }

  /// A name that its folder has not got on the disk is gone after a power cut.
  @Test(arguments: [false, true]) func nameIsPutOnTheDisk(replaces: Bool) throws {
    let folder = try TemporaryFolder()
    var named: [Bool] = []
    let file = try ExportFile(path: folder.path + "/out.webm", replaces: replaces) { descriptor in
      named.append(faccessat(descriptor, "out.webm", F_OK, 0) == 0)
      return fsync(descriptor)
    }
    try file.commit()
    #expect(named == [true])
  }

  @Test(arguments: [("a.webm", ExportFormat.webm), ("b.MKV", .mkv), (".mp4", .mp4)])
  func theSuffixNamesTheContainer(path: String, format: ExportFormat) throws {
    #expect(try ExportFormat(path: path) == format)
  }

  @Test(arguments: ["a", "webm", "a.webm.part", "a.avi", ""]) func anUnknownSuffixNamesTheKnownOnes(path: String) {
    #expect(throws: ExportError.unknownFormat(path: path)) { try ExportFormat(path: path) }
    #expect(ExportError.unknownFormat(path: path).description.hasSuffix("there are .webm, .mkv, .mp4"))
  }

  @Test func otherNamesAndPlacesAreRefused() async throws {
    let stage = try await ExportStage.ofBoth()
    let export = stage.export
    #expect(throws: ExportError.joinedIsWebM(path: "out.mp4")) {
      try export.join(to: "out.mp4", replaces: false) { _ in }
    }
    #expect(throws: ExportError.unknownFormat(path: "out.avi")) {
      try export.join(to: "out.avi", replaces: false) { _ in }
    }
    let path = stage.path("missing/out.webm")
    #expect(throws: ExportError.system(path: path, errno: ENOENT)) {
      try export.join(to: path, replaces: false) { _ in }
    }
    #expect(throws: ExportError.ffmpegMissing) { try FFmpeg(searchPath: "/nonexistent:relative") }
  }

  @Test(arguments: ["mp4", "mkv", "webm"]) func sideBySideShowsBothInOnePicture(format: String) async throws {
    let stage = try await ExportStage.ofBoth()
    let path = stage.path("out.\(format)")
    let ffmpeg = try FFmpeg(searchPath: "/usr/local/bin:/usr/bin")
    _ = try stage.export.renderSideBySide(to: path, replaces: false, ffmpeg: ffmpeg) { _ in
    }
    #expect(stage.leftovers == ["out.\(format)"])
    #expect(try MediaInspection.probeWarnings(path) == "")
    let duration = try #require(try MediaInspection.duration(path))
    #expect(abs(duration - 13.73) < 0.15)
    let frames = try MediaInspection.packets(path).filter { $0.stream == 0 }
    #expect(abs(frames.count - 412) <= 2)
    // 320×240 scaled to 480 lines beside 640×480: the caller's half is black until it comes.
    let early = try brightness(path, at: 1.0)
    let late = try brightness(path, at: 5.0)
    let end = try brightness(path, at: 13.0)
    #expect(early.left > 50 && early.right < 20, "\(early)")
    #expect(late.left > 50 && late.right > 50, "\(late)")
    #expect(end.left < 20 && end.right > 50, "\(end)")
  }

  @Test func partyWithoutFramesIsBlack() async throws {
    let stage = try await ExportStage(device: [nil, try SampleMedia.video()], caller: [try SampleMedia.audio()])
    let path = stage.path("out.mp4")
    let ffmpeg = try FFmpeg(searchPath: "/usr/local/bin:/usr/bin")
    _ = try stage.export.renderSideBySide(to: path, replaces: false, ffmpeg: ffmpeg) { _ in
    }
    let picture = try brightness(path, at: 5)
    #expect(picture.left > 50 && picture.right < 20)
    let onlySound = try await ExportStage(device: [try SampleMedia.audio()])
    #expect(throws: ExportError.noVideo) {
      try onlySound.export
        .renderSideBySide(to: path, replaces: true, ffmpeg: ffmpeg) { _ in }
    }
  }

  /// The mean luminance of the two halves of one picture.
  private func brightness(_ path: String, at seconds: Double) throws -> (left: Int, right: Int) {
    let output = try ExternalProgram.run(
      "ffmpeg",
      [
        "-v", "error", "-ss", "\(seconds)", "-i", path, "-frames:v", "1", "-vf", "scale=2:1:flags=area,format=gray",
        "-f",
        "rawvideo", "-",
      ])
    let bytes = [UInt8](output.standardOutput)
    return try (Int(#require(bytes.first)), Int(#require(bytes.last)))
  }
}
