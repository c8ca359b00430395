import Evidence
import Foundation
import SystemSupport
import MediaCore
import TestSupport
import OpenSSLCrypto
import RealtimeRuntime
import Signalling
import Testing
import WebM

@testable import Archive

/// Power cuts before, within and after every write and every flush of a recording with evidence.
@Suite(.timeLimit(.minutes(3))) struct EvidenceCrashTests {
  private static let key = Result { try Ed25519Key() }
  private static let log = Result { try RecordedWrites.record(evidence: .sample(try key.get())) }

  /// The chain is valid up to the cut, before the device has recovered the archive and afterwards; what was on the disk for good
  /// is never lost.
  @Test func everyCutLeavesAChainThatIsValidUpToIt() throws {
    let (log, evidence) = (try Self.log.get(), ArchiveEvidence.sample(try Self.key.get()))
    let isThorough = ProcessInfo.processInfo.environment["EVIDENCE_CHANGES"] != nil
    for cut in stride(from: 0, to: log.events.count, by: isThorough ? 1 : 3) {
      for seed in 0..<(isThorough ? 10 : 1) as Range<UInt64> {
        var generator = SeededGenerator(seed: UInt64(cut) &* 0x1_0001 + seed)
        let stage = try RecordingStage(isInMemory: true, evidence: evidence)
        let settled = try log.replay(to: cut, in: stage, &generator)
        try Self.check(stage, settled, "cut at \(cut), seed \(seed)", isRecovered: false)
        _ = try stage.store.recover()
        guard (try? stage.store.path(RecordingStage.id)) != nil else { continue }
        try Self.check(stage, settled, "cut at \(cut), seed \(seed), recovered", isRecovered: true)
        // A cluster of the last flush that was lost before one that was not stays, and players pass over it.
        let findings = try stage.store.verify(RecordingStage.id).filter {
          if case .media(_, .clusterDamaged) = $0 { false } else { true }
        }
        #expect(findings == [], "cut at \(cut), seed \(seed)")
      }
    }
  }

  private static func check(
    _ stage: RecordingStage, _ settled: Int64, _ what: Comment, isRecovered: Bool
  ) throws {
    let report = try EvidenceArchive.verify(try stage.store.path(RecordingStage.id))
    if report.verdict == .missing || report.deviceKey == nil { return #expect(settled == 0, what) }
    #expect(report.verdict == .cut, "\(what): \(report.findings)")
    let changes = report.findings.filter(\.isChange)
    #expect(changes == [], "\(what)")
    #expect(report.validUntil?.offset ?? 0 >= settled, what)
    guard isRecovered, case .recovered = report.ending else { return #expect(!isRecovered, what) }
  }

  /// After a recovery the rest of the file is proven as well, from then on.
  @Test func whatRecoveryFoundCannotBeChangedLater() throws {
    let (log, evidence) = (try Self.log.get(), ArchiveEvidence.sample(try Self.key.get()))
    let stage = try RecordingStage(isInMemory: true, evidence: evidence)
    var generator = SeededGenerator(seed: 4)
    _ = try log.replay(to: log.events.count * 2 / 3, in: stage, &generator)
    _ = try stage.store.recover()
    let path = try stage.store.path(RecordingStage.id)
    let archive = EvidenceArchive(stage: stage, path: path, key: try Self.key.get())
    let size = try archive.bytes("device.webm").count
    for offset in [3, 600, size - 1, size - 5_000, 40_000] {
      let report = try archive.report(changing: offset, of: "device.webm", by: 4)
      #expect(report.verdict == .changed, "byte \(offset): \(report.findings)")
    }
    #expect(try archive.verify().verdict == .cut)
  }

  /// A device whose key is another one leaves the evidence alone.
  @Test func anotherDeviceAddsNothing() throws {
    let log = try Self.log.get()
    let stage = try RecordingStage(isInMemory: true, evidence: .sample(try Ed25519Key()))
    var generator = SeededGenerator(seed: 4)
    _ = try log.replay(to: log.events.count - 1, in: stage, &generator)
    _ = try stage.store.recover()
    let report = try EvidenceArchive.verify(try stage.store.path(RecordingStage.id))
    #expect(report.ending == .none)
    #expect(report.verdict == .cut)
  }
}

/// Everything that a recording of one stream and its evidence put on the disk, in order.
private struct RecordedWrites {
  enum Event {
    case write(file: String, offset: Int, [UInt8])
    case sync(file: String)
  }

  private(set) var events: [Event] = []
  /// Up to when the clusters are that were on the disk at each event's time.
  private(set) var settled: [Int64] = []

  private final class Recorder: Sendable {
    let events = Mutex<[Event]>([])

    var calls: DiskCalls {
      var calls = DiskCalls()
      calls.queue = FlushQueue()
      calls.write = { [self] descriptor, bytes, offset in
        let name = Self.name(descriptor)
        events.withLock { $0.append(.write(file: name, offset: Int(offset), Array(bytes))) }
        return pwrite(descriptor, bytes.baseAddress, bytes.count, offset)
      }
      calls.sync = { [self] descriptor in
        let name = Self.name(descriptor)
        events.withLock { $0.append(.sync(file: name)) }
        return 0
      }
      return calls
    }

    private static func name(_ descriptor: CInt) -> String {
      let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(descriptor)")
      return String((path ?? "").split(separator: "/").last ?? "")
    }
  }

  /// As the archive's thread does it, in virtual time.
  static func record(evidence: ArchiveEvidence) throws -> RecordedWrites {
    let temporary = try TemporaryFolder(isInMemory: true)
    let recorder = Recorder()
    var folder = ArchiveFolder(id: RecordingStage.id, directory: try DirectoryHandle(path: temporary.path))
    folder.directory.calls = recorder.calls
    let inbox = FrameInbox(audioBytes: 256 * 1024, videoBytes: 3 << 20, wake: try EventDescriptor())
    let journal = EvidenceJournal(evidence, archive: RecordingStage.id, clock: WallClockReader())
    let stream = ArchiveStream(
      ArchiveStreamRequest(
        description: ArchiveStreamDescription(streamID: "device"), inbox: inbox, requestKeyFrame: {}),
      writer: WebMWriter(segmentDuration: .seconds(5)), evidence: journal)
    var log = RecordedWrites()
    let (video, audio) = (try SampleMedia.video(), try SampleMedia.audio())
    var sounds = 0
    for (index, picture) in video.enumerated() {
      while sounds < audio.count, audio[sounds].milliseconds <= picture.milliseconds {
        inbox.push(.audio, audio[sounds], number: sounds)
        sounds += 1
      }
      inbox.push(.video, picture, number: index)
      guard index % 24 == 23 else { continue }
      try stream.drain(in: folder)
      try journal.write(in: folder.directory)
      var syncs: [DiskSync] = []
      stream.addPendingSyncs(to: &syncs)
      syncs += [journal.pendingSync].compactMap { $0 }
      let before = log.settled.last ?? 0
      try stream.noteSync(syncs.map { $0.perform() }.first { $0 != 0 } ?? 0)
      journal.noteSync()
      log.note(
        recorder.events.withLock { $0 }, from: before,
        to: stream.entries(since: RecordingStage.start).map(\.stopTimeOffset).max() ?? 0)
    }
    return log
  }

  private mutating func note(_ events: [Event], from before: Int64, to after: Int64) {
    while settled.count < events.count { settled.append(before) }
    if !settled.isEmpty { settled[settled.count - 1] = after }
    self.events = events
  }

  /// Leaves in a store what is on the disk when the power goes after an event: what no flush followed may be there, or not,
  /// or in part.
  ///
  /// - Returns: up to when, in milliseconds, clusters and their proof must be there.
  func replay(to cut: Int, in stage: RecordingStage, _ generator: inout SeededGenerator) throws -> Int64 {
    let path = stage.store.root + "/2026/11/21/\(RecordingStage.id)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    var files: [String: [UInt8]] = [:]
    for (index, event) in events[...cut].enumerated() {
      guard case .write(let name, let offset, var bytes) = event else { continue }
      if !isSynced(name, after: index, before: cut) {
        let fate = Int.random(in: 0..<3, using: &generator)
        if fate == 0 { continue }
        if fate == 1 { bytes = Array(bytes.prefix(Self.arrived(bytes.count, at: offset, &generator))) }
      }
      var content = files[name] ?? []
      if content.count < offset + bytes.count {
        content += [UInt8](repeating: 0, count: offset + bytes.count - content.count)
      }
      content.replaceSubrange(offset..<offset + bytes.count, with: bytes)
      files[name] = content
    }
    var manifest = ArchiveManifest(
      id: RecordingStage.id, details: ArchiveDetails(sessionID: "s"), createdAt: RecordingStage.createdAt,
      clockSynchronized: true)
    for name in files.keys.sorted() where name.hasSuffix(".webm") {
      manifest.files.append(.unlisted(name, after: manifest.files))
    }
    for (name, content) in files { try Data(content).write(to: URL(fileURLWithPath: path + "/" + name)) }
    try manifest.json().write(to: URL(fileURLWithPath: path + "/archive.json"))
    return settled[cut]
  }

  /// How much of a write has arrived when the power goes: whole sectors of 512 bytes.
  private static func arrived(_ count: Int, at offset: Int, _ generator: inout SeededGenerator) -> Int {
    let end = offset + Int.random(in: 0...count, using: &generator)
    return max(0, end / 512 * 512 - offset)
  }

  private func isSynced(_ file: String, after index: Int, before cut: Int) -> Bool {
    events[index...cut].contains { if case .sync(file) = $0 { true } else { false } }
  }
}
