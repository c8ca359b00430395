import CallPolicy
import HubClient
import MediaCore
import Signalling
import SystemSupport
import Testing

@testable import CallEngine

@Suite("Position, design 7")
struct LocationPublisherTests {
  private static let start = MonotonicInstant(nanoseconds: 0)
  private let berlin = PositionFix(latitude: 52.5163, longitude: 13.3777, horizontalError: 5)

  /// A fix so many metres north of Berlin.
  private func fix(metres: Double, error: Double? = 5) -> PositionFix {
    PositionFix(latitude: 52.5163 + metres / 111_195, longitude: 13.3777, horizontalError: error)
  }

  private func publisher(
    publishing fix: PositionFix, _ settings: LocationPublisher.Settings = .init()
  ) throws -> LocationPublisher {
    var publisher = LocationPublisher(settings)
    publisher.receive(fix)
    publisher.didPublish(try #require(publisher.due(now: Self.start)), now: Self.start)
    return publisher
  }

  @Test func theFirstFixIsPublishedAtOnce() {
    var publisher = LocationPublisher(.init())
    #expect(publisher.due(now: Self.start) == nil)
    publisher.receive(berlin)
    #expect(publisher.due(now: Self.start)?.latitude == 52.5163)
    #expect(publisher.due(now: Self.start)?.horizontalAccuracy == 5)
  }

  @Test("Moves", arguments: [(0.0, false), (49, false), (51, true), (5000, true)])
  func moves(metres: Double, isPublished: Bool) throws {
    var publisher = try publisher(publishing: berlin)
    publisher.receive(fix(metres: metres))
    #expect((publisher.due(now: Self.start + .seconds(10)) != nil) == isPublished)
  }

  @Test("Error estimates", arguments: [(100.0, true), (101, false), (nil, true)])
  func errors(error: Double?, isPublished: Bool) throws {
    var publisher = try publisher(publishing: berlin)
    publisher.receive(fix(metres: 500, error: error))
    #expect((publisher.due(now: Self.start + .seconds(10)) != nil) == isPublished)
  }

  @Test func atMostOnceInTenSeconds() throws {
    var publisher = try publisher(publishing: berlin)
    publisher.receive(fix(metres: 500))
    #expect(publisher.due(now: Self.start + .milliseconds(9999)) == nil)
    #expect(publisher.nextDue == Self.start + .seconds(10))
    #expect(publisher.due(now: Self.start + .seconds(10)) != nil)
  }

  @Test func whoComesBackInTimeIsNotPublishedAgain() throws {
    var publisher = try publisher(publishing: berlin)
    publisher.receive(fix(metres: 500))
    publisher.receive(fix(metres: 3))
    #expect(publisher.nextDue == nil)
  }

  @Test func manySmallStepsAddUp() throws {
    var publisher = try publisher(publishing: berlin)
    for metres in stride(from: 10.0, through: 60, by: 10) { publisher.receive(fix(metres: metres)) }
    #expect(publisher.due(now: Self.start + .seconds(10)) != nil)
  }

  @Test func roundingHidesThePlaceAndSmallMoves() throws {
    var publisher = try publisher(publishing: berlin, .init(precision: 1000))
    publisher.republish()
    let sent = try #require(publisher.due(now: Self.start))
    #expect(abs(sent.latitude - 52.5163) < 0.0046)
    #expect(sent.latitude != 52.5163)
    #expect(sent.horizontalAccuracy == 1000)
    publisher.didPublish(sent, now: Self.start)
    publisher.receive(fix(metres: 60))
    #expect(publisher.due(now: Self.start + .seconds(10)) == nil)
    publisher.receive(fix(metres: 1500))
    #expect(publisher.due(now: Self.start + .seconds(10)) != nil)
  }

  @Test("Rounding stays on the globe", arguments: [(90.0, 180.0), (-90, -180), (89.999, 179.999), (0, 0)])
  func roundingAtTheEdges(latitude: Double, longitude: Double) {
    let rounded = UserLocation(latitude: latitude, longitude: longitude).rounded(toMetres: 5000)
    #expect(abs(rounded.latitude) <= 90)
    #expect(abs(rounded.longitude) <= 180)
    #expect(rounded.latitude.isFinite && rounded.longitude.isFinite)
  }

  @Test func distanceAcrossTheDateLine() {
    let west = UserLocation(latitude: 0, longitude: 179.9995)
    let east = UserLocation(latitude: 0, longitude: -179.9995)
    #expect(abs(west.distance(to: east) - 111.2) < 0.1)
  }

  @Test func aFixedPlaceIgnoresFixes() throws {
    let place = UserLocation(latitude: 1, longitude: 2)
    var publisher = LocationPublisher(.init(fixed: place))
    #expect(publisher.due(now: Self.start) == place)
    publisher.didPublish(place, now: Self.start)
    publisher.receive(berlin)
    #expect(publisher.nextDue == nil)
  }

  @Test func whoIsDisabledPublishesNothing() {
    var publisher = LocationPublisher(.init(isEnabled: false, fixed: UserLocation(latitude: 1, longitude: 2)))
    publisher.receive(berlin)
    #expect(publisher.due(now: Self.start) == nil)
  }
}

@Suite("Tracks of archives", .timeLimit(.minutes(1)))
struct TrackTests {
  private static let start = MonotonicInstant(nanoseconds: 0)

