import MediaCore
import Signalling
import Testing
import TestSupport

@testable import Archive

@Suite struct ArchiveRetentionTests {
  private static let day: Int64 = 86_400_000

  private func holding(
    _ name: String, bytes: UInt64 = 10, endedAt: Int64? = 0, isRecording: Bool = false, isLocked: Bool = false,
    caller: String? = nil
  ) -> ArchiveHolding {
    ArchiveHolding(
      id: ArchiveID(name)!, endedAt: endedAt, byteCount: bytes, isRecording: isRecording, isLocked: isLocked,
      callerID: caller)
  }

  private func limits(total: UInt64? = nil, free: UInt64 = 0, age: TimeSpan? = nil, margin: UInt64 = 0) -> ArchiveLimits
  {
    ArchiveLimits(maximumTotal: total, minimumFree: free, maximumAge: age, margin: margin)
  }

  private func plan(
    _ archives: [ArchiveHolding], _ limits: ArchiveLimits, free: UInt64 = 1_000, now: Int64? = nil
  ) -> [String] {
    ArchiveRetention.plan(archives, limits: limits, disk: DiskState(free: free, capacity: 10_000), now: now)
      .map { "\($0.id) \($0.reason)" }
  }

  @Test func withoutLimitsNothingGoes() {
    #expect(plan([holding("a"), holding("b")], limits(), now: 1_000 * Self.day) == [])
  }

  @Test func totalTakesTheOldestUntilItFits() {
    let archives = ["a", "b", "c"].map { holding($0) }
    #expect(plan(archives, limits(total: 30)) == [])
    #expect(plan(archives, limits(total: 29)) == ["a total"])
    #expect(plan(archives, limits(total: 10)) == ["a total", "b total"])
    #expect(plan(archives, limits(total: 0)) == ["a total", "b total", "c total"])
  }

  private func recorded(_ name: String, _ plans: [String], endedAt: Int64? = 0) -> ArchiveHolding {
    var holding = holding(name, endedAt: endedAt)
    holding.plans = plans
    return holding
  }

  @Test func eachPlanKeepsItsArchivesForItsOwnTime() {
    var limits = limits(age: .seconds(10 * 86_400))
    limits.plans = ["day": .init(maximumAge: .seconds(3 * 86_400)), "events": .init(maximumAge: .seconds(30 * 86_400))]
    let archives = [
      recorded("a", ["day"]), recorded("b", ["day", "events"]), recorded("c", ["events"]), holding("d"),
      recorded("e", ["gone"]), recorded("f", ["day"], endedAt: nil),
    ]
    #expect(plan(archives, limits, now: 3 * Self.day) == [])
    #expect(plan(archives, limits, now: 4 * Self.day) == ["a plan"])
    #expect(plan(archives, limits, now: 11 * Self.day) == ["d age", "e age", "a plan"])
    #expect(plan(archives, limits, now: 31 * Self.day) == ["d age", "e age", "a plan", "b plan", "c plan"])
    #expect(plan(archives, limits, now: nil) == [], "the clock is not set")
  }

  @Test func aPlansBytesDeleteNothingThatAnotherPlanKeeps() {
    var limits = limits()
    limits.plans = ["day": .init(maximumTotal: 20), "events": .init(maximumTotal: 20)]
    let archives = [
      recorded("a", ["day", "events"]), recorded("b", ["day"]), recorded("c", ["day"]), recorded("d", ["day"]),
      holding("e"),
    ]
    #expect(plan(archives, limits) == ["b plan"])
    let more = archives + [recorded("f", ["events"]), recorded("g", ["events"])]
    #expect(plan(more, limits) == ["a plan", "b plan"], "now neither keeps the oldest")
  }

  @Test func whatIsOnAStoreGoesFirstIfThatIsWanted() {
    func uploaded(_ name: String, _ plans: [String] = []) -> ArchiveHolding {
      var holding = recorded(name, plans)
      holding.isUploaded = true
      return holding
    }
    var limits = limits(total: 30)
    limits.plans = ["day": .init(yieldsRoom: true)]
    let archives = [holding("a"), recorded("b", ["day"]), uploaded("c"), uploaded("d", ["day"]), holding("e")]
    #expect(plan(archives, limits) == ["b total", "d total"])
    limits.prefersUploaded = true
    #expect(plan(archives, limits) == ["d total", "c total"])
    limits.maximumTotal = 10
    #expect(plan(archives, limits) == ["d total", "c total", "b total", "a total"])
    limits.maximumTotal = 50
    #expect(plan(archives, limits) == [], "nothing goes earlier for it")
  }

