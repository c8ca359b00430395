import Foundation
import MediaCore
import TestSupport
import SystemSupport
import RealtimeRuntime
import Signalling
import Testing

@testable import Archive

/// Disks that take as long for a flush as a cluster lasts, and longer.
@Suite(.timeLimit(.minutes(3))) struct SlowDiskTests {
  /// A stage on which the samples are recorded in real time, round and round.
  private final class Live: Sendable {
    let stage: RecordingStage
    let disk: SlowDisk
    let recorder: ArchiveRecorder
    let start: MonotonicInstant
    private let samples: (video: [SampleFrame], audio: [SampleFrame])

    init(flush milliseconds: UInt32, segmentDuration: TimeSpan? = nil, isSerial: Bool = false) throws {
      samples = (try SampleMedia.video(), try SampleMedia.audio())
      start = MonotonicClock.now()
      stage = try RecordingStage(isInMemory: true)
      disk = SlowDisk(milliseconds: milliseconds, isSerial: isSerial)
      recorder = try stage.startRecorder(segmentDuration: segmentDuration, start: start, calls: disk.calls)
    }

    /// Pushes frames of these streams at their time, until this span is over. On a thread of its own: other tests block
    /// those that tasks share.
    ///
    /// - Returns: the most that a power cut would have cost meanwhile, in milliseconds.
    func play(_ inboxes: [FrameInbox], for span: TimeSpan) async throws -> Int64 {
      try await withCheckedThrowingContinuation { continuation in
        do {
          try MediaThread(name: "play") { [self] in
            continuation.resume(returning: playHere(inboxes, for: span))
          }.detach()
        } catch {
          continuation.resume(throwing: error)
        }
      }
    }

    private func playHere(_ inboxes: [FrameInbox], for span: TimeSpan) -> Int64 {
      let (video, audio) = samples
      var (pictures, sounds) = (0, 0)
      var worst: Int64 = 0
      while MonotonicClock.now() - start < span {
        let now = (MonotonicClock.now() - start).milliseconds
        while audio.time(sounds) <= now {
          for inbox in inboxes { push(.audio, audio, sounds, to: inbox) }
          sounds += 1
        }
        while video.time(pictures) <= now {
          for inbox in inboxes { push(.video, video, pictures, to: inbox) }
          pictures += 1
        }
        worst = max(worst, now - flushedMilliseconds)
        MonotonicClock.sleep(until: MonotonicClock.now() + .milliseconds(10))
      }
      return worst
    }

    private func push(_ kind: MediaKind, _ frames: [SampleFrame], _ number: Int, to inbox: FrameInbox) {
      let round = Int64(number / frames.count)
      inbox.push(
        kind, frames[number % frames.count], number: number, start: start + .milliseconds(round * SampleMedia.duration))
    }

    /// How much of each stream is on the disk, in milliseconds: what a power cut would leave.
    var flushedMilliseconds: Int64 {
      let statistics = recorder.statistics
      return Int64(statistics.audioFrames) * 20 / Int64(max(1, statistics.streams))
    }
  }

  /// What takes its time, all of it at the same time: each has a disk of its own. The test of the same name judges.
  private struct Plays {
    let twoStreams = Task { try await playTwoStreams() }
    let segments = Task { try await playSegments() }
    let crowd = Task { try await playCrowd() }
    let longFlushes = Task { try await playLongFlushes() }
    let standstill = Task { try await playStandstill() }
    let commands = Task { try await playBesideCommands() }

    static let shared = Plays()
  }

  /// How a recording went.
  private struct Play {
    let live: Live
    /// Milliseconds that a power cut would have cost at most.
    var worst: Int64 = 0
    /// How long it took to stop.
    var ending = TimeSpan.zero
    var manifest: ArchiveManifest

    /// Plays, and stops.
    init(_ live: Live, _ inboxes: [FrameInbox], for span: TimeSpan) async throws {
      self.live = live
      worst = try await live.play(inboxes, for: span)
      let end = MonotonicClock.now()
      manifest = await live.recorder.stop()
      ending = MonotonicClock.now() - end
    }

    func expectWhole() {
      #expect(throws: Never.self) { try #require(live.stage.store.verify(RecordingStage.id) == []) }
    }
  }

  @Test func streamThatTheDiskCannotKeepUpWithIsNeverFarBehind() async throws {
    let play = try await Plays.shared.twoStreams.value
    #expect(play.worst < Self.oneSync, "\(play.worst) ms")
    // Clusters and index in three steps, the manifest in two, and the sync that is under way.
    #expect(play.ending < .milliseconds(6 * 500 + 700))
    #expect(play.manifest.status == .available)
    #expect(play.manifest.files.count == 2)
    #expect(play.live.disk.maxAtOnce > 1)
    play.expectWhole()
  }

  private static func playTwoStreams() async throws -> Play {
    let live = try Live(flush: 500)
    let inboxes = try ["device", "caller"].map { try live.stage.addStream($0, to: live.recorder) }
    return try await Play(live, inboxes, for: .seconds(8))
  }

  /// What a power cut may cost where a flush takes half a second: a cluster that waits for one sync, and what a loaded machine
  /// adds.
  private static let oneSync: Int64 = 900 + 500 + 500

  /// From the first moment on, and whenever a file ends and the next begins.
  @Test func firstClustersOfFilesWaitForOneSync() async throws {
    let play = try await Plays.shared.segments.value
    #expect(play.worst < Self.oneSync, "\(play.worst) ms")
    #expect(play.manifest.files.count >= 4)
    play.expectWhole()
  }

  private static func playSegments() async throws -> Play {
    let live = try Live(flush: 500, segmentDuration: .seconds(3))
    let inboxes = try ["device", "caller"].map { try live.stage.addStream($0, to: live.recorder) }
    return try await Play(live, inboxes, for: .seconds(11))
  }

  /// Another archive after the other, and uploads and events that flush without a pause, on a disk that does one thing at a time.
  @Test func whateverElseIsFlushedCostsTwoFlushesAtMost() async throws {
    let play = try await Plays.shared.crowd.value
    #expect(play.worst < 2 * 900 + 2 * 500 + 200, "\(play.worst) ms")
    play.expectWhole()
  }

  private static func playCrowd() async throws -> Play {
    let live = try Live(flush: 500, isSerial: true)
    let inboxes = try ["device", "caller"].map { try live.stage.addStream($0, to: live.recorder) }
    let span = TimeSpan.seconds(10)
    return try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<3 {
        try MediaThread(name: "upload") { [disk = live.disk, live] in
          while MonotonicClock.now() - live.start < span {
            _ = disk.queue.flush([DiskFlush(descriptor: -1) { disk.flush() }])
          }
        }.detach()
      }
      group.addTask { [live] in
        var number = 0
        while MonotonicClock.now() - live.start < span {
          number += 1
          let id = try #require(ArchiveID("manual-\(number)"))
          let recorder = try live.stage.startRecorder(id, start: MonotonicClock.now(), calls: live.disk.calls)
          try live.stage.addStream("device", to: recorder).pushSamples()
          _ = await recorder.stop()
        }
      }
      let play = try await Play(live, inboxes, for: span)
      try await group.waitForAll()
      return play
    }
  }

  /// Frames that were held for longer than a cluster may last have no cluster each, which would be more than a pass writes.
  @Test func aDiskThatTakesLongerThanAClusterIsKeptUpWith() async throws {
    let play = try await Plays.shared.longFlushes.value
    #expect(play.worst < 900 + 2 * 1_300 + 500, "\(play.worst) ms")
    play.expectWhole()
  }

  private static func playLongFlushes() async throws -> Play {
    let live = try Live(flush: 1_300)
    return try await Play(live, [live.stage.addStream("device", to: live.recorder)], for: .seconds(12))
  }

  /// What status tells while the disk stands still.
  @Test func whatIsNotOnTheDiskYetIsKnown() async throws {
    let (before, during) = try await Plays.shared.standstill.value
    #expect(before == nil)
    #expect(try #require(during) > .seconds(2))
  }

  private static func playStandstill() async throws -> (before: MonotonicInstant?, during: TimeSpan?) {
    let live = try Live(flush: 3_000)
    let inbox = try live.stage.addStream("device", to: live.recorder)
    let before = live.recorder.statistics.unflushedSince
    _ = try await live.play([inbox], for: .milliseconds(2_500))
    let since = live.recorder.statistics.unflushedSince
    let during = since.map { MonotonicClock.now() - $0 }
    _ = await live.recorder.stop()
    return (before, during)
  }

  @Test func diskThatTakesSecondsForAFlushLetsCommandsThrough() async throws {
    let (started, locked, play) = try await Plays.shared.commands.value
    #expect(started < .milliseconds(500), "the start waits for no disk")
    #expect(locked < .milliseconds(500), "a lock waits for no flush of the recording")
    #expect(play.manifest.size > 0)
    #expect(play.live.recorder.statistics.droppedFrames == 0)
    #expect(play.manifest.files.count == 1)
    play.expectWhole()
  }

  private static func playBesideCommands() async throws -> (started: TimeSpan, locked: TimeSpan, Play) {
    let live = try Live(flush: 2_000)
    let inbox = try live.stage.addStream("device", to: live.recorder)
    let started = MonotonicClock.now() - live.start
    async let playing = Play(live, [inbox], for: .seconds(7))
    try await Task.sleep(for: .seconds(3))
    let begin = MonotonicClock.now()
    try live.stage.store.lock(RecordingStage.id)
    let locked = MonotonicClock.now() - begin
    return try await (started, locked, playing)
  }

  /// Folder, manifest and the first clusters of two streams.
  @Test func startTakesFewFlushes() async throws {
    let live = try Live(flush: 1)
    let preRoll = try PreRoll(span: .seconds(10)) {}
    let (video, audio) = (try SampleMedia.video(), try SampleMedia.audio())
    for (number, frame) in video.enumerated() { preRoll.inbox.push(.video, frame, number: number, start: live.start) }
    for (number, frame) in audio.enumerated() { preRoll.inbox.push(.audio, frame, number: number, start: live.start) }
    let next = live.start + .milliseconds(SampleMedia.duration)
    for name in ["device", "caller"] {
      let inbox = try live.stage.addStream(name, to: live.recorder, preRoll: preRoll)
      inbox.push(.audio, audio[0], number: audio.count, start: next)
    }
    try await eventually(within: .seconds(60)) { live.recorder.statistics.videoFrames >= 2 * 200 }
    try await Task.sleep(for: .milliseconds(50))
    #expect(live.disk.flushes <= 16, "\(live.disk.flushes)")
    _ = await live.recorder.stop()
  }

  /// Who reads that the archive is available may rename, export and delete it at once, however slow the disk is.
  @Test func availableArchiveIsFree() async throws {
    let live = try Live(flush: 300)
    let inbox = try live.stage.addStream("device", to: live.recorder)
    _ = try await live.play([inbox], for: .seconds(1))
    async let manifest = live.recorder.stop()
    let (store, id) = (live.stage.store, RecordingStage.id)
    try await eventually(within: .seconds(60)) { try store.manifest(id).status == .available }
    _ = try ArchiveRemuxer(id, in: store)
    try store.rename(id, to: "yard")
    #expect(await manifest.status == .available)
    #expect(try store.manifest(id).name == "yard")
    try store.delete(id)
  }

  @Test func soundOutlastsFrames() throws {
    let configuration = ArchiveConfiguration()
    let inbox = FrameInbox(
      audioBytes: configuration.audioRingBytes, videoBytes: configuration.videoRingBytes, wake: try EventDescriptor())
    // 32 kbit/s and, at 15 pictures a second, 150.
    let (sound, picture) = ([UInt8](repeating: 1, count: 80), [UInt8](repeating: 1, count: 1_250))
    var tick = 0
    while inbox.video.dropped == 0 {
      let kind: MediaKind = tick % 13 < 3 ? .video : .audio
      let header = EncodedFrameHeader(
        kind: kind, timestamp: live(tick), duration: .milliseconds(20), isKeyFrame: false, number: 0)
      inbox.push(header, payload: (kind == .audio ? sound : picture).span.bytes)
      tick += 1
    }
    #expect(inbox.audio.dropped == 0)
    #expect(tick > 13 * 5 * 30)
  }

  private func live(_ tick: Int) -> MonotonicInstant { RecordingStage.start + .milliseconds(Int64(tick) * 15) }
}

extension [SampleFrame] {
  /// When a frame is due, if the samples go round and round.
  fileprivate func time(_ number: Int) -> Int64 {
    Int64(number / count) * SampleMedia.duration + self[number % count].milliseconds
  }
}
