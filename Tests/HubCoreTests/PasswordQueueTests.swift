import Testing

@testable import HubCore

struct PasswordQueueTests {
  private var queue: PasswordQueue<String>
  /// The origins of the jobs that run, the oldest first.
  private var running: [String] = []
  /// The jobs that had to make room.
  private var refused: [String] = []
  private let start = Instant.now

  init() {
    var limits = HubLimits()
    limits.passwordQueueLength = 6
    limits.passwordQueuePerOrigin = 3
    limits.cleanPasswordQueueLength = 4
    queue = PasswordQueue(workers: 2, limits: limits)
  }

  /// Whether the job was taken, to run at once or later.
  private mutating func isTaken(
    _ job: String, from origin: String, _ standing: PasswordStanding = .suspect, after time: Duration = .zero
  ) -> Bool {
    do {
      switch try queue.submit(job, origin: origin, standing: standing, now: start + time) {
      case .start: running.append(origin)
      case .waits(let displaced): refused += displaced.map { [$0.job] } ?? []
      }
      return true
    } catch {
      #expect(error == .overloaded("too many logins at once", retryAfter: 2))
      return false
    }
  }

  /// Ends the oldest job that runs; returns the one that starts in its place.
  private mutating func finish() -> String? {
    guard let next = queue.finish(running.removeFirst()) else { return nil }
    running.append(next.origin)
    return next.job
  }

  @Test mutating func asManyRunAsThereAreWorkers() {
    for origin in ["a", "b", "c"] { #expect(isTaken(origin, from: origin)) }
    #expect(running == ["a", "b"])
    #expect(finish() == "c")
    #expect(finish() == nil && finish() == nil)
    #expect(isTaken("d", from: "d") && running == ["d"])
  }

  @Test mutating func noOriginHasAllWorkers() {
    #expect(isTaken("a1", from: "a") && isTaken("a2", from: "a"))
    #expect(running == ["a"])
    #expect(isTaken("b1", from: "b"))
    #expect(running == ["a", "b"])
    #expect(finish() == "a2")
  }

  @Test mutating func originsTakeTurns() {
    for job in ["a1", "a2", "a3"] { #expect(isTaken(job, from: "a")) }
    for origin in ["b", "c", "d"] { #expect(isTaken(origin, from: origin)) }
    #expect(running == ["a", "b"])
    #expect(finish() == "a2")
    #expect([finish(), finish()] == ["c", "d"])
    #expect([finish(), finish()] == ["a3", nil])
  }

  @Test mutating func oneOriginFillsItsOwnPartAlone() {
    for job in ["a1", "a2", "a3", "a4"] { #expect(isTaken(job, from: "a")) }
    #expect(!isTaken("a5", from: "a"))
    #expect(isTaken("b1", from: "b") && isTaken("b2", from: "b"))
  }

  @Test mutating func theWholeIsBoundedAndKnownClientsGoFirst() {
    for number in 0..<8 { #expect(isTaken("\(number)", from: "\(number)")) }
    #expect(!isTaken("8", from: "8"))
    #expect(isTaken("mine", from: "client", .known))
    #expect(finish() == "mine")
  }

  @Test mutating func whoIsCleanWaitsForNoneThatCameBefore() {
    for number in 0..<6 { #expect(isTaken("wrong \(number)", from: "\(number)", .clean)) }
    #expect(isTaken("again", from: "2", .clean) && isTaken("suspect", from: "suspect"))
    #expect(isTaken("right", from: "bystander", .clean) && refused == ["wrong 2"])
    #expect(finish() == "right")
    #expect([finish(), finish(), finish()] == ["wrong 5", "wrong 4", "wrong 3"])
    #expect([finish(), finish()] == ["again", "suspect"])
  }

  @Test mutating func nobodyWaitsForEver() {
    for origin in ["a", "b"] { #expect(isTaken(origin, from: origin)) }
    #expect(isTaken("clean", from: "c", .clean) && isTaken("suspect", from: "d") && isTaken("known", from: "e", .known))
    #expect(isTaken("later", from: "f", after: .seconds(10)))
    #expect(queue.removeOverdue(now: start + .seconds(15)).isEmpty)
    #expect(queue.removeOverdue(now: start + .seconds(16)).map(\.job) == ["clean", "known", "suspect"])
    #expect(finish() == "later" && finish() == nil)
  }

  @Test mutating func aHundredWrongOnesDelayNobodyElse() {
    for number in 0..<120 { _ = isTaken("wrong \(number)", from: "stranger") }
    #expect(isTaken("right", from: "bystander"))
    #expect(running == ["stranger", "bystander"])
  }
}
