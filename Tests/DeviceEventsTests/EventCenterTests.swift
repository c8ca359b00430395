import ControlMessages
import EventDetection
import Foundation
import Logging
import MediaCore
import MediaPipeline
import MediaPlaneAPI
import Signalling
import SystemSupport
import Testing

@testable import DeviceEvents

@Suite struct EventCenterTests {
  private let path = FileManager.default.temporaryDirectory.appending(path: "center-\(UUID().uuidString)").path
  private let told = Told()

  private final class Told: Sendable {
    let events = Mutex<[TimedEvent]>([])
  }

  private func at(_ seconds: Int64) -> MonotonicInstant { MonotonicInstant(nanoseconds: 0) + .seconds(seconds) }

  private func makeCenter() -> EventCenter {
    let (now, told) = (at(100), told)
    return EventCenter(
      sources: [
        0: EventCenter.Source(name: "yard", kind: .motion),
        1: EventCenter.Source(name: "camera", kind: .tamper, camera: "gate"),
      ],
      folder: EventFolder(path: path, limits: EventFolder.Limits(maximumAge: .seconds(86_400), maximumTotal: 1 << 20)),
      logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
      environment: EventCenter.Environment(
        now: {
          EventCenter.Moment(
            instant: now, wallTime: 1_795_521_600_000, isClockSynchronized: true, settledTime: 1_795_521_600_000)
        },
        report: { event in told.events.withLock { $0.append(event) } }, random: { 0xAB }))
  }

  /// What a trigger makes of a signal at 98 s that is over by 120 s.
  private func steps(_ source: Int, score: Int) -> [EventStep] {
    var trigger = EventTrigger<FrameRegion>(EventTiming(minimumDuration: .zero))
    let region = FrameRegion(x: 1, y: 2, width: 3, height: 4)
    let begun = trigger.take(EventTrigger.Signal(score: score, place: region), at: at(98))
    return (begun + trigger.tick(now: at(120))).map { EventStep(source: source, step: $0) }
  }

  @Test func eventsAreToldInOrderAndKept() async throws {
    defer { try? FileManager.default.removeItem(atPath: path) }
    let center = makeCenter()
    var steps = steps(0, score: 80)
    steps[0].image = [1, 2]
    for step in steps { await center.take(step) }
    let events = told.events.withLock { $0 }
    #expect(events.map(\.id) == ["20261124T115958Z-000000ab", "20261124T115958Z-000000ab"])
    #expect(events.map(\.end) == [nil, at(98)])
    #expect(events[0].event.start == 1_795_521_598_000)
    let kept = try #require(await makeCenter().events(since: 0, limit: 5).first)
    #expect(kept.score == 80)
    #expect(kept.camera == nil)
    #expect(kept.region?.height == 4)
    #expect(kept.end == 1_795_521_598_000)
    #expect(kept.isInterrupted == nil)
    let picture = try #require(kept.picture)
    #expect(FileManager.default.contents(atPath: "\(path)/2026-11-24/\(picture)") == Data([1, 2]))
  }

  @Test func whatGoesOnIsListedAndSurvivesTheDaemon() async throws {
    defer { try? FileManager.default.removeItem(atPath: path) }
    let center = makeCenter()
    var begun = steps(1, score: 100)[0]
    begun.detail = "covered"
    await center.take(begun)
    let listed = try #require(await center.events(since: 0, limit: 5).first)
    #expect(listed.detail == "covered")
    #expect(listed.camera == "gate")
    #expect(told.events.withLock { $0.map(\.event.title) } == ["tamper (covered) at \"camera\", camera gate"])
    #expect(listed.end == nil)
    #expect(listed.isInterrupted == nil)
    let restarted = await makeCenter().events(since: 0, limit: 5)
    #expect(restarted.map(\.isInterrupted) == [true])
    #expect(restarted.map(\.detail) == ["covered"])
  }

  private static let limits = EventFolder.Limits(maximumAge: .seconds(86_400), maximumTotal: 1 << 20)

  @Test func stepsOfSourcesThatAreGoneAreTakenUntilTheNextChange() async {
    defer { try? FileManager.default.removeItem(atPath: path) }
    let center = makeCenter()
    let first = steps(0, score: 80)
    await center.take(first[0])
    await center.apply([7: EventCenter.Source(name: "yard", kind: .motion)], Self.limits)
    await center.take(first[1])
    await center.take(steps(7, score: 20)[0])
    let events = told.events.withLock { $0 }
    #expect(events.map(\.event.score) == [80, 80, 20])
    #expect(events.map { $0.end == nil } == [true, false, true])
    await center.apply([:], Self.limits)
    await center.take(first[0])
    #expect(told.events.withLock { $0.count } == 3, "nobody knows it any more")
    await center.take(steps(7, score: 20)[1])
    #expect(told.events.withLock { $0.last?.end } == at(98))
  }

