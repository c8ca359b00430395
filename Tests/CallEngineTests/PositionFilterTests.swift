import CallPolicy
import HubClient
import MediaCore
import Signalling
import SystemSupport
import TestSupport
import Testing

@testable import CallEngine

@Suite("Which positions are plausible")
struct PositionFilterTests {
  private static let start = MonotonicInstant(nanoseconds: 1_000_000_000_000)
  private static let clock: Int64 = 1_790_000_000

  /// So many metres north of Berlin, so many seconds after the start.
  private func fix(metres: Double, at second: Double = 0, error: Double? = 5, isTimed: Bool = false) -> PositionFix {
    PositionFix(
      latitude: 52.5163 + metres / 111_195, longitude: 13.3777, horizontalError: error,
      time: isTimed ? Self.clock + Int64(second) : nil)
  }

  private func time(_ second: Double) -> MonotonicInstant { Self.start + TimeSpan(seconds: second) }

  private func passes(
    _ filter: inout PositionFilter, metres: Double, at second: Double, error: Double? = 5
  ) -> Bool {
    filter.take(fix(metres: metres, at: second, error: error), now: time(second), clock: nil) != nil
  }

  @Test("A single fix far away is left out", arguments: [300.0, 1_000_000])
  func single(metres: Double) {
    var filter = PositionFilter()
    let passed = [(0.0, 0.0), (metres, 1), (10, 2), (metres, 3), (20, 4)].map {
      passes(&filter, metres: $0.0, at: $0.1)
    }
    #expect(passed == [true, false, true, false, true])
    #expect(filter.refusedCount == 2)
  }

  @Test func whatTheDeviceCanHaveReachedPasses() {
    var filter = PositionFilter()
    let passed = [(0.0, 0.0), (90, 1), (1_000, 12), (60_000, 700)].map { passes(&filter, metres: $0.0, at: $0.1) }
    #expect(passed == [true, true, true, true])
  }

  @Test func anEstimatedErrorExcusesAsMuchAndNoMoreThanAKilometre() {
    var filter = PositionFilter()
    let passed = [(0.0, 0.0, 5.0), (900, 1, 800), (200_000, 2, 1_000_000)].map {
      passes(&filter, metres: $0.0, at: $0.1, error: $0.2)
    }
    #expect(passed == [true, true, false])
  }

  @Test func aFewThatAgreeOutweighTheLast() {
    var filter = PositionFilter()
    let passed = (0..<8).map { passes(&filter, metres: $0 == 0 ? 0 : 1_000_000 + Double($0) * 20, at: Double($0)) }
    #expect(passed == [true, false, false, false, false, true, true, true])
  }

  @Test func manyWithinAMomentDoNot() {
    var filter = PositionFilter()
    let passed = (0..<20).map { passes(&filter, metres: $0 == 0 ? 0 : 1_000_000, at: Double($0) / 10) }
    #expect(passed.count { $0 } == 1)
  }

  @Test func aWrongFirstFixIsCorrected() {
    var filter = PositionFilter()
    let passed = (0..<10).map { passes(&filter, metres: $0 == 0 ? 500_000 : 0, at: Double($0)) }
    #expect(passed.lastIndex(of: false) == 4)
  }

  // MARK: Time

  @Test func aTimeThatContradictsTheClockIsNotBelieved() {
    var filter = PositionFilter()
    let years: Int64 = 410_000_000
    for time in [Self.clock + years, Self.clock - years, .max, .min] {
      let late = PositionFix(latitude: 52, longitude: 13, time: time)
      let isTaken = filter.take(late, now: Self.start, clock: Self.clock) != nil
      #expect(!isTaken)
    }
    let isGood = filter.take(fix(metres: 0, isTimed: true), now: Self.start, clock: Self.clock) != nil
    #expect(isGood)
  }

