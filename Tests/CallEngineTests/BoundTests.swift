import Testing

@testable import CallEngine

@Suite("What the other side can fill")
struct BoundTests {
  private let long = String(repeating: "x", count: 1_024)

  private let offer = CallAction.renegotiateMedia(NumberedOffer(sdp: String(repeating: "o", count: 32 << 10)))

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
    var lane = ActionLane()
    let actions = Array(repeating: offer, count: 10) + [.addCandidates(["a"])]
    let taken = actions.map { lane.append($0) }
    #expect(taken == [true, true, true, true] + Array(repeating: false, count: 7))
    _ = lane.popFirst()
    let isTaken = lane.append(.addCandidates(["a"]))
    #expect(isTaken)
  }

  @Test func whatEndsACallFindsRoomAlways() {
    var lane = ActionLane()
    let actions = Array(repeating: offer, count: 10) + [.hangUpMedia]
    let isLastTaken = actions.map { lane.append($0) }.last
    #expect(isLastTaken == true)
    let left = [lane.popFirst(), lane.popFirst()]
    #expect(left == [.hangUpMedia, nil])
    let isTaken = lane.append(.renegotiateMedia(NumberedOffer(sdp: String(repeating: "o", count: 128 << 10))))
    #expect(isTaken)
  }
}