  @Test func aboutOneGoodPositionASecondPasses() {
    var filter = GPXPointFilter()
    let fixes: [(milliseconds: Int64, error: Double?)] = [
      (0, 5), (800, 5), (950, 5), (10_000, 101), (10_000, nil), (10_100, nil),
    ]
    let passed = fixes.map { fix in
      filter.passes(
        PositionFix(latitude: 1, longitude: 2, horizontalError: fix.error),
        now: Self.start + .milliseconds(fix.milliseconds))
    }
    #expect(passed == [true, false, true, false, true, false])
  }

  @Test func theTrackIsExactAlsoWhereWhatIsPublishedIsRounded() async throws {
    let bench = try EngineBench(policy: CallPolicy(rules: []), location: .init(precision: 100_000))
    await bench.engine.presence.take(PositionFix(latitude: 1.2345, longitude: 2, horizontalError: 5))
    #expect(await bench.lines == ["media position 1.2345"])
  }

  @Test func aDeviceThatHidesItsPlaceKeepsNoTrack() async throws {
    let bench = try EngineBench(policy: CallPolicy(rules: []), location: .init(isEnabled: false))
    await bench.engine.presence.take(PositionFix(latitude: 1, longitude: 2, horizontalError: 5))
    #expect(await bench.lines.isEmpty)
  }
}

@Suite("Presence, design 7", .timeLimit(.minutes(1)))
struct PresenceTests {
  private let hello = HubEvent.hello(HelloEvent(eventStreamID: "e1", isReset: false))

  @Test func presenceBeginsWithTheStreamAndBeatsEveryTwentySeconds() async throws {
    let bench = try EngineBench()
    await bench.advance(.seconds(60))
    #expect(await bench.lines.isEmpty)
    await bench.engine.handle(hello)
    await bench.engine.presence.take(PositionFix(latitude: 1, longitude: 2, horizontalError: 5))
    await bench.advance(.zero)
    await bench.log.wait(for: "hub presence")
    let first = try #require(bench.hub.presence.withLock { $0.first })
    #expect(first.eventStreamID == "e1")
    #expect(first.userTitle == "Gate")
    #expect(first.kind == .device)
    #expect(first.userLocation == UserLocation(latitude: 1, longitude: 2, horizontalAccuracy: 5))
    await bench.settle()
    await bench.advance(.milliseconds(19_999))
    #expect(bench.hub.presence.withLock { $0.count } == 1)
    await bench.connectedCall()
    await bench.advance(.milliseconds(1))
    await bench.log.wait(for: "hub presence", count: 2)
    let second = try #require(bench.hub.presence.withLock { $0.last })
    #expect(second.userLocation == nil)
    #expect(second.sessions == ["s"])
  }

