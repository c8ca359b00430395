import Foundation
import Glibc
import MediaCore
import TestSupport
import SystemSupport
import RealtimeRuntime
import Signalling
import Testing

@testable import Archive

/// Disks that fail, stall, become read-only or lose their folder.
@Suite(.timeLimit(.minutes(3))) struct DiskFaultTests {
  /// A disk whose n-th write and all later ones fail, or only that one.
  private final class FailingDisk: Sendable {
    private let writes = Atomic<Int>(0)

    func calls(failingAt number: Int, errno code: Int32, times: Int) -> DiskCalls {
      var calls = DiskCalls()
      calls.write = { [self] descriptor, bytes, offset in
        let count = writes.add(1, ordering: .relaxed).newValue
        guard (number..<number + times).contains(count) else {
          return pwrite(descriptor, bytes.baseAddress, bytes.count, offset)
        }
        // Half of it arrives.
        _ = pwrite(descriptor, bytes.baseAddress, bytes.count / 2, offset)
        Glibc.errno = code
        return -1
      }
      return calls
    }
  }

  @Test(arguments: 3..<40) func inputOutputErrorAtAnyWriteKeepsWhatWasWritten(number: Int) async throws {
    let stage = try RecordingStage(isInMemory: true)
    let isForGood = number % 2 == 0
    let calls = FailingDisk().calls(failingAt: number, errno: EIO, times: isForGood ? .max - number : 1)
    let recorder = try stage.startRecorder(segmentDuration: .seconds(4), calls: calls)
    // An early failure may have ended the recording already.
    try? stage.addStream("publisher", to: recorder).pushSamples()
    let manifest = await recorder.stop()
    _ = try stage.store.recover()
    let kept = try stage.store.manifest(RecordingStage.id)
    #expect(try stage.store.verify(RecordingStage.id) == [])
    #expect(kept.status != .started)
    guard manifest.status == .failed else { return }
    #expect(manifest.reason == "input/output error")
    try await eventually { stage.events.count >= 2 }
    guard case .failed(_, let error) = stage.events.last else {
      Issue.record("no .failed")
      return
    }
    #expect(error.description.contains(stage.store.root))
    #expect(error.description.contains("replace it"))
    // Each write beyond the first few is a cluster of three quarters of a second, or finishes a file.
    #expect(kept.files.map(\.stopTimeOffset).max() ?? 0 >= Int64(number - 16) * 400)
  }

  @Test func quotaIsNamed() async throws {
    let stage = try RecordingStage(isInMemory: true)
    let recorder = try stage.startRecorder(calls: FailingDisk().calls(failingAt: 8, errno: EDQUOT, times: 1_000))
    try stage.addStream("publisher", to: recorder).pushSamples()
    #expect(await recorder.stop().reason == "disk quota used up")
  }

  /// What the disk does not take within the time for which the rings last is lost, and told once.
  @Test func diskThatStallsLosesNothingUntilTheRingIsFull() async throws {
    let stage = try RecordingStage(isInMemory: true)
    let disk = StalledDisk()
    let recorder = try stage.startRecorder(calls: disk.calls)
    let inbox = try stage.addStream("publisher", to: recorder)
    let (video, audio) = (try SampleMedia.video(), try SampleMedia.audio())
    var counts = (video: 0, audio: 0)
    func push(rounds: Range<Int>) {
      for round in rounds {
        let start = RecordingStage.start + .milliseconds(Int64(round) * SampleMedia.duration)
        for (index, frame) in video.enumerated() {
          inbox.push(.video, frame, number: round * video.count + index, start: start)
          counts.video += 1
        }
        for (index, frame) in audio.enumerated() {
          inbox.push(.audio, frame, number: round * audio.count + index, start: start)
          counts.audio += 1
        }
      }
    }
    // 24 s fit while the disk stands still, four minutes do not.
    disk.stall()
    push(rounds: 0..<2)
    try await eventually { disk.isWaitedFor }
    #expect(recorder.statistics.droppedFrames == 0)
    push(rounds: 2..<20)
    disk.resume()
    try await eventually { stage.events.count >= 2 }
    push(rounds: 20..<21)
    let manifest = await recorder.stop()
    #expect(manifest.status == .available)
    let warnings = stage.events.filter { if case .fellBehind = $0 { true } else { false } }
    #expect(warnings.count == 1)
    let statistics = recorder.statistics
    #expect(statistics.droppedFrames > 0)
    #expect(statistics.videoFrames + statistics.audioFrames + statistics.droppedFrames == counts.video + counts.audio)
    #expect(try stage.store.verify(RecordingStage.id) == [])
    #expect(try MediaInspection.decodeWarnings(stage.path("publisher.webm")) == "")
  }

  /// A disk that can be made to stand still.
  private final class StalledDisk: Sendable {
    private let isStalled = Atomic<Bool>(false)
    private let hasCaller = Atomic<Bool>(false)

    /// Whether a call has met the disk while it stood still.
    var isWaitedFor: Bool { hasCaller.load(ordering: .acquiring) }

    func stall() { isStalled.store(true, ordering: .releasing) }
    func resume() { isStalled.store(false, ordering: .releasing) }

    var calls: DiskCalls {
      var calls = DiskCalls()
      calls.queue = FlushQueue()
      calls.sync = { [self] descriptor in
        while isStalled.load(ordering: .acquiring) {
          hasCaller.store(true, ordering: .releasing)
          usleep(5_000)
        }
        return fdatasync(descriptor)
      }
      return calls
    }
  }

  @Test func folderThatIsDeletedEndsTheArchive() async throws {
    let stage = try RecordingStage()
    let start = MonotonicClock.now()
    let recorder = try stage.startRecorder(start: start)
    let inbox = try stage.addStream("publisher", to: recorder)
    let audio = try SampleMedia.audio()
    for number in 0..<50 { inbox.push(.audio, audio[number], number: number, start: start) }
    try await eventually { recorder.statistics.byteCount != 0 }
    let path = try stage.store.path(RecordingStage.id)
    // The recorder may be replacing its manifest there just then.
    try await eventually {
      try? FileManager.default.removeItem(atPath: path)
      return !FileManager.default.fileExists(atPath: path)
    }
    for number in 50..<600 {
      inbox.push(.audio, audio[number], number: number, start: start)
      try await Task.sleep(for: .milliseconds(10))
      if stage.events.count > 1 { break }
    }
    guard case .failed(let manifest, let error) = stage.events.last else {
      Issue.record("no .failed")
      return
    }
    #expect(manifest.reason == "folder deleted")
    #expect(error.description.hasPrefix(path))
    #expect(await recorder.stop() == manifest)
  }

  @Test func startNamesWhatIsInTheWay() throws {
    let stage = try RecordingStage()
    try Data().write(to: stage.folder.url("archives"))
    #expect {
      _ = try stage.startRecorder()
    } throws: { error in
      let text = String(describing: error)
      return text.contains(stage.store.root) && text.contains("set directory in [archive] to a folder")
    }
  }

  /// Root may write anywhere but where nobody may.
  @Test(.enabled("needs root and a file system with attributes") { DiskFaultTests.canMakeImmutable })
  func permissionDeniedIsNamedAtTheStartAndUnderWay() async throws {
    let root = try Self.attributeFolder()
    defer { try? FileManager.default.removeItem(atPath: root) }
    let stage = try RecordingStage(root: root)
    let recorder = try stage.startRecorder()
    try await stage.settle()
    let path = try stage.store.path(RecordingStage.id)
    try ExternalProgram.run("chattr", ["+i", path, path + "/.."])
    defer { _ = try? ExternalProgram.run("chattr", ["-i", path, path + "/.."]) }
    #expect {
      _ = try stage.startRecorder(ArchiveID("other"))
    } throws: { error in
      String(describing: error).contains("let the service's user write there")
    }
    try stage.addStream("publisher", to: recorder).pushSamples()
    let manifest = await recorder.stop()
    #expect(manifest.status == .failed)
    #expect(manifest.reason == "permission denied")
  }

  private static func attributeFolder() throws -> String {
    let path = "/var/tmp/livesessions-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    return path
  }

  private static let canMakeImmutable: Bool = {
    guard geteuid() == 0, let path = try? attributeFolder() else { return false }
    defer { try? FileManager.default.removeItem(atPath: path) }
    let isMade = (try? ExternalProgram.run("chattr", ["+i", path])) != nil
    return isMade && (try? ExternalProgram.run("chattr", ["-i", path])) != nil
  }()
}
