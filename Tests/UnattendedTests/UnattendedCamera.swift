import CallPolicy
import EventDetection
import Foundation
import MediaCore
import TestSupport
import RealtimeRuntime
import Signalling
import Testing

@testable import Archive
@testable import CallEngine
@testable import DeviceConfiguration

/// A camera that nobody looks after, in virtual time and at a four-thousandth of its size: real archives in a real folder, recorded
/// by plans, deleted by retention, made whole after power cuts.
struct UnattendedCamera {
  var time = VirtualTime(start: 1_774_483_200_000)
  var random: SeededGenerator
  private(set) var oracle: RetentionOracle
  private(set) var recovered = 0

  private let folder: TemporaryFolder
  let store: ArchiveStore
  private let readings = SharedReadings()
  private var retention: RetentionJob
  private var schedule = PlanSchedule()
  private var recordings = PlanRecordings()
  private var running: [ArchiveID: RunningArchive] = [:]
  private var number = 0
  private var eventNumber = 0
  /// Bytes on the disk of archives that do not change any more.
  private var sizesAtEnd: [ArchiveID: UInt64] = [:]

  /// Bytes: a disk of 32 GB, in four-thousandths.
  static let capacity: UInt64 = 8_000_000
  static let limits: ArchiveLimits = {
    var limits = ArchiveLimits(
      maximumTotal: 7_000_000, minimumFree: 250_000, maximumAge: .seconds(30 * 86_400), margin: 250_000)
    limits.plans = [
      "always": PlanLimits(maximumAge: .seconds(3 * 86_400), yieldsRoom: true),
      "night": PlanLimits(maximumAge: .seconds(5 * 86_400), maximumTotal: 3_000_000),
      "events": PlanLimits(maximumAge: .seconds(14 * 86_400)),
    ]
    return limits
  }()

  static let night = WeeklyHours("daily 22:00-06:00 Europe/Berlin")!
  private static let plans = [
    RecordingPlan(name: "always", occasion: .always),
    RecordingPlan(name: "night", occasion: .hours([night])),
    RecordingPlan(
      name: "events",
      occasion: .events(.init(sources: nil, preRoll: .seconds(5), postRoll: .seconds(10)))),
  ]

  init(seed: UInt64) throws {
    random = SeededGenerator(seed: seed)
    oracle = RetentionOracle(limits: Self.limits)
    folder = try TemporaryFolder(isInMemory: true)
    store = ArchiveStore(root: folder.path + "/archives")
    retention = RetentionJob(store: store, limits: Self.limits, surroundings: readings.surroundings)
    setPlans()
  }

  private mutating func setPlans() {
    (schedule, recordings) = (PlanSchedule(), PlanRecordings())
    schedule.setPlans(Self.plans)
    recordings.setPlans(Self.plans)
  }
}

// MARK: Recording

extension UnattendedCamera {
  /// An archive that is being recorded: its frames are written when it ends.
  fileprivate struct RunningArchive {
    let recorder: ArchiveRecorder
    let inbox: FrameInbox
    let start: MonotonicInstant
  }

  /// What hours say, as the daemon asks; nil while the clock is not trusted.
  func isWithin(_ hours: [WeeklyHours]) -> Bool? {
    guard time.isTrusted else { return nil }
    let zones = Set(hours.map(\.timeZone))
    let times = PolicyClock.localTimes(in: zones, at: time.wall / 1_000, isClockTrusted: true)
    return hours.contains { hours in times[hours.timeZone].map(hours.contains) == true }
  }

  /// Lets the plans go on at the present time.
  mutating func record() async throws {
    let wanted = schedule.update(now: time.monotonic, isWithin: isWithin)
    let isNight =
      CentralEuropeanTime.minuteOfDay(time.wall) >= 22 * 60 || CentralEuropeanTime.minuteOfDay(time.wall) < 360
    #expect(wanted.contains("night") == (time.isTrusted && isNight), "at \(time.wall)")
    #expect(wanted.contains("always"))
    while let step = recordings.nextStep(wanted: wanted, now: time.monotonic) {
      switch step {
      case .start(let archive, _):
        recordings.started(try start(archive.plans), for: archive, now: time.monotonic)
      case .stop(let id, _):
        try await stop(id)
        recordings.ended(id, manual: false, now: time.monotonic)
      }
      try keep()
    }
  }

