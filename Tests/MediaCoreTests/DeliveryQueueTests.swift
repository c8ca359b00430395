import MediaCore
import Testing

/// In virtual time.
@Suite struct DeliveryQueueTests {
  private let start = MonotonicInstant(nanoseconds: 5_000_000_000)

  private func queue(_ capacity: Int, attempts: Int = .max) -> DeliveryQueue<Int> {
    DeliveryQueue(
      capacity: capacity, maxAttempts: attempts, backoff: Backoff(initial: .seconds(2), maximum: .seconds(8)))
  }

  private func next(_ queue: inout DeliveryQueue<Int>, _ now: MonotonicInstant) -> DeliveryQueue<Int>.Step? {
    queue.next(now: now)
  }

  private func add(_ queue: inout DeliveryQueue<Int>, _ item: Int) -> Bool { queue.add(item) }

  private func failed(_ queue: inout DeliveryQueue<Int>, _ now: MonotonicInstant, _ random: Double) -> Bool {
    queue.failed(now: now, random: random)
  }

  @Test func oneAtATimeInOrder() {
    var queue = queue(3)
    #expect(next(&queue, start) == nil)
    for item in 1...3 { #expect(!add(&queue, item)) }
    #expect(next(&queue, start) == .attempt(1))
    #expect(next(&queue, start) == nil, "it is being tried")
    queue.delivered()
    #expect(next(&queue, start) == .attempt(2))
    queue.refused()
    #expect(next(&queue, start) == .attempt(3))
    queue.delivered()
    #expect(queue.count == 0)
  }

  @Test func pausesGrowUntilSomethingArrives() {
    var queue = queue(3)
    _ = queue.add(1)
    var now = start
    for pause: Int64 in [1, 2, 4, 4] {
      #expect(next(&queue, now) == .attempt(1))
      #expect(failed(&queue, now, 0.5))
      #expect(next(&queue, now) == .rest(until: now + .seconds(pause)))
      now = now + .seconds(pause)
    }
    #expect(next(&queue, now) == .attempt(1))
    queue.delivered()
    _ = queue.add(2)
    #expect(next(&queue, now) == .attempt(2))
    _ = queue.failed(now: now, random: 0.5)
    #expect(next(&queue, now) == .rest(until: now + .seconds(1)))
  }

  @Test func theOtherSideMayAskForMoreTime() {
    var queue = queue(3)
    _ = queue.add(1)
    _ = next(&queue, start)
    _ = queue.failed(now: start, random: 0, requested: .seconds(30))
    #expect(next(&queue, start) == .rest(until: start + .seconds(30)))
  }

  @Test func theOldestThatIsNotBeingTriedGoes() {
    var queue = queue(2)
    _ = (queue.add(1), queue.add(2))
    #expect(next(&queue, start) == .attempt(1))
    #expect(add(&queue, 3), "2 goes")
    queue.delivered()
    #expect(next(&queue, start) == .attempt(3))
    queue.delivered()
    _ = (queue.add(4), queue.add(5))
    #expect(add(&queue, 6), "4 goes")
    #expect(next(&queue, start) == .attempt(5))
  }

  @Test func withRoomForOneTheNewestGoesWhileItIsTried() {
    var queue = queue(1)
    _ = queue.add(1)
    _ = next(&queue, start)
    #expect(add(&queue, 2))
    queue.delivered()
    #expect(queue.count == 0)
  }

  @Test func attemptsAreCountedForEach() {
    var queue = queue(3, attempts: 2)
    _ = (queue.add(1), queue.add(2))
    var now = start
    for (item, isKept) in [(1, true), (1, false), (2, true), (2, false)] {
      now = now + .seconds(10)
      #expect(next(&queue, now) == .attempt(item))
      #expect(failed(&queue, now, 0) == isKept)
    }
    #expect(queue.count == 0)
    #expect(!failed(&queue, now, 0), "nothing is being tried")
    queue.delivered()
  }
}
