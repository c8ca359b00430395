import Delivery
import SystemSupport
import MediaCore
import Testing

/// What is tried, and what somebody is told of it.
@Suite(.timeLimit(.minutes(1))) struct DeliveryTests {
  private final class Receiver: Sendable {
    let outcomes: Mutex<[Delivery<Int>.Outcome]>
    let tried = Mutex<[Int]>([])
    let told = Mutex<[Delivery<Int>.Notice]>([])

    init(_ outcomes: [Delivery<Int>.Outcome]) { self.outcomes = Mutex(outcomes) }

    func take(_ item: Int) -> Delivery<Int>.Outcome {
      tried.withLock { $0.append(item) }
      return outcomes.withLock { $0.isEmpty ? .delivered : $0.removeFirst() }
    }
  }

  private func delivery(_ receiver: Receiver, capacity: Int = 8, attempts: Int = .max) -> Delivery<Int> {
    let backoff = Backoff(initial: .milliseconds(1), maximum: .milliseconds(2))
    let queue = DeliveryQueue<Int>(capacity: capacity, maxAttempts: attempts, backoff: backoff)
    return Delivery(queue, note: { notice in receiver.told.withLock { $0.append(notice) } }) { receiver.take($0) }
  }

  private func run(_ delivery: Delivery<Int>, until isDone: () -> Bool) async throws {
    let work = Task { await delivery.run() }
    for _ in 0..<1_000 where !isDone() { try await Task.sleep(for: .milliseconds(5)) }
    work.cancel()
    await work.value
  }

  @Test func failuresAreTriedAgainAndToldOnce() async throws {
    let receiver = Receiver([.failed("away"), .failed("away"), .failed("still away")])
    let delivery = delivery(receiver)
    for item in 1...3 { delivery.add(item) }
    try await run(delivery) { delivery.counts.delivered == 3 }
    #expect(receiver.tried.withLock { $0 } == [1, 1, 1, 1, 2, 3])
    #expect(receiver.told.withLock { $0 } == [.failing("away"), .works])
    #expect((delivery.counts.delivered, delivery.counts.lost) == (3, 0))
    #expect(delivery.waiting == 0)
    #expect(delivery.trouble == nil)
  }

  @Test func aPauseEndsWhenSomethingCannotWait() async throws {
    let receiver = Receiver([.failed("away", retryAfter: .seconds(100))])
    let delivery = delivery(receiver)
    delivery.add(1)
    try await run(delivery) {
      if delivery.trouble != nil, delivery.waiting == 1 {
        delivery.add(2)
        delivery.tryNow()
      }
      return delivery.counts.delivered == 2
    }
    #expect(receiver.tried.withLock { $0 } == [1, 1, 2])
  }

  @Test func whatIsRefusedIsLostAndTheNextGoesOn() async throws {
    let receiver = Receiver([.refused("no"), .refused("no"), .delivered])
    let delivery = delivery(receiver)
    for item in 1...3 { delivery.add(item) }
    try await run(delivery) { delivery.counts.delivered == 1 }
    #expect(receiver.tried.withLock { $0 } == [1, 2, 3])
    #expect(receiver.told.withLock { $0 } == [.lost("no"), .works])
    #expect((delivery.counts.delivered, delivery.counts.lost) == (1, 2))
  }

  @Test func tooManyPushTheOldestOut() async throws {
    let receiver = Receiver([])
    let delivery = delivery(receiver, capacity: 2)
    for item in 1...4 { delivery.add(item) }
    #expect(receiver.told.withLock { $0 } == [.lost("too many wait, so the oldest go")])
    #expect(delivery.trouble == "too many wait, so the oldest go")
    try await run(delivery) { delivery.counts.delivered == 2 }
    #expect(receiver.tried.withLock { $0 } == [3, 4])
    #expect(delivery.counts.lost == 2)
  }

  @Test func whatFailsTooOftenIsGivenUp() async throws {
    let receiver = Receiver([.failed("a"), .failed("b"), .delivered])
    let delivery = delivery(receiver, attempts: 2)
    for item in 1...2 { delivery.add(item) }
    try await run(delivery) { delivery.counts.delivered == 1 }
    #expect(receiver.tried.withLock { $0 } == [1, 1, 2])
    #expect(receiver.told.withLock { $0 } == [.failing("a"), .lost("tried too often: b"), .works])
  }
}
