import Testing

@testable import HubHTTP

struct EventStreamWakeupsTests {
  @Test func eachStreamIsWokenOnceInAllTurns() async {
    let wakeups = EventStreamWakeups()
    let streams = (0..<100).map { wakeups.register("stream-\($0)", until: .max) }
    for turn in 0..<EventStreamWakeups.turns { wakeups.wake(turn: turn) }
    for index in streams.indices { wakeups.unregister("stream-\(index)") }
    for stream in streams {
      var count = 0
      for await _ in stream { count += 1 }
      #expect(count == 1)
    }
  }

  @Test func aTurnWakesItsShareAlone() async {
    let wakeups = EventStreamWakeups()
    let count = 10 * EventStreamWakeups.turns
    let streams = (0..<count).map { wakeups.register("stream-\($0)", until: .max) }
    wakeups.wake(turn: 7 + 3 * EventStreamWakeups.turns)
    for index in streams.indices { wakeups.unregister("stream-\(index)") }
    var woken = 0
    for stream in streams { for await _ in stream { woken += 1 } }
    #expect(woken == 10)
  }

  @Test func aRequestThatWaitsIsWokenInTheLastTurn() async {
    let wakeups = EventStreamWakeups()
    for turn in 0..<5 { wakeups.wake(turn: turn) }
    let polled = wakeups.register("polled", until: .max, waitsLong: true)
    for turn in 5..<(4 + EventStreamWakeups.turns) { wakeups.wake(turn: turn) }
    wakeups.unregister("polled")
    for await _ in polled { Issue.record("it was woken early") }
    let next = wakeups.register("polled", until: .max, waitsLong: true)
    for turn in 0..<EventStreamWakeups.turns { wakeups.wake(turn: 3 + EventStreamWakeups.turns + turn + 1) }
    wakeups.unregister("polled")
    var woken = 0
    for await _ in next { woken += 1 }
    #expect(woken == 1)
  }

  @Test func streamsWhoseTokensHaveRunOutEnd() async {
    let wakeups = EventStreamWakeups()
    let (ended, lasting) = (wakeups.register("ended", until: 100), wakeups.register("lasting", until: 101))
    wakeups.endExpired(at: 100)
    for await _ in ended { Issue.record("it was woken") }
    wakeups.wake(["lasting"])
    wakeups.unregister("lasting")
    var woken = 0
    for await _ in lasting { woken += 1 }
    #expect(woken == 1)
  }

  @Test func theClockSleepsUntilTheNextTurnOrEnd() {
    let wakeups = EventStreamWakeups()
    #expect(wakeups.secondsUntilDue(after: 0, at: 0, atMost: 10) == 10)
    let first = wakeups.register("first", until: 1_000)
    #expect(wakeups.secondsUntilDue(after: 0, at: 0, atMost: 10) == 1)
    #expect(wakeups.secondsUntilDue(after: 1, at: 0, atMost: 30) == EventStreamWakeups.turns)
    #expect(wakeups.secondsUntilDue(after: EventStreamWakeups.turns - 2, at: 0, atMost: 10) == 3)
    #expect(wakeups.secondsUntilDue(after: 2, at: 995, atMost: 10) == 5)
    #expect(wakeups.secondsUntilDue(after: 2, at: 1_005, atMost: 10) == 1)
    wakeups.unregister("first")
    #expect(wakeups.secondsUntilDue(after: 1, at: 0, atMost: 10) == 10)
    withExtendedLifetime(first) {}
  }
}

extension EventStreamWakeupsTests {
  @Test func whoComesWhenTheHubStopsDoesNotWait() async {
    let wakeups = EventStreamWakeups()
    let before = wakeups.register("before", until: .max)
    wakeups.stop()
    let after = wakeups.register("after", until: .max)
    for stream in [before, after] { for await _ in stream { Issue.record("woken") } }
  }
}