  private mutating func start(_ plans: [String], callerID: String? = nil) throws -> ArchiveID {
    number += 1
    let id = ArchiveID("archive-\(number)")
    var details = ArchiveDetails(sessionID: "", callerID: callerID, hasAudio: false)
    details.plans = plans
    let (wall, isTrusted) = (time.wall, time.isTrusted)
    let recorder = try ArchiveRecorder(
      try #require(id), in: store, details: details, configuration: ArchiveConfiguration(minimumFreeBytes: 0),
      start: time.monotonic, createdAt: wall, clock: WallClockReader { (wall, isTrusted) }, calls: DiskCalls()
    ) { _ in }
    let inbox = try recorder.addStream(ArchiveStreamDescription(streamID: "device", hasAudio: false)) {}
    running[recorder.id] = RunningArchive(recorder: recorder, inbox: inbox, start: time.monotonic)
    oracle.archives[recorder.id] = ArchiveTruth(number: number, plans: plans, isTimeKnown: isTrusted)
    return recorder.id
  }

  /// 800 kbit/s, in four-thousandths, in a picture every 80 s.
  private mutating func stop(_ id: ArchiveID) async throws {
    let removed = running.removeValue(forKey: id)
    let archive = try #require(removed)
    let picture = [UInt8](repeating: 0x5A, count: 2_000)
    let count = max((time.monotonic - archive.start).milliseconds / 80_000, 1)
    for index in 0..<count {
      let header = EncodedFrameHeader(
        kind: .video, timestamp: archive.start + .seconds(80 * index), duration: .milliseconds(33), isKeyFrame: true,
        number: UInt32(index), width: 640, height: 480)
      let isTaken = archive.inbox.push(header, payload: picture.span.bytes)
      #expect(isTaken)
    }
    #expect(await archive.recorder.stop().status == .available)
    oracle.archives[id]?.end = time.truth
  }

  /// An event of some seconds.
  mutating func happen() async throws {
    eventNumber += 1
    var event = TimedEvent(
      DetectedEvent(
        id: "event-\(eventNumber)", kind: .motion, source: "yard", start: time.wall, score: 50,
        clockSynchronized: time.isTrusted), start: time.monotonic)
    schedule.take(event, now: time.monotonic)
    try await record()
    time.pass(Int64.random(in: 5_000...90_000, using: &random))
    event.finish(at: time.monotonic)
    schedule.take(event, now: time.monotonic)
    time.pass(10_000)
    try await record()
  }

  /// A call that is recorded beside the plans.
  mutating func call() async throws {
    let id = try start([], callerID: "caller-\(Int.random(in: 1...20, using: &random))")
    try keep()
    time.pass(Int64.random(in: 20_000...300_000, using: &random))
    try await stop(id)
    if Int.random(in: 0..<50, using: &random) == 0 { try lock(id) }
  }

  /// Somebody keeps an archive for ever, and lets an older one go.
  private mutating func lock(_ id: ArchiveID) throws {
    let locked = oracle.archives.filter(\.value.isLocked)
    if locked.count > 5, let oldest = locked.min(by: { $0.value.number < $1.value.number })?.key {
      try store.unlock(oldest)
      oracle.archives[oldest]?.isLocked = false
    }
    try store.lock(id)
    oracle.archives[id]?.isLocked = true
  }
}

// MARK: Keeping