  @Test func withoutAClockTheTimeHasToFollowItself() {
    var filter = PositionFilter()
    let first = filter.take(fix(metres: 0, isTimed: true), now: time(0), clock: nil) != nil
    let strange = PositionFix(latitude: 52.5163, longitude: 13.3777, horizontalError: 5, time: Self.clock + 410_000_000)
    let second = filter.take(strange, now: time(1), clock: nil) != nil
    let third = filter.take(fix(metres: 0, at: 2, isTimed: true), now: time(2), clock: nil) != nil
    #expect([first, second, third] == [true, false, true])
  }

  @Test func aReceiverWhoseTimeStandsStillTellsNothingNew() {
    var filter = PositionFilter()
    let passed = (0..<8).map {
      filter.take(fix(metres: 0, isTimed: true), now: time(Double($0)), clock: Self.clock) != nil
    }
    #expect(passed == [true, true, true, true, true, true, false, false])
    #expect(filter.age(now: time(8)) == 3)
  }

  // MARK: Receivers that have no position

  @Test func aReceiverAtTheOriginHasNoPosition() {
    var filter = PositionFilter()
    let origin = PositionFix(latitude: 0, longitude: 0, isThreeDimensional: true, time: Self.clock)
    let taken = (0..<8).map { filter.take(origin, now: time(Double($0)), clock: nil) }
    #expect(taken.allSatisfy { $0 == nil })
    #expect(filter.doubt == .frozen || filter.doubt == .origin)
    #expect(filter.refusedCount == 8 && filter.age(now: time(8)) == nil)
    // The first true one is compared with nothing.
    let first = passes(&filter, metres: 0, at: 9)
    let again = filter.take(origin, now: time(10), clock: nil)
    let second = passes(&filter, metres: 5, at: 11)
    #expect(first && again == nil && second)
  }

  @Test func aFirstFixWithoutAnEstimateHasToBeBorneOut() {
    var filter = PositionFilter()
    let passed = [(500_000.0, 0.0), (0, 1), (3, 2), (6, 3)].map {
      passes(&filter, metres: $0.0, at: $0.1, error: nil)
    }
    #expect(passed == [false, false, true, true])
  }

  @Test func anEstimateOfManyKilometresIsNoPosition() {
    var filter = PositionFilter()
    let passed = passes(&filter, metres: 0, at: 0, error: 50_000)
    #expect(!passed && filter.doubt == .imprecise(metres: 50_000))
  }

  // MARK: Dates

  @Test("A position whose date is 1,024 weeks behind is taken without it", arguments: [true, false])
  func rollover(hasClock: Bool) throws {
    var filter = PositionFilter()
    let wrong = Self.clock - 1_024 * 7 * 86_400
    let fix = PositionFix(latitude: 52.5, longitude: 13.4, horizontalError: 5, time: wrong)
    let found = filter.take(fix, now: Self.start, clock: hasClock ? Self.clock : nil)
    let taken = try #require(found)
    #expect(taken.time == nil && taken.latitude == 52.5)
    #expect(filter.wrongDate == wrong && dateText(wrong) == "2007-02-05")
    let right = PositionFix(latitude: 52.5, longitude: 13.4, horizontalError: 5, time: Self.clock + 1)
    let next = filter.take(right, now: time(1), clock: Self.clock)
    #expect(next == right)
    #expect(filter.wrongDate == nil)
  }

  @Test func aTimeThatIsNotBelievedIsNamed() {
    var filter = PositionFilter()
    let fix = PositionFix(latitude: 52.5, longitude: 13.4, horizontalError: 5, time: Self.clock + 86_400)
    let taken = filter.take(fix, now: Self.start, clock: Self.clock)
    #expect(taken == nil)
    #expect(filter.doubt.map { "\($0)" } == "its time, of 2026-09-22, is 86400 s ahead of the clock")
  }

  // MARK: Age

