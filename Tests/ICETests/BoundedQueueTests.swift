import Testing

@testable import ICE

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
}