  @Test func aPositionThatTheHubDidNotTakeIsSentAgain() async throws {
    let bench = try EngineBench()
    bench.hub.refusal.withLock { $0 = .timedOut }
    await bench.engine.handle(hello)
    await bench.engine.presence.take(PositionFix(latitude: 1, longitude: 2, horizontalError: 5))
    await bench.advance(.zero)
    await bench.log.wait(for: "hub presence")
    await bench.settle()
    await bench.advance(.milliseconds(2499))
    #expect(bench.hub.presence.withLock { $0.count } == 1)
    bench.hub.refusal.withLock { $0 = nil }
    await bench.advance(.milliseconds(1))
    await bench.log.wait(for: "hub presence", count: 2)
    #expect(bench.hub.presence.withLock { $0.last }?.userLocation != nil)
  }

  @Test func aNewStreamIsToldThePositionAgain() async throws {
    let bench = try EngineBench()
    await bench.engine.handle(hello)
    await bench.engine.presence.take(PositionFix(latitude: 1, longitude: 2, horizontalError: 5))
    await bench.advance(.zero)
    await bench.settle()
    await bench.engine.handle(HubStreamEvent.closed)
    await bench.advance(.seconds(100))
    #expect(bench.hub.presence.withLock { $0.count } == 1)
    await bench.engine.handle(.hello(HelloEvent(eventStreamID: "e2", isReset: true)))
    await bench.advance(.zero)
    await bench.log.wait(for: "hub presence", count: 2)
    let last = try #require(bench.hub.presence.withLock { $0.last })
    #expect(last.eventStreamID == "e2")
    #expect(last.userLocation == UserLocation(latitude: 1, longitude: 2, horizontalAccuracy: 5))
  }

  @Test func aFullHouseIsBusyAtOnce() async throws {
    let bench = try EngineBench(maximumSessions: 1)
    await bench.engine.handle(.hello(HelloEvent(eventStreamID: "e1", isReset: false, heartbeatInterval: 240)))
    await bench.advance(.zero)
    await bench.log.wait(for: "hub presence")
    await bench.settle()
    await bench.connectedCall()
    await bench.advance(.zero)
    await bench.log.wait(for: "hub presence", count: 2)
    #expect(bench.hub.presence.withLock { $0.map(\.status) } == [.available, .busy])
  }

  @Test func aFullHouseIsBusy() async throws {
    let bench = try EngineBench(maximumSessions: 1)
    await bench.connectedCall()
    await bench.engine.handle(hello)
    await bench.advance(.zero)
    await bench.log.wait(for: "hub presence")
    #expect(bench.hub.presence.withLock { $0.last }?.status == .busy)
  }

  private func reload(_ bench: EngineBench, location: LocationPublisher.Settings) async {
    await bench.engine.apply(EngineSettings(title: "Gate", policy: CallPolicy(rules: []), location: location))
  }

  private func announced(_ bench: EngineBench) -> [LocationUpdate] {
    bench.hub.presence.withLock { $0.map(\.location) }
  }

  /// A device that is online and has published where it is.
  private func publishedBench() async throws -> EngineBench {
    let bench = try EngineBench()
    await bench.engine.handle(hello)
    await bench.engine.presence.take(PositionFix(latitude: 1, longitude: 2, horizontalError: 5))
    await bench.advance(.zero)
    await bench.settle()
    return bench
  }

  @Test(
    "A reload of [location] takes the old position back with one update, and presence stays",
    arguments: [LocationPublisher.Settings(isEnabled: false), .init(precision: 1000)])
  func aPositionThatMayNotBeShownAnyLongerIsTakenBack(settings: LocationPublisher.Settings) async throws {
    let bench = try await publishedBench()
    await reload(bench, location: settings)
    await bench.advance(.zero)
    await bench.settle()
    #expect(await bench.lines.filter { $0.hasPrefix("hub") } == ["hub presence", "hub presence"])
    #expect(announced(bench).last == .withdrawn)
  }

