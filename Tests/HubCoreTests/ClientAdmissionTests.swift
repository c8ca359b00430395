import MediaCore
import TestSupport
import Testing

@testable import HubCore

struct ClientAdmissionTests {
  private static func admission(streams: Int) -> ClientAdmission {
    var rates = AdmissionRates()
    rates.streams = streams
    return ClientAdmission(rates: rates, limits: HubLimits())
  }

  private static func wait(_ refusal: any Error) -> Int? { (refusal as? HubRefusal)?.retryAfter }

  @Test func aSecondsWorthComesInAtOnceAndTheRestInTurn() {
    var admission = Self.admission(streams: 10)
    let now = Instant.now
    var waits: [Int] = []
    for user in 0..<30 {
      do { try admission.admit(.stream, of: "\(user)", now: now, random: 0) } catch {
        waits.append(Self.wait(error) ?? -1)
      }
    }
    #expect(waits == Array(repeating: 1, count: 9) + Array(repeating: 2, count: 10) + [3])
    #expect(admission.refusals == [.stream: 20])
    #expect(throws: Never.self) { try admission.admit(.login, of: "0", now: now, random: 0) }
    #expect(throws: Never.self) { try admission.admit(.stream, of: "0", now: now + .milliseconds(100), random: 0) }
  }

  @Test func nobodyWaitsForLongerThanTwoMinutes() {
    var admission = Self.admission(streams: 1)
    let now = Instant.now
    for user in 0..<1_000 {
      let random = Double(user % 10) / 10
      do {
        try admission.admit(.stream, of: "\(user)", now: now, random: random)
      } catch {
        let wait = Self.wait(error) ?? -1
        #expect((1...120).contains(wait), "\(user) waits \(wait)")
        if user > 200 { #expect(wait == Int(120 * (0.5 + 0.5 * random))) }
      }
    }
  }

  @Test func oneUserUsesUpItsOwnShareAlone() {
    var admission = Self.admission(streams: 1_000)
    let now = Instant.now
    for _ in 0..<120 { #expect(throws: Never.self) { try admission.admit(.stream, of: "a", now: now, random: 0) } }
    #expect(throws: HubRefusal.tooMany("logins or event streams of one user", retryAfter: 1)) {
      try admission.admit(.stream, of: "a", now: now, random: 0)
    }
    #expect(throws: Never.self) { try admission.admit(.stream, of: "b", now: now, random: 0) }
    admission.trim(now: now + .seconds(61))
    #expect(throws: Never.self) { try admission.admit(.stream, of: "a", now: now + .seconds(61), random: 0) }
  }

  /// A node that is gone for 5 s, and all its clients with the back-off of devices.
  @Test(arguments: [1, 2, 3] as [UInt64])
  func thousandsReturnAtTheRateThatIsConfigured(seed: UInt64) {
    var storm = ReturningClients(count: 6_000, rate: 100, seed: seed)
    storm.run(away: .seconds(5))
    #expect(storm.returned.count == 6_000)
    // 60 s at the rate, and the second that comes in at once.
    #expect((60...90).contains(storm.returned.last ?? 0), "the last is back after \(storm.returned.last ?? 0) s")
    let busiest = Dictionary(grouping: storm.returned) { Int($0) }.values.map(\.count).max() ?? 0
    #expect(busiest <= 210, "\(busiest) came in within a second")
    // The hub is tried about thrice by each.
    #expect(storm.attempts < 4 * 6_000, "\(storm.attempts) attempts")
  }
}

/// Clients whose event streams broke at the same moment, in virtual time.
private struct ReturningClients {
  /// When each got in, in seconds.
  private(set) var returned: [Double] = []
  /// Requests that reached the hub.
  private(set) var attempts = 0
  private var waiting: [(at: Instant, client: Int)]
  private var pauses: [Backoff]
  private var admission: ClientAdmission
  private var random: SeededGenerator
  private let start = Instant.now

  init(count: Int, rate: Int, seed: UInt64) {
    var rates = AdmissionRates()
    rates.streams = rate
    admission = ClientAdmission(rates: rates, limits: HubLimits())
    random = SeededGenerator(seed: seed)
    pauses = Array(repeating: Backoff(initial: .milliseconds(500), maximum: .seconds(30)), count: count)
    waiting = []
    for client in 0..<count {
      waiting.append((start + Duration(pauses[client].next(random: .random(in: 0..<1, using: &random))), client))
    }
  }

  mutating func run(away: Duration) {
    while !waiting.isEmpty {
      waiting.sort { $0.at > $1.at }
      // Those of the next 100 ms, in order; what they cause comes later.
      let limit = waiting[waiting.count - 1].at + .milliseconds(100)
      let first = waiting.firstIndex { $0.at < limit } ?? 0
      let due = waiting[first...].reversed()
      waiting.removeSubrange(first...)
      for (at, client) in due { attempt(client, at: at, isAway: start.duration(to: at) < away) }
    }
    returned.sort()
  }

  private mutating func attempt(_ client: Int, at now: Instant, isAway: Bool) {
    var requested: TimeSpan?
    if !isAway {
      attempts += 1
      do {
        try admission.admit(.stream, of: "\(client)", now: now, random: .random(in: 0..<1, using: &random))
        let time = start.duration(to: now)
        returned.append(Double(time.components.seconds) + Double(time.components.attoseconds) / 1e18)
        return
      } catch {
        requested = error.retryAfter.map { .seconds(Int64($0)) }
      }
    }
    let pause = pauses[client].next(random: .random(in: 0..<1, using: &random), requested: requested)
    waiting.append((now + max(Duration(pause), .milliseconds(1)), client))
  }
}
