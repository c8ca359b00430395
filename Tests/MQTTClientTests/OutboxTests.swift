import MediaCore
import Testing

@testable import MQTTClient

struct OutboxTests {
  private let start = MonotonicInstant(seconds: 100, nanoseconds: 0)
  private var outbox = Outbox()

  private func message(_ topic: String, _ text: String = "") -> MQTTMessage { MQTTMessage(topic: topic, text: text) }

  @Test mutating func ofAStateTheNewestWaits() {
    outbox.add(message("state", "1"), .state, now: start)
    outbox.add(message("event", "1"), .event, now: start)
    outbox.add(message("event", "2"), .event, now: start)
    outbox.add(message("state", "2"), .state, now: start)
    #expect(drain() == ["state 2", "event 1", "event 2"])
  }

  @Test mutating func whatIsNotAcknowledgedComesAgainFirst() {
    for text in ["1", "2"] { outbox.add(message("event", text), .event, now: start) }
    outbox.add(message("state", "old"), .state, now: start)
    for id in Int32(1)...3 { outbox.didSend(id: id) }
    let result1 = outbox.didAcknowledge(id: 1)
    #expect(result1 == "event")
    let result2 = outbox.didAcknowledge(id: 1)
    #expect(result2 == nil)
    outbox.add(message("state", "new"), .state, now: start)
    outbox.requeue()
    #expect(outbox.inFlightCount == 0)
    #expect(drain() == ["event 2", "state new"])
  }

  @Test mutating func oldEventsAreDroppedAndStatesAreNot() {
    outbox.add(message("event", "old"), .event, now: start)
    outbox.add(message("state", "1"), .state, now: start)
    let later = start + Outbox.longestWait + .seconds(1)
    let result3 = outbox.next(now: later)
    #expect(result3?.topic == "state")
    #expect(outbox.dropped == 1)
  }

  @Test mutating func countAndBytesAreBounded() {
    for number in 0..<(Outbox.maxMessages + 5) { outbox.add(message("event", "\(number)"), .event, now: start) }
    #expect(outbox.waitingCount == Outbox.maxMessages)
    #expect(outbox.dropped == 5)
    let result4 = outbox.next(now: start)
    #expect(result4?.payload == Array("5".utf8))
    let large = MQTTMessage(topic: "image", payload: [UInt8](repeating: 0, count: Outbox.maxBytes - 8))
    outbox.add(large, .state, now: start)
    let result5 = outbox.next(now: start)
    #expect(result5?.topic == "image")
    outbox.add(MQTTMessage(topic: "more", payload: [UInt8](repeating: 0, count: Outbox.maxBytes)), .state, now: start)
    #expect(outbox.waitingCount == 1)
  }

  private mutating func drain() -> [String] {
    var texts: [String] = []
    var id: Int32 = 10
    while let message = outbox.next(now: start) {
      texts.append("\(message.topic) \(String(decoding: message.payload, as: UTF8.self))")
      outbox.didSend(id: id)
      outbox.didAcknowledge(id: id)
      id += 1
    }
    return texts
  }
}

struct SessionTimesTests {
  private let start = MonotonicInstant(seconds: 100, nanoseconds: 0)

  @Test func anAttemptHasALimit() {
    let times = SessionTimes(keepAlive: .seconds(60), now: start)
    #expect(!times.isSilent(now: start + .seconds(14)))
    #expect(times.isSilent(now: start + .seconds(15)))
    #expect(times.nextDeadline == start + .seconds(15))
  }

  @Test func anIdleConnectionWakesForNothingButItsProbe() {
    var times = SessionTimes(keepAlive: .seconds(60), now: start)
    times.didConnect(now: start)
    #expect(times.nextDeadline > start + .seconds(60))
    #expect(!times.isProbeDue(now: start + .seconds(60)))
    let due = start + .seconds(62)
    #expect(times.isProbeDue(now: due))
    let result6 = times.takeProbe(now: due)
    #expect(result6)
    let result7 = times.takeProbe(now: due)
    #expect(!result7)
    times.didAsk(now: due)
    #expect(times.nextDeadline == due + SessionTimes.longestSilence)
    times.didHear(isMoreAwaited: false, now: due)
    #expect(times.nextDeadline > due + .seconds(60))
  }

  @Test func aBrokerThatOwesAnAnswerIsGivenUp() {
    var times = SessionTimes(keepAlive: .seconds(60), now: start)
    times.didConnect(now: start)
    times.didAsk(now: start)
    times.didAsk(now: start + .seconds(19))
    #expect(times.isSilent(now: start + .seconds(20)))
  }
}

struct ReceiveBudgetTests {
  private let start = MonotonicInstant(seconds: 100, nanoseconds: 0)

  @Test func aFloodIsTooMuchAndATrickleIsNot() {
    var budget = ReceiveBudget(now: start)
    let result8 = budget.allows(total: UInt64(ReceiveBudget.capacity), now: start)
    #expect(result8)
    let result9 = budget.allows(total: UInt64(ReceiveBudget.capacity) + 1, now: start)
    #expect(!result9)
    budget = ReceiveBudget(now: start)
    for second in 0..<10_000 {
      let now = start + .seconds(Int64(second))
      let result10 = budget.allows(total: UInt64(second) * 1_000, now: now)
      #expect(result10)
    }
  }

  @Test func numbersFromOutsideDoNotTrap() {
    var budget = ReceiveBudget(now: start)
    let result11 = budget.allows(total: .max, now: MonotonicInstant(nanoseconds: .max))
    #expect(!result11)
    let result12 = budget.allows(total: 0, now: start)
    #expect(!result12)
  }
}
