import Testing

@testable import HubCore

struct PasswordQueueTests {
  private var queue: PasswordQueue<String>
  /// The origins of the jobs that run, the oldest first.
  private var running: [String] = []

  init() {
    var limits = HubLimits()
    limits.passwordQueueLength = 6
    limits.passwordQueuePerOrigin = 3
    queue = PasswordQueue(workers: 2, limits: limits)
  }

  /// Whether the job was taken, to run at once or later.
  private mutating func isTaken(_ job: String, from origin: String, isKnown: Bool = false) -> Bool {
    do {
      if try queue.submit(job, origin: origin, isKnown: isKnown) { running.append(origin) }
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
    #expect(isTaken("mine", from: "client", isKnown: true))
    #expect(finish() == "mine")
  }

  @Test mutating func aHundredWrongOnesDelayNobodyElse() {
    for number in 0..<120 { _ = isTaken("wrong \(number)", from: "stranger") }
    #expect(isTaken("right", from: "bystander"))
    #expect(running == ["stranger", "bystander"])
  }
}