  @Test func pagesFollowEachOtherWithoutGapsAndTwins() {
    func record(_ id: String, _ start: Int64) -> DetectedEvent {
      DetectedEvent(id: id, kind: .sound, source: "hall", start: start, score: 1, clockSynchronized: true)
    }
    let records = [record("e", 5), record("d", 4), record("c", 4), record("b", 4), record("a", 1)]
    let first = EventPage(records, size: 2)
    #expect(first.items.map(\.id) == ["e", "d", "c", "b"] && first.hasMore)
    // Ids of another form make no cursor; by the time alone nothing is missed.
    #expect(first.next == nil)
    let second = EventPage(records.filter { $0.start < 4 }, size: 2)
    #expect(second.items.map(\.id) == ["a"] && !second.hasMore)
    let cut = EventPage(records.dropLast(), size: 2, maxAtOnce: 1)
    #expect(cut.items.map(\.id) == ["e", "d", "c"] && cut.hasMore)
    #expect(EventPage([], size: 2) == EventPage([]))
  }

  /// So many that no page has room for all, among them one that goes on.
  @Test func eventsOfOneMillisecondAreAllListedOnce() async throws {
    defer { try? FileManager.default.removeItem(atPath: path) }
    let start: Int64 = 1_795_521_598_000
    let folder = EventFolder(path: path, limits: EventFolder.Limits(maximumAge: .seconds(1), maximumTotal: 1 << 30))
    for number in 0..<300 {
      let id = "20261124T115958Z-\(String(number + 0x9000_0000, radix: 16))"
      let time = start + (number == 0 ? 1 : number == 299 ? -1 : 0)
      try await folder.append(
        DetectedEvent(id: id, kind: .sound, source: "hall", start: time, score: 1, clockSynchronized: true))
    }
    let center = makeCenter()
    await center.take(steps(1, score: 100)[0])
    let span = try #require(TimelineSpan(start: start - 5, end: start + 5))
    var (cursor, listed, pages): (EventCursor?, [DetectedEvent], Int) = (nil, [], 0)
    repeat {
      let page = await center.page(in: span, after: cursor)
      #expect(page.items.count <= 132 && page.hasMore == (page.next != nil))
      listed += page.items
      pages += 1
      cursor = page.next.flatMap { EventCursor($0) }
    } while cursor != nil && pages < 10
    #expect(pages == 3)
    #expect(listed.count == 301 && Set(listed.map(\.id)).count == 301)
    #expect(listed == listed.sorted { ($0.start, $0.id) > ($1.start, $1.id) })
    #expect(listed.count { $0.isInterrupted == nil } == 1)
  }

  /// Behind the end of what is asked for, a cursor changes nothing.
  @Test func aCursorShowsNothingBeyondItsSpan() async throws {
    defer { try? FileManager.default.removeItem(atPath: path) }
    let center = makeCenter()
    await center.take(steps(1, score: 100)[0])
    let start: Int64 = 1_795_521_598_000
    let later = try #require(EventCursor(start: start + 9, id: "20261124T115958Z-00000000"))
    let earlier = try #require(TimelineSpan(start: start - 9, end: start))
    #expect(await center.page(in: earlier, after: later).items.isEmpty)
    let around = try #require(TimelineSpan(start: start, end: start + 1))
    #expect(await center.page(in: around, after: later).items.count == 1)
  }

  @Test func aSpanHasWhatBeganInIt() async throws {
    defer { try? FileManager.default.removeItem(atPath: path) }
    let center = makeCenter()
    // One that goes on is not on the disk's list alone.
    await center.take(steps(1, score: 100)[0])
    let start: Int64 = 1_795_521_598_000
    let page = await center.page(in: try #require(TimelineSpan(start: start, end: start + 1)))
    #expect(page.items.map(\.source) == ["camera"] && page.items.map(\.isInterrupted) == [nil] && !page.hasMore)
    #expect(await center.page(in: try #require(TimelineSpan(start: start - 9, end: start))).items.isEmpty)
  }

  @Test func archivesOfTheTimeAreNamed() async throws {
    defer { try? FileManager.default.removeItem(atPath: path) }
    let center = makeCenter()
    await center.noteArchive("before", isRecording: true)
    await center.noteArchive("before", isRecording: false)
    await center.noteArchive("a", isRecording: true)
    let steps = steps(0, score: 80)
    await center.take(steps[0])
    await center.noteArchive("b", isRecording: true)
    await center.noteArchive("a", isRecording: false)
    await center.take(steps[1])
    #expect(await center.events(since: 0, limit: 5).map(\.archives) == [["a", "b"]])
  }

  @Test func aFolderThatFailsIsAProblemUntilItWorks() async throws {
    try Data().write(to: URL(filePath: path))
    defer { try? FileManager.default.removeItem(atPath: path) }
    let center = makeCenter()
    for step in steps(0, score: 80) { await center.take(step) }
    #expect(told.events.withLock { $0.count } == 2)
    let problem = try #require(await center.problem)
    #expect(problem.part == .events)
    #expect(problem.text.contains("\(path), which is no folder"))
    #expect(problem.lasts)
    try FileManager.default.removeItem(atPath: path)
    for step in steps(1, score: 80) { await center.take(step) }
    #expect(await center.problem?.lasts == false)
    #expect(await center.events(since: 0, limit: 5).map(\.source) == ["camera"])
  }
}