  @Test func aPositionIsTooOldOnce() {
    var filter = PositionFilter()
    _ = passes(&filter, metres: 0, at: 0)
    #expect(filter.staleAt == time(300))
    let stale = [299.9, 300, 301].map { filter.becomesStale(now: time($0)) }
    #expect(stale == [false, true, false])
    #expect(filter.isStale && filter.age(now: time(301)) == 301)
    _ = passes(&filter, metres: 0, at: 302)
    #expect(!filter.isStale && filter.staleAt == time(602))
  }

  // MARK: Drives

  @Test("Of a drive with outliers all that is true passes, and nothing that is not", arguments: 1...20)
  func drive(seed: Int) {
    var random = SeededGenerator(seed: UInt64(seed))
    var filter = PositionFilter()
    var metres = 0.0
    var wrong = (taken: 0, count: 0)
    var missed = 0
    for second in 0..<600 {
      metres += Double.random(in: -40...40, using: &random)
      let error = Double.random(in: 2...60, using: &random)
      let isOutlier = second > 0 && Double.random(in: 0..<1, using: &random) < 0.2
      let seen =
        isOutlier
        ? Double.random(in: 5_000...3_000_000, using: &random) : Double.random(in: -1...1, using: &random) * error
      let isTaken = passes(&filter, metres: metres + seen, at: Double(second), error: error)
      if isOutlier { wrong.count += 1 }
      if isOutlier, isTaken { wrong.taken += 1 }
      if !isOutlier, !isTaken { missed += 1 }
    }
    #expect(wrong.taken == 0 && wrong.count > 60 && missed == 0)
  }
}

@Suite("Positions that are not published", .timeLimit(.minutes(1)))
struct UnpublishedPositionTests {
  private func bench() async throws -> EngineBench {
    let bench = try EngineBench()
    await bench.engine.handle(.hello(HelloEvent(eventStreamID: "e1", isReset: false)))
    await bench.engine.presence.take(PositionFix(latitude: 1, longitude: 2, horizontalError: 5))
    await bench.advance(.zero)
    await bench.settle()
    return bench
  }

  @Test func oneFarAwayIsNeitherPublishedNorTracked() async throws {
    let bench = try await bench()
    await bench.advance(.seconds(10))
    await bench.engine.presence.take(PositionFix(latitude: 10, longitude: 2, horizontalError: 5))
    await bench.advance(.zero)
    await bench.settle()
    #expect(bench.hub.presence.withLock { $0.map(\.userLocation?.latitude) } == [1])
    #expect(await bench.lines.filter { $0.hasPrefix("media position") } == ["media position 1.0"])
    #expect(await bench.engine.status().position?.refusedCount == 1)
  }

  @Test func eachHeartbeatTellsTheAge() async throws {
    let bench = try await bench()
    await bench.advance(.seconds(20))
    await bench.settle()
    #expect(bench.hub.presence.withLock { $0.map(\.positionAge) } == [0, 20])
  }

  @Test func oneThatIsTooOldIsTakenBackUntilThereIsAnother() async throws {
    let bench = try await bench()
    await bench.advance(.seconds(300))
    await bench.settle()
    #expect(bench.hub.presence.withLock { $0.last?.location } == .withdrawn)
    #expect(await bench.engine.status().position?.isStale == true)
    await bench.engine.presence.take(PositionFix(latitude: 1, longitude: 2, horizontalError: 5))
    await bench.advance(.zero)
    await bench.settle()
    #expect(bench.hub.presence.withLock { $0.last?.userLocation?.latitude } == 1)
  }

  @Test func aFixedPlaceHasNoAge() async throws {
    let place = UserLocation(latitude: 1, longitude: 2)
    let bench = try EngineBench(policy: CallPolicy(rules: []), location: .init(fixed: place))
    await bench.engine.handle(.hello(HelloEvent(eventStreamID: "e1", isReset: false)))
    await bench.advance(.seconds(1_000))
    await bench.settle()
    let last = try #require(bench.hub.presence.withLock { $0.last })
    #expect(last.userLocation == place && last.positionAge == nil)
    #expect(await bench.engine.status().position == nil)
  }
}