extension UnattendedCamera {
  /// Lets retention do its work, and judges it.
  mutating func keep() throws {
    var sizes = try sizes()
    let used = sizes.values.reduce(0, +)
    #expect(used < Self.capacity, "the disk is full")
    let free = Self.capacity - min(used, Self.capacity)
    readings.set(
      now: time.isTrusted ? time.wall : nil, moment: time.moment, disk: DiskState(free: free, capacity: Self.capacity))
    for keeping in retention.keep() { oracle.evaluate(keeping, sizes: &sizes, now: time.truth) }
    #expect(sizes.values.reduce(0, +) <= Self.limits.maximumTotal ?? .max)
    if time.isTrusted { #expect(oracle.overdue(now: time.truth, step: 3_600_000) == []) }
  }

  /// Bytes on the disk of each archive.
  private mutating func sizes() throws -> [ArchiveID: UInt64] {
    var sizes: [ArchiveID: UInt64] = [:]
    for id in oracle.archives.keys { sizes[id] = try sizesAtEnd[id] ?? byteCount(id) }
    sizesAtEnd = sizes.filter { running[$0.key] == nil }
    return sizes
  }

  private func byteCount(_ id: ArchiveID) throws -> UInt64 {
    let path = try store.path(id)
    return try FileManager.default.contentsOfDirectory(atPath: path).reduce(0) { sum, name in
      var status = stat()
      return lstat(path + "/" + name, &status) == 0 ? sum + UInt64(status.st_blocks) * 512 : sum
    }
  }

  /// Whether every archive can be read, and none is missing.
  func verify() throws {
    let found = try store.list()
    #expect(Set(found.map(\.id)) == Set(oracle.archives.keys))
    for manifest in found where oracle.archives[manifest.id]?.end != nil {
      #expect(try store.verify(manifest.id) == [], "\(manifest.id)")
    }
  }
}

// MARK: Power

extension UnattendedCamera {
  /// The power goes, and comes back after a while.
  mutating func cutPower() async throws {
    let interrupted = running.keys.sorted { $0.text < $1.text }
    for id in interrupted {
      try await stop(id)
      try interrupt(id)
    }
    if Bool.random(using: &random) { try Data("torn".utf8).write(to: URL(filePath: store.root + "/order.tmp")) }
    time.pass(Int64.random(in: 0..<10, using: &random) == 0 ? 6 * 3_600_000 : 60_000)
    time.boot(hasBattery: Bool.random(using: &random))
    setPlans()
    readings.set(now: nil, moment: time.moment, disk: nil)
    retention = RetentionJob(store: store, limits: Self.limits, surroundings: readings.surroundings)
    try recover(interrupted)
    sizesAtEnd = [:]
    try keep()
  }

  /// Makes a finished archive look as if the power had gone while it was recorded: its manifest as it was at the start, the end
  /// of its file missing, or never written.
  private mutating func interrupt(_ id: ArchiveID) throws {
    let path = try store.path(id)
    var manifest = try store.manifest(id)
    (manifest.status, manifest.reason, manifest.duration, manifest.size) = (.started, "", 0, 0)
    for index in manifest.files.indices { (manifest.files[index].size, manifest.files[index].stopTimeOffset) = (0, 0) }
    try manifest.json().write(to: URL(filePath: path + "/archive.json"))
    let file = try FileHandle(forUpdating: URL(filePath: path + "/device.webm"))
    defer { try? file.close() }
    let size = try file.seekToEnd()
    let kept = UInt64.random(in: min(size, 4_000)...size, using: &random)
    try file.truncate(atOffset: kept)
    if Bool.random(using: &random) { try file.truncate(atOffset: size) }
  }

  /// Only what held nothing yet may be gone.
  private mutating func recover(_ interrupted: [ArchiveID]) throws {
    for recovery in try store.recover() {
      switch recovery {
      case .recovered(let manifest):
        recovered += 1
        #expect(interrupted.contains(manifest.id))
        #expect(try store.verify(manifest.id) == [], "\(manifest.id)")
      case .discarded(let id): #expect(interrupted.contains(id))
      case .foreign(let id, let names): Issue.record("\(id): \(names)")
      case .failed(let id, let error): Issue.record("\(id): \(error)")
      }
    }
    let gone = Set(oracle.archives.keys).subtracting(try store.ids())
    #expect(gone.isSubset(of: interrupted))
    for id in gone { oracle.archives[id] = nil }
  }
}
