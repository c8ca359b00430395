import Foundation
import SystemSupport
import MediaCore
import TestSupport
import Signalling
import Testing

@testable import Archive

@Suite(.timeLimit(.minutes(3))) struct RetentionJobTests {
  private static let now = RecordingStage.createdAt + 86_400_000

  private func keeper(
    _ stage: RecordingStage, _ limits: ArchiveLimits, disk: DiskState? = nil, isClockTrusted: Bool = true
  ) -> RetentionJob {
    RetentionJob(
      store: stage.store, limits: limits,
      surroundings: .init(
        DeviceClocks.settledClock(at: Self.now, isSynchronized: isClockTrusted), disk: { disk }))
  }

  private var unlimited: ArchiveLimits { ArchiveLimits(minimumFree: 0, margin: 0) }

  @Test func deletesTheOldestAndSaysWhy() throws {
    let stage = try RecordingStage()
    for index in 0..<4 { try stage.makeArchive("a\(index)", kilobytes: 100, hours: index) }
    var limits = unlimited
    limits.maximumTotal = 250_000
    let reports = keeper(stage, limits).keep()
    #expect(reports.map(\.id) == ["a0", "a1"])
    #expect(reports.first?.description.contains("larger than max_total") == true)
    #expect(try stage.store.list().map(\.id) == ["a3", "a2"])
    #expect(try String(contentsOfFile: stage.store.root + "/order", encoding: .utf8) == "a0\na1\na2\na3\n")
  }

  @Test func plansAreKeptAsTheySayNow() throws {
    let stage = try RecordingStage()
    for index in 0..<3 { try stage.makeArchive("a\(index)", kilobytes: 100, hours: index, plans: ["yard"]) }
    let keeper = keeper(stage, unlimited)
    #expect(keeper.keep().isEmpty)
    keeper.setPlans(["yard": PlanLimits(maximumTotal: 250_000)])
    #expect(keeper.keep().map(\.id) == ["a0"])
    keeper.setPlans([:])
    #expect(keeper.keep().isEmpty)
  }

  /// Its flushes would delay the first clusters of the recording that begins.
  @Test func orderIsNotWrittenWhenARecordingBegins() async throws {
    let stage = try RecordingStage()
    try stage.makeArchive("before", hours: 0)
    let keeper = keeper(stage, unlimited)
    let watch = ArchiveFolderWatch(store: stage.store, minimumFree: 0)
    let thread = try RetentionThread(keeper, watch: watch) { _ in
    } onFolderChange: { _ in
    }
    func order() -> String? { try? String(contentsOfFile: stage.store.root + "/order", encoding: .utf8) }
    try await eventually { order() == "before\n" }
    try stage.makeArchive("new", hours: 1)
    thread.recordingStarted()
    try await Task.sleep(for: .milliseconds(300))
    #expect(order() == "before\n")
    thread.recordingEnded()
    for _ in 0..<200 where order() != "before\nnew\n" { try await Task.sleep(for: .milliseconds(10)) }
    #expect(order() == "before\nnew\n")
    #expect(await thread.stop())
  }

  @Test func aFolderThatCannotBeReadIsToldOnce() throws {
    let folder = try TemporaryFolder()
    try Data().write(to: URL(filePath: folder.path + "/file"))
    let keeper = RetentionJob(store: ArchiveStore(root: folder.path + "/file"), limits: unlimited)
    #expect(keeper.keep().count == 1)
    #expect(keeper.keep() == [])
    try FileManager.default.removeItem(atPath: folder.path + "/file")
    #expect(keeper.keep() == [])
    try Data().write(to: URL(filePath: folder.path + "/file"))
    #expect(keeper.keep().count == 1)
  }

  @Test func ageCountsFromTheEndByATrustedClock() throws {
    let stage = try RecordingStage()
    try stage.makeArchive("old", hours: -240)
    try stage.makeArchive("unknown", hours: -240, isClockSynchronized: false)
    try stage.makeArchive("new", hours: 0)
    var limits = unlimited
    limits.maximumAge = .seconds(7 * 86_400)
    #expect(keeper(stage, limits, isClockTrusted: false).keep() == [])
    #expect(keeper(stage, limits).keep().map(\.id) == ["old"])
    #expect(try stage.store.list().map(\.id) == ["new", "unknown"])
  }

  @Test func lockedAndRunningOnesStay() async throws {
    let stage = try RecordingStage()
    try stage.makeArchive("locked", hours: -9)
    try stage.store.lock(ArchiveID("locked"))
    let recorder = try stage.startRecorder()
    try stage.makeArchive("free", hours: 9)
    var limits = unlimited
    limits.maximumTotal = 0
    let keeper = keeper(stage, limits)
    #expect(keeper.keep().map(\.id) == ["free", nil])
    #expect(keeper.isExhausted)
    #expect(keeper.keep() == [])
    _ = await recorder.stop()
    #expect(keeper.keep().map(\.id) == [RecordingStage.id.text])
    try stage.store.unlock(ArchiveID("locked"))
    #expect(keeper.keep().map(\.id) == ["locked"])
    #expect(!keeper.isExhausted)
  }

  @Test func strangeThingsAreLeftAloneAndMentionedOnce() throws {
    let stage = try RecordingStage()
    try stage.makeArchive("a0", hours: 0)
    let day = URL(filePath: try stage.store.path(ArchiveID("a0"))).deletingLastPathComponent()
    try Data("mine".utf8).write(to: day.appending(path: "notes.txt"))
    try FileManager.default.createDirectory(at: day.appending(path: "empty"), withIntermediateDirectories: false)
    var limits = unlimited
    limits.maximumTotal = 0
    let keeper = keeper(stage, limits)
    let reports = keeper.keep()
    #expect(reports.first == .foreign(count: 2, example: day.appending(path: "notes.txt").path) || reports.count == 2)
    #expect(keeper.keep() == [])
    #expect(FileManager.default.fileExists(atPath: day.path + "/notes.txt"))
    #expect(FileManager.default.fileExists(atPath: day.path + "/empty"))
  }

  @Test func copiesOfAnArchiveDoNoHarm() throws {
    let stage = try RecordingStage()
    try stage.makeArchive("a0", hours: 0)
    let path = try stage.store.path(ArchiveID("a0"))
    let other = stage.store.root + "/2001/02/03"
    try FileManager.default.createDirectory(atPath: other, withIntermediateDirectories: true)
    try FileManager.default.copyItem(atPath: path, toPath: other + "/a0")
    #expect(keeper(stage, unlimited).keep() == [.foreign(count: 1, example: other + "/a0")])
  }

  @Test func foldersWithinAnArchiveGoWithIt() throws {
    let stage = try RecordingStage()
    try stage.makeArchive("a0", hours: 0)
    let path = try stage.store.path(ArchiveID("a0"))
    try FileManager.default.createDirectory(atPath: path + "/x/y", withIntermediateDirectories: true)
    try Data(count: 10).write(to: URL(filePath: path + "/x/y/z"))
    try FileManager.default.createSymbolicLink(atPath: path + "/x/link", withDestinationPath: stage.folder.path)
    try stage.store.delete(ArchiveID("a0"))
    #expect(!FileManager.default.fileExists(atPath: path))
    #expect(FileManager.default.fileExists(atPath: stage.folder.path))
  }

  @Test func threadKeepsWhenItIsAskedTo() async throws {
    let stage = try RecordingStage()
    try stage.makeArchive("a0", hours: 0)
    var limits = unlimited
    limits.maximumTotal = 0
    let keeper = keeper(stage, limits)
    let log = Mutex<[ArchiveKeeping]>([])
    let watch = ArchiveFolderWatch(store: stage.store, minimumFree: 0)
    let thread = try RetentionThread(keeper, watch: watch) { keeping in
      log.withLock { $0.append(keeping) }
    } onFolderChange: { _ in
    }
    try await eventually { log.withLock { $0.count } >= 1 }
    try stage.makeArchive("a1", hours: 1)
    thread.keepSoon()
    try await eventually { log.withLock { $0.count } >= 2 }
    #expect(await thread.stop())
    #expect(await thread.stop())
    #expect(log.withLock { $0.map(\.id) } == ["a0", "a1"])
  }

  @Test func aDiskThatHangsHoldsUpNoShutdown() async throws {
    let stage = try RecordingStage()
    try stage.makeArchive("a0", hours: 0)
    var limits = unlimited
    limits.maximumTotal = 0
    let hang = DispatchSemaphore(value: 0)
    let isHanging = Mutex(false)
    let watch = ArchiveFolderWatch(store: stage.store, minimumFree: 0)
    let thread = try RetentionThread(keeper(stage, limits), watch: watch) { _ in
      isHanging.withLock { $0 = true }
      hang.wait()
    } onFolderChange: { _ in
    }
    try await eventually { isHanging.withLock { $0 } }
    #expect(await !thread.stop(atMost: .milliseconds(100)))
    hang.signal()
    #expect(await thread.stop())
  }

  /// A camera that nobody looks after records for ever on a disk of 8 MB.
  @Test(.enabled("only root can mount a small tmpfs") { geteuid() == 0 && SmallDisk.canBeMounted })
  func recordingGoesOnForEver() async throws {
    let disk = try SmallDisk(kilobytes: 8_000)
    let stage = try RecordingStage(root: disk.path)
    let limits = ArchiveLimits(minimumFree: 2_000_000, margin: 500_000)
    let keeper = RetentionJob(store: stage.store, limits: limits)
    var deleted: [String] = []
    for index in 0..<40 {
      let id = ArchiveID("a\(index)")!
      let recorder = try stage.startRecorder(id, minimumFreeBytes: limits.minimumFree)
      try stage.addStream("device", to: recorder).pushSamples()
      #expect(await recorder.stop().status == .available)
      deleted += keeper.keep().compactMap(\.id)
      #expect(!keeper.isSpaceShort)
    }
    let kept = try stage.store.list().map(\.id)
    #expect(kept.count >= 2 && kept.contains("a39"))
    #expect(deleted == (0..<40 - kept.count).map { "a\($0)" })
  }
}

extension ArchiveKeeping {
  /// The archive that was deleted.
  var id: String? { if case .deleted(let id, _, _) = self { id.text } else { nil } }
}

extension RecordingStage {
  /// A finished archive of an hour that holds a file of zeros.
  ///
  /// - Parameter hours: when it began, counted from `createdAt`.
  func makeArchive(
    _ name: String, kilobytes: Int = 10, hours: Int, isClockSynchronized: Bool = true, plans: [String] = []
  ) throws {
    let id = try #require(ArchiveID(name))
    let createdAt = Self.createdAt + Int64(hours) * 3_600_000
    let folder = try store.create(id, on: CalendarDay(milliseconds: createdAt))
    var details = ArchiveDetails(sessionID: "s")
    details.plans = plans
    var manifest = ArchiveManifest(
      id: id, details: details, createdAt: createdAt, clockSynchronized: isClockSynchronized)
    manifest.status = .available
    manifest.duration = 3_600
    try folder.write(manifest)
    try Data(count: kilobytes * 1_000).write(to: URL(filePath: store.path(id) + "/device.webm"))
  }
}
