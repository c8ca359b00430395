import Testing

@testable import MediaCore

@Suite struct BoundedQueueTests {
  @Test func keepsOrderAndRefusesWhatDoesNotFit() {
    var queue = BoundedQueue<Int>(capacity: 3)
    for round in 0..<5 {
      let accepted = (0..<4).map { queue.append(round * 10 + $0) }
      let taken = (0..<4).map { _ in queue.popFirst() }
      #expect(accepted == [true, true, true, false])
      #expect(taken == [round * 10, round * 10 + 1, round * 10 + 2, nil])
    }
  }

  @Test func findsWhatWaitsAcrossTheEndOfItsMemory() {
    var queue = BoundedQueue<Int>(capacity: 3)
    [1, 2].forEach { queue.append($0) }
    #expect(queue.popFirst() == 1)
    [3, 4].forEach { queue.append($0) }
    #expect([1, 2, 3, 4, 5].filter { queue.contains($0) } == [2, 3, 4])
    queue.removeAll()
    #expect(queue.isEmpty && !queue.contains(3))
    #expect(queue.append(6) && queue.popFirst() == 6)
  }
}
