import Archive
import Foundation
import TestSupport
import Testing

@testable import ArchiveReading

/// Pictures as no camera makes them, through the real ffmpeg.
@Suite struct OddFrameTests {
  private func render(_ device: [SampleFrame], _ caller: [SampleFrame]) async throws -> (width: Int, height: Int) {
    let stage = try await ExportStage(device: [nil, device], caller: [try SampleMedia.audio(), caller])
    let path = stage.path("out.mp4")
    let ffmpeg = try FFmpeg(searchPath: "/usr/local/bin:/usr/bin")
    _ = try stage.export
      .renderSideBySide(to: path, replaces: false, ffmpeg: ffmpeg) { _ in }
    #expect(try MediaInspection.probeWarnings(path) == "")
    let output = try ExternalProgram.run(
      "ffprobe",
      [
        "-v", "error", "-select_streams", "v", "-show_entries", "stream=width,height", "-of", "csv=p=0:s=x", path,
      ])
    let numbers = String(decoding: output.standardOutput, as: UTF8.self).split { !$0.isNumber }.compactMap { Int($0) }
    return try (#require(numbers.first), #require(numbers.last))
  }

  @Test(arguments: [[16, 4_096], [4_096, 16], [1, 1], [2, 1_000], [333, 111], [3_001, 2_001]])
  func shapes(size: [Int]) async throws {
    let odd = try SampleMedia.clip(sizes: [(size[0], size[1])])
    // Two large ones side by side would be encoded for ten seconds.
    let isSmall = size[0] * size[1] < 1_000_000
    for caller in [try SampleMedia.clip(sizes: [(320, 240)])] + (isSmall ? [odd] : []) {
      let picture = try await render(odd, caller)
      #expect(picture.width % 2 == 0 && picture.height % 2 == 0)
      #expect((120...1_080).contains(picture.height) && (80...3_844).contains(picture.width), "\(picture)")
    }
  }

  @Test func sizesThatChange() async throws {
    let odd = try SampleMedia.clip(sizes: [(320, 240), (16, 1_024), (1, 1), (1_024, 16), (641, 361), (320, 240)])
    let picture = try await render(odd, try SampleMedia.clip(sizes: [(1, 1), (640, 480)]))
    #expect(picture.height == 240)
  }
}