  @Test func aFixedPlaceReplacesTheOldPositionAtOnce() async throws {
    let bench = try await publishedBench()
    let place = UserLocation(latitude: 3, longitude: 4)
    await reload(bench, location: .init(fixed: place))
    await bench.advance(.zero)
    await bench.settle()
    #expect(announced(bench).last == .at(place))
  }

  @Test func aReloadEndsNoCall() async throws {
    let bench = try await publishedBench()
    await bench.connectedCall()
    for precision in [100.0, 1000] {
      await reload(bench, location: .init(precision: precision))
      await bench.advance(.zero)
      await bench.settle()
    }
    #expect(await !bench.lines.contains("hub withdraw"))
    #expect(await bench.engine.status().calls.count == 1)
    #expect(bench.hub.presence.withLock { $0.last }?.sessions == ["s"])
  }

  @Test func aPositionIsTakenBackUntilTheHubHasHeard() async throws {
    let bench = try await publishedBench()
    bench.hub.refusal.withLock { $0 = .timedOut }
    await reload(bench, location: .init(isEnabled: false))
    await bench.advance(.zero)
    await bench.settle()
    bench.hub.refusal.withLock { $0 = nil }
    await bench.advance(.seconds(5))
    await bench.settle()
    await bench.advance(.seconds(20))
    await bench.settle()
    #expect(announced(bench).dropFirst() == [.withdrawn, .withdrawn, .unchanged])
  }

  @Test func aDeviceWithoutPositionTakesBackThatOfItsLastRun() async throws {
    let bench = try EngineBench()
    await bench.engine.handle(hello)
    await bench.advance(.zero)
    await bench.settle()
    #expect(announced(bench) == [.withdrawn])
  }
}

struct PresenceSchedulerTests {
  private static let start = MonotonicInstant(nanoseconds: 0)

  @Test func anAnnouncementOfBeforeAReloadDoesNotPassForOneOfAfter() {
    let place = UserLocation(latitude: 1, longitude: 2)
    var scheduler = PresenceScheduler(location: LocationPublisher(.init(fixed: place)))
    scheduler.streamOpened("e", heartbeat: nil, now: Self.start)
    #expect(scheduler.next(now: Self.start)?.location == .at(place))
    scheduler.replaceLocation(LocationPublisher(.init(fixed: place, precision: 5000)), now: Self.start)
    scheduler.succeeded(random: 0.5, now: Self.start)
    #expect(scheduler.next(now: Self.start)?.location == .at(place.rounded(toMetres: 5000)))
  }

  @Test(
    "The hub says how often, within bounds",
    arguments: [(nil, 0.5, 20.0), (240, 0, 180), (240, 1, 300), (0, 0.5, 10), (1_000_000, 0.5, 3_600)])
  func heartbeats(seconds: Int64?, random: Double, wanted: Double) {
    var scheduler = PresenceScheduler(location: LocationPublisher(.init(isEnabled: false)))
    scheduler.streamOpened("e", heartbeat: seconds.map { .seconds($0) }, now: Self.start)
    #expect(scheduler.next(now: Self.start) != nil)
    scheduler.succeeded(random: random, now: Self.start)
    #expect(scheduler.nextDeadline.map { ($0 - Self.start).seconds } == wanted)
  }

  @Test func failuresAreRepeatedEverMoreSlowlyAndAsTheHubAsks() {
    var scheduler = PresenceScheduler(location: LocationPublisher(.init(isEnabled: false)))
    scheduler.streamOpened("e", heartbeat: .seconds(240), now: Self.start)
    var now = Self.start
    var pauses: [Double] = []
    for retryAfter in [nil, nil, nil, nil, nil, nil, TimeSpan.seconds(30), nil] {
      #expect(scheduler.next(now: now) != nil)
      scheduler.failed(retryAfter: retryAfter, random: 0.5, now: now)
      let next = scheduler.nextDeadline ?? now
      pauses.append((next - now).seconds)
      now = next
    }
    #expect(pauses == [2.5, 5, 10, 20, 30, 30, 30.5, 30])
  }
}
