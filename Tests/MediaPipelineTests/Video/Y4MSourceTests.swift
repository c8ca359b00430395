import Foundation
import MediaCore
import RealtimeRuntime
import Testing

@testable import MediaPipeline

private func source(_ path: String, repeats: Bool = true) throws(SourceFailure) -> any FrameSource {
  try SystemSources.open(
    SourceRequest(
      selection: .file(path: path, repeats: repeats), width: 640, height: 480, frameRate: 30))
}

private func reason(_ path: String) -> String? {
  do {
    _ = try source(path)
    return nil
  } catch {
    return error.reason
  }
}

/// Plays `count` pictures; returns the lumas and instants.
private func play(
  _ source: any FrameSource, _ count: Int
) throws(SourceFailure) -> (lumas: [UInt8], instants: [MonotonicInstant]) {
  guard let stop = try? EventDescriptor() else { return ([], []) }
  let slot = FrameSlot(width: source.description.width, height: source.description.height)
  var result: (lumas: [UInt8], instants: [MonotonicInstant]) = ([], [])
  for _ in 0..<count {
    guard case .frame(let instant) = try source.next(into: slot, until: stop) else { break }
    result.lumas.append(slot.image.view.luma(x: 0, y: 0))
    result.instants.append(instant)
  }
  return result
}

@Suite struct Y4MSourceTests {
  @Test func repeatsWithoutAGap() throws {
    let clip = try Y4MClip(width: 33, height: 17, rate: "240:1", pictures: 3)
    let source = try source(clip.path)
    #expect(source.description.width == 33 && source.description.frameRate == 240)
    let (lumas, instants) = try play(source, 10)
    #expect(lumas == [20, 21, 22, 20, 21, 22, 20, 21, 22, 20])
    for (one, next) in zip(instants, instants.dropFirst()) {
      #expect(abs((next - one).nanoseconds - 4_166_667) <= 1)
    }
  }

  @Test func endsAfterShowingOnce() throws {
    let clip = try Y4MClip(width: 32, height: 16, rate: "240:1", pictures: 3)
    #expect(try play(source(clip.path, repeats: false), 10).lumas == [20, 21, 22])
  }

  @Test(arguments: ["FRAME\nxxxxx", "FRA", "FRAME"]) func leavesOutAPictureThatIsCutOff(tail: String) throws {
    let clip = try Y4MClip(width: 32, height: 16, rate: "240:1", pictures: 2, tail: tail)
    #expect(try play(source(clip.path, repeats: false), 10).lumas == [20, 21])
    #expect(try play(source(clip.path), 4).lumas == [20, 21, 20, 21])
  }

  @Test func showsMonoInGrey() throws {
    let clip = try Y4MClip(width: 32, height: 16, rate: "240:1", colour: "Cmono", pictures: 2)
    let source = try source(clip.path)
    let slot = FrameSlot(width: 32, height: 16)
    _ = try source.next(into: slot, until: EventDescriptor())
    slot.image.withUnsafeMutablePlanes { y, u, v in #expect(y[0] == 20 && u[0] == 128 && v[100] == 128) }
  }

  @Test func outlivesItsFile() throws {
    let clip = try Y4MClip(width: 32, height: 16, rate: "240:1", pictures: 3)
    let source = try source(clip.path)
    _ = try play(source, 1)
    try FileManager.default.removeItem(atPath: clip.path)
    #expect(try play(source, 3).lumas == [21, 22, 20])
  }

  @Test func failsWhenTheFileIsCutWhileItPlays() throws {
    let clip = try Y4MClip(width: 32, height: 16, rate: "240:1", pictures: 3)
    let source = try source(clip.path)
    _ = try play(source, 1)
    #expect(truncate(clip.path, 60) == 0)
    #expect(throws: SourceFailure(reason: "\(clip.path): byte 42: no whole frame")) { try play(source, 1) }
  }

  @Test func failsWhereTheFileIsOverwritten() throws {
    let clip = try Y4MClip(width: 32, height: 16, rate: "240:1", pictures: 3)
    let source = try source(clip.path)
    _ = try play(source, 1)
    try Data(repeating: 7, count: 10_000).write(to: URL(filePath: clip.path))
    #expect(throws: SourceFailure(reason: "\(clip.path): byte 816: no FRAME where a frame should begin")) {
      try play(source, 10)
    }
  }

  @Test func namesFileAndField() throws {
    #expect(reason("/absent.y4m") == "/absent.y4m: open: No such file or directory")
    #expect(reason("/tmp") == "/tmp: not a regular file")
    let wrong = try Y4MClip(width: 32, height: 16, colour: "C422", pictures: 1)
    #expect(reason(wrong.path)?.hasPrefix("\(wrong.path): byte 32: colour space 422 cannot be played") == true)
    let empty = try Y4MClip(width: 32, height: 16, pictures: 0)
    #expect(throws: SourceFailure(reason: "\(empty.path): byte 41: no whole frame")) {
      try play(source(empty.path), 1)
    }
  }

  @Test func readsNothingFromAFIFO() throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "fifo-\(UUID())").path
    mkfifo(path, 0o600)
    defer { unlink(path) }
    #expect(reason(path) == "\(path): not a regular file")
  }
}

@Suite(.serialized) struct Y4MPipelineTests {
  @Test func showsAFileOnceAndThenTheCard() async throws {
    let clip = try Y4MClip(width: 64, height: 32, rate: "30:1", pictures: 15)
    let bus = FrameBus()
    let reader = try InboxReader(on: bus)
    let pipeline = MediaPipeline(
      configuration: MediaPipelineConfiguration(
        cameras: [.file(path: clip.path, repeats: false)], microphone: .none, width: 320, height: 180),
      bus: bus)
    try pipeline.start([.video])
    #expect(reader.receive { $0.video.count >= 17 })
    pipeline.stop([.video])
    let headers = reader.video.map(\.header)
    #expect(headers.count { $0.duration < .milliseconds(40) } == 15)
    #expect(headers.allSatisfy { $0.width == 64 && $0.height == 32 })
    #expect(headers[15...].allSatisfy { $0.duration == .seconds(1) })
    #expect(pipeline.statistics.cameraFailures == 0)
    var iterator = pipeline.events.makeAsyncIterator()
    let name = "file:\(clip.path)#once"
    #expect(await iterator.next() == .opened(.video, name: name, description: "\(name), 64×32 at 30.0/s"))
    #expect(await iterator.next() == .closed(.video))
  }
}
