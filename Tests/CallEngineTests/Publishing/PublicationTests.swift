import MediaCore
import Testing

@testable import CallEngine

/// The phases of a publication, in virtual time.
@Suite struct PublicationTests {
  private static let start = MonotonicInstant(nanoseconds: 1_000_000_000)
  private static let refused = PublishFailure("refused", remedy: "try")
  private static let mistaken = PublishFailure("no such endpoint", remedy: "correct it", .lasting)

  private var publication = Publication()
  private var now = Self.start

  private mutating func fail(_ failure: PublishFailure = refused, random: Double = 0) -> [Publication.Action] {
    publication.failed(failure, of: publication.attempt, now: now, random: random)
  }

  private mutating func publish() {
    _ = publication.want(true, now: now)
    publication.connected(publication.attempt, now: now)
  }

  /// Until the next attempt, in milliseconds.
  private var pause: Int64? {
    if case .waiting(let until) = publication.phase { (until - now).milliseconds } else { nil }
  }

  @Test mutating func anOccasionBeginsASessionThatEndsWithIt() {
    #expect(publication.want(false, now: now) == [])
    #expect(publication.want(true, now: now) == [.connect(attempt: 1)])
    #expect(publication.want(true, now: now) == [])
    publication.connected(1, now: now)
    #expect(publication.phase == .publishing(since: now))
    #expect(publication.deadline == .distantFuture)
    #expect(publication.want(false, now: now) == [.disconnect(attempt: 1)])
    #expect(publication.phase == .idle)
  }

  @Test mutating func aPauseGrowsAndIsBounded() {
    _ = publication.want(true, now: now)
    var pauses: [Int64] = []
    for _ in 0..<9 {
      _ = fail(random: 1)
      pauses.append(pause ?? 0)
      now = publication.deadline
      #expect(publication.tick(now: now, random: 0) == [.connect(attempt: publication.attempt)])
    }
    #expect(pauses == [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000])
  }

  @Test(arguments: [(0.0, 500), (0.5, 750), (0.999, 999)])
  mutating func aPauseHasARandomHalf(random: Double, milliseconds: Int64) {
    _ = publication.want(true, now: now)
    _ = fail(random: random)
    #expect(pause == milliseconds)
  }

  @Test mutating func whatSomebodyHasToChangeIsTriedLessOften() {
    _ = publication.want(true, now: now)
    _ = fail(Self.mistaken, random: 1)
    #expect(pause == 30_000)
  }

  @Test mutating func theServersWishToWaitHolds() {
    _ = publication.want(true, now: now)
    _ = fail(PublishFailure("busy", remedy: "", retryAfter: .seconds(20)))
    #expect(pause == 20_000)
    now = publication.deadline
    _ = publication.tick(now: now, random: 0)
    _ = fail(PublishFailure("busy", remedy: "", retryAfter: .seconds(86_400)))
    #expect(pause == 300_000)
  }

  @Test mutating func aSteadySessionMakesUpForFailures() {
    _ = publication.want(true, now: now)
    for _ in 0..<6 {
      _ = fail(random: 1)
      now = publication.deadline
      _ = publication.tick(now: now, random: 0)
    }
    publication.connected(publication.attempt, now: now)
    #expect(publication.failure == nil)
    now = now + .seconds(61)
    #expect(fail(random: 1) == [.disconnect(attempt: publication.attempt)])
    #expect(pause == 1_000)
    #expect(publication.failureCount == 7)
  }

  @Test mutating func aPathThatIsNotFoundEndsTheAttempt() {
    _ = publication.want(true, now: now)
    now = publication.deadline
    #expect(now - Self.start == .seconds(30))
    #expect(publication.tick(now: now, random: 0) == [.disconnect(attempt: 1)])
    #expect(publication.failure == .noPath)
  }

  @Test mutating func aRestartIsAskedForAndAnswered() {
    publish()
    #expect(publication.offered("o1", of: 1, now: now) == [.restart(attempt: 1, offer: "o1")])
    #expect(publication.phase == .restarting(until: now + .seconds(30), since: now))
    publication.restarted(1)
    #expect(publication.phase == .publishing(since: now))
  }

  @Test mutating func aRestartThatIsNotAnsweredLeadsToANewSession() {
    publish()
    _ = publication.offered("o1", of: 1, now: now)
    now = now + .seconds(12)
    // The media plane has rolled its offer back; the limit stays.
    #expect(publication.offered("o2", of: 1, now: now) == [.restart(attempt: 1, offer: "o2")])
    now = Self.start + .seconds(30)
    #expect(publication.tick(now: now, random: 0) == [.disconnect(attempt: 1)])
    now = publication.deadline
    #expect(publication.tick(now: now, random: 0) == [.connect(attempt: 2)])
  }

  @Test mutating func whatIsLateChangesNothing() {
    publish()
    _ = fail()
    now = publication.deadline
    _ = publication.tick(now: now, random: 0)
    let phase = publication.phase
    publication.connected(1, now: now)
    publication.restarted(1)
    #expect(publication.offered("o", of: 1, now: now) == [])
    #expect(publication.failed(Self.refused, of: 1, now: now, random: 0) == [])
    #expect(publication.phase == phase)
  }

  @Test mutating func nothingIsTriedWithoutAnOccasion() {
    _ = publication.want(true, now: now)
    _ = fail()
    #expect(publication.want(false, now: now) == [])
    #expect(publication.tick(now: now + .seconds(600), random: 0) == [])
    #expect(publication.failure == nil)
  }
}

@Suite struct PublishOccasionsTests {
  private let now = MonotonicInstant(nanoseconds: 5_000_000_000)

  @Test func eventsAreFollowedForAWhile() {
    var occasions = PublishOccasions(.events)
    #expect(!occasions.isWanted(now: now))
    occasions.note(event: "a", isOver: false, now: now)
    #expect(occasions.isWanted(now: now + .seconds(3_599)))
    #expect(!occasions.isWanted(now: now + .seconds(3_600)))
    occasions.note(event: "a", isOver: true, now: now)
    #expect(occasions.isWanted(now: now + .seconds(29)))
    #expect(occasions.deadline == now + .seconds(30))
    #expect(!occasions.isWanted(now: now + .seconds(30)))
  }

  @Test func moreEventsThanAnyDeviceHasAreNotKept() {
    var occasions = PublishOccasions(.events)
    for number in 0..<1_000 { occasions.note(event: "\(number)", isOver: false, now: now) }
    occasions.note(event: "70", isOver: true, now: now)
    #expect(occasions.isWanted(now: now))
  }

  @Test func alwaysNeedsNothing() { #expect(PublishOccasions(.always).isWanted(now: now)) }
}