  @Test func whatIsRecordedAllTheTimeMakesRoomForEvents() {
    var limits = limits(total: 30)
    limits.plans = ["day": .init(yieldsRoom: true), "events": .init()]
    let archives = [
      recorded("a", ["events"]), recorded("b", ["day", "events"]), holding("c"), recorded("d", ["day"]),
      recorded("e", ["day"]),
    ]
    #expect(plan(archives, limits) == ["d total", "e total"])
    limits.maximumTotal = 20
    #expect(plan(archives, limits) == ["d total", "e total", "a total"])
  }

  @Test func aCallerOfMoreThanHalfPushesOutNobodyElse() {
    let archives = [
      holding("a", caller: "ann"), holding("b"), holding("c", bytes: 30, caller: "eve"),
      holding("d", bytes: 30, caller: "eve"), holding("e", bytes: 30, isRecording: true, caller: "eve"),
    ]
    #expect(plan(archives, limits(total: 100)) == ["c total"])
    #expect(plan(archives, limits(total: 60)) == ["c total", "d total"])
    // By then nothing of hers may go.
    #expect(plan(archives, limits(total: 40)) == ["c total", "d total", "a total"])
    let shared = [holding("a", caller: "ann"), holding("b", caller: "eve"), holding("c", caller: "eve"), holding("d")]
    #expect(plan(shared, limits(total: 30)) == ["a total"])
  }

  @Test func lockedAndRunningOnesStayAndCount() {
    let archives = [holding("a", isLocked: true), holding("b"), holding("c", isRecording: true), holding("d")]
    #expect(plan(archives, limits(total: 25)) == ["b total", "d total"])
    #expect(plan(archives, limits(total: 0)) == ["b total", "d total"])
  }

  @Test func fileSystemsMayTellAnySize() {
    let archives = ["a", "b"].map { holding($0, bytes: .max, endedAt: .min) }
    #expect(plan(archives, limits(total: .max, free: .max), free: .max) == [])
    #expect(plan(archives, limits(total: 0), free: .max).first == "a total")
    let longest = TimeSpan(nanoseconds: .max)
    #expect(plan(archives, limits(age: longest), now: .min) == [])
  }

  @Test func spaceIsMadeWithAMargin() {
    let archives = ["a", "b", "c"].map { holding($0, bytes: 100) }
    #expect(plan(archives, limits(free: 1_000)) == [])
    #expect(plan(archives, limits(free: 1_000, margin: 50)) == ["a space"])
    #expect(plan(archives, limits(free: 1_000, margin: 150)) == ["a space", "b space"])
    // A sixteenth of the disk.
    #expect(plan(archives, limits(free: 375, margin: .max), free: 1_000) == [])
    #expect(plan(archives, limits(free: 1_300, margin: .max)) == ["a space", "b space", "c space"])
  }

  @Test func nothingGoesInVain() {
    let archives = ["a", "b", "c"].map { holding($0, bytes: 100) } + [holding("d", bytes: 100, isLocked: true)]
    #expect(plan(archives, limits(free: 1_301, margin: 10)) == [])
    #expect(plan(archives, limits(free: .max, margin: .max)) == [])
  }

  @Test func ageNeedsATrustedClockThenAndNow() {
    let now = 100 * Self.day
    let archives = [
      holding("new", endedAt: 99 * Self.day), holding("old", endedAt: 80 * Self.day), holding("unknown", endedAt: nil),
      holding("locked", endedAt: 0, isLocked: true), holding("edge", endedAt: 90 * Self.day),
    ]
    let tenDays = limits(age: .seconds(864_000))
    #expect(plan(archives, tenDays, now: now) == ["old age"])
    #expect(plan(archives, tenDays, now: now + 1) == ["old age", "edge age"])
    #expect(plan(archives, tenDays, now: nil) == [])
  }

  @Test func whatWentByAgeCountsForTheOthers() {
    let archives = [
      holding("a", bytes: 50, endedAt: nil), holding("b", bytes: 50), holding("c", bytes: 50, endedAt: 500),
    ]
    #expect(plan(archives, limits(total: 100, age: .milliseconds(100)), now: 550) == ["b age"])
    #expect(plan(archives, limits(total: 99, age: .milliseconds(100)), now: 550) == ["b age", "a total"])
  }

