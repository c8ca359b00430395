import Signalling
import Testing

@testable import CallEngine

@Suite("What the other side can fill")
struct BoundTests {
  private let long = String(repeating: "x", count: 1_024)

  private let offer = MediaAction.renegotiate(NumberedOffer(sdp: String(repeating: "o", count: 32 << 10)))

  @Test func candidatesHaveBoundsInNumberAndBytes() {
    var budget = CandidateBudget()
    let taken = [[long + "x"], Array(repeating: long, count: 100), ["short"]].map { budget.take($0).count }
    #expect(taken == [0, 64, 0])
    #expect(budget.dropped == 38)
    var short = CandidateBudget()
    let count = short.take(Array(repeating: "", count: 300)).count
    #expect(count == 256)
    #expect(short.dropped == 44)
  }

  @Test func aLaneIsBoundedInBytes() {
    var queue = ActionQueue<MediaAction>()
    let actions = Array(repeating: offer, count: 10) + [.addCandidates(["a"])]
    let taken = actions.map { queue.append($0) }
    #expect(taken == [true, true, true, true] + Array(repeating: false, count: 7))
    _ = queue.popFirst()
    let isTaken = queue.append(.addCandidates(["a"]))
    #expect(isTaken)
  }

  @Test func whatEndsACallFindsRoomAlways() {
    var queue = ActionQueue<MediaAction>()
    let actions = Array(repeating: offer, count: 10) + [.hangUp]
    let isLastTaken = actions.map { queue.append($0) }.last
    #expect(isLastTaken == true)
    let left = [queue.popFirst(), queue.popFirst()]
    #expect(left == [.hangUp, nil])
    let isTaken = queue.append(.renegotiate(NumberedOffer(sdp: String(repeating: "o", count: 128 << 10))))
    #expect(isTaken)
  }
}
