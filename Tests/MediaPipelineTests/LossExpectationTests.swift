import Testing

@testable import MediaPipeline

@Suite struct LossExpectationTests {
  @Test func risesAtOnceAndFallsSlowly() {
    var loss = LossExpectation()
    #expect(loss.update(observed: 0) == nil)
    #expect(loss.update(observed: 1) == nil)
    #expect(loss.update(observed: 9) == 12)
    var changes: [Int] = []
    for _ in 0..<2_000 { if let change = loss.update(observed: 0) { changes.append(change) } }
    #expect(changes == [5, 0])
  }

  @Test func doesNotSwing() {
    var loss = LossExpectation()
    var changes: [Int] = []
    for packet in 0..<10_000 {
      if let change = loss.update(observed: packet / 100 % 2 == 0 ? 1 : 3) { changes.append(change) }
    }
    #expect(changes == [5])
  }

  @Test func endsAtItsHighestStep() {
    var loss = LossExpectation()
    #expect(loss.update(observed: 100) == 30)
    #expect(loss.update(observed: 100) == nil)
  }
}