  @Test func unknownDiskDeletesNothingForSpace() {
    #expect(
      ArchiveRetention.plan([holding("a")], limits: limits(free: .max), disk: nil, now: nil).isEmpty)
  }

  @Test(arguments: 0..<2_000) func randomListingsKeepTheRules(seed: UInt64) {
    let random = RandomStore(seed: seed)
    let deletions = random.plan()
    let deleted = Set(deletions.map(\.id))
    #expect(deleted.count == deletions.count)
    let gone = random.archives.filter { deleted.contains($0.id) }
    #expect(gone.allSatisfy { !$0.isLocked && !$0.isRecording })
    random.checkAges(deletions)
    random.checkOrder(deletions)
    random.checkLimits(deleted)
  }
}

/// A listing, limits and a disk that nobody chose.
private struct RandomStore {
  var archives: [ArchiveHolding] = []
  var limits: ArchiveLimits
  var disk: DiskState
  var now: Int64?

  init(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for index in 0..<Int.random(in: 0...30, using: &random) {
      archives.append(
        ArchiveHolding(
          id: ArchiveID("a\(index)")!,
          endedAt: Bool.random(using: &random) ? .random(in: 0...1_000, using: &random) : nil,
          byteCount: .random(in: 0...100, using: &random), isRecording: Int.random(in: 0..<6, using: &random) == 0,
          isLocked: Int.random(in: 0..<5, using: &random) == 0))
    }
    limits = ArchiveLimits(
      maximumTotal: Bool.random(using: &random) ? .random(in: 0...1_500, using: &random) : nil,
      minimumFree: .random(in: 0...1_000, using: &random),
      maximumAge: Bool.random(using: &random) ? .milliseconds(.random(in: 0...1_000, using: &random)) : nil,
      margin: .random(in: 0...100, using: &random))
    disk = DiskState(free: .random(in: 0...1_500, using: &random), capacity: 1_600)
    now = Int.random(in: 0..<4, using: &random) == 0 ? nil : .random(in: 0...2_000, using: &random)
  }

  func plan() -> [ArchiveRetention.Deletion] {
    ArchiveRetention.plan(archives, limits: limits, disk: disk, now: now)
  }

  /// Exactly those go by age that are too old by a trusted clock.
  func checkAges(_ deletions: [ArchiveRetention.Deletion]) {
    let byAge = Set(deletions.filter { $0.reason == .age }.map(\.id))
    let old = archives.filter { archive in
      guard let now, let age = limits.maximumAge, let end = archive.endedAt else { return false }
      return now - end > age.milliseconds && !archive.isLocked && !archive.isRecording
    }
    #expect(byAge == Set(old.map(\.id)))
  }

  /// For room, no archive goes while an older one that may go stays.
  func checkOrder(_ deletions: [ArchiveRetention.Deletion]) {
    let byAge = Set(deletions.filter { $0.reason == .age }.map(\.id))
    let forRoom = deletions.filter { $0.reason != .age }.map(\.id)
    let candidates = archives.filter { !$0.isLocked && !$0.isRecording && !byAge.contains($0.id) }.map(\.id)
    #expect(forRoom == Array(candidates.prefix(forRoom.count)))
  }

  /// Something else fills the disk so much that deleting everything would not help.
  private var isHopeless: Bool {
    let freeable = archives.filter { !$0.isLocked && !$0.isRecording }.reduce(0) { $0 + $1.byteCount }
    return disk.free + freeable < limits.minimumFree
  }

  /// The limits hold or nothing is left that may go; and with the last deletion undone they would not hold.
  func checkLimits(_ deleted: Set<ArchiveID>) {
    let left = archives.filter { !deleted.contains($0.id) }
    if !holds(deleted) { #expect(left.allSatisfy { $0.isLocked || $0.isRecording }) }
    if isHopeless { #expect(!plan().contains { $0.reason == .space }) }
    if let last = plan().last(where: { $0.reason != .age }) { #expect(!holds(deleted.subtracting([last.id]))) }
  }

  private func holds(_ deleted: Set<ArchiveID>) -> Bool {
    let kept = archives.filter { !deleted.contains($0.id) }.reduce(0) { $0 + $1.byteCount }
    let freed = archives.filter { deleted.contains($0.id) }.reduce(0) { $0 + $1.byteCount }
    guard kept <= limits.maximumTotal ?? .max else { return false }
    return isHopeless || disk.free + freed >= limits.minimumFree + min(limits.margin, 100)
  }
}
