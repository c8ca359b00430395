import Testing

@testable import HubCore

struct RequestTurnsTests {
  private let start = Instant.now
  private let turns = Turns()

  /// Forty requests a second of each client, 160 of all anonymous ones: bursts of 20 and of 80.
  private final class Turns {
    var turns = RequestTurns<Int>(clientRate: 40, anonymousRate: 160)
  }

  private func stranger(_ key: String) -> RequestClient { RequestClient(isAuthenticated: false, key: key) }
  private func member(_ key: String) -> RequestClient { RequestClient(isAuthenticated: true, key: key) }

  private func take(_ ticket: Int, of client: RequestClient, now: Instant) -> Bool {
    turns.turns.take(ticket, of: client, now: now)
  }

  /// How many of `count` requests may begin.
  private func begun(_ count: Int, of client: RequestClient, after time: Duration = .zero) -> Int {
    (0..<count).count { take($0, of: client, now: start + time) }
  }

  private func due(after time: Duration) -> [Int] {
    var due: [Int] = []
    while let ticket = turns.turns.popDue(now: start + time) { due.append(ticket) }
    return due
  }

  @Test func aClientHasABurstAndThenItsRate() {
    #expect(begun(30, of: stranger("a")) == 20)
    #expect(due(after: .milliseconds(24)) == [])
    #expect(due(after: .milliseconds(125)) == [20, 21, 22, 23, 24])
    #expect(due(after: .seconds(60)) == [25, 26, 27, 28, 29] && turns.turns.isEmpty)
  }

  @Test func whatIsLargeCountsAsSeveral() {
    let cost = RequestTurns<Int>.cost(ofBytes: 7_200)
    #expect(cost == 8 && RequestTurns<Int>.cost(ofBytes: 1_000) == 1 && RequestTurns<Int>.cost(ofBytes: .max) == 65)
    let begun = (0..<10).count { turns.turns.take($0, of: stranger("a"), cost: cost, now: start) }
    #expect(begun == 3)
    #expect(due(after: .milliseconds(124)) == [] && due(after: .milliseconds(125)) == [3])
    #expect(due(after: .milliseconds(324)) == [] && due(after: .milliseconds(325)) == [4])
  }

  @Test func aFloodDelaysNoOtherClient() {
    _ = begun(1_000, of: stranger("flood"))
    #expect(take(1, of: member("user"), now: start))
    #expect(!take(-1, of: stranger("newcomer"), now: start))
    #expect(due(after: .milliseconds(5)) == [-1])
  }

  @Test func anonymousClientsTakeTurnsBehindMembers() {
    for client in 0..<4 { #expect(begun(20, of: stranger("\(client)")) == 20) }
    #expect(!take(100, of: stranger("a"), now: start) && !take(101, of: stranger("a"), now: start))
    #expect(!take(200, of: stranger("b"), now: start))
    #expect(begun(20, of: member("user")) == 20 && !take(300, of: member("user"), now: start))
    #expect(due(after: .milliseconds(25)) == [300, 100, 200, 101])
  }

  @Test func nobodyOvertakesWhoWaits() {
    _ = begun(21, of: member("user"))
    #expect(!take(99, of: member("user"), now: start + .seconds(1)))
    #expect(due(after: .seconds(1)) == [20, 99])
  }

  @Test func whoIsGoneHasNoTurn() {
    _ = begun(23, of: stranger("a"))
    turns.turns.withdraw(21, of: stranger("a"))
    #expect(due(after: .seconds(1)) == [20, 22])
    turns.turns.withdraw(22, of: stranger("a"))
  }

  @Test func clientsThatRestAreForgotten() {
    for client in 0..<30 { _ = begun(1, of: member("\(client)")) }
    #expect(turns.turns.clientCount == 30)
    _ = begun(1, of: member("another"), after: .seconds(3))
    #expect(turns.turns.clientCount == 1)
  }
}
