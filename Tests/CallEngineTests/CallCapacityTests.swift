import CallPolicy
import MediaCore
import Signalling
import Testing

@testable import CallEngine

@Suite("Room for calls", .timeLimit(.minutes(1)))
struct CallCapacityTests {
  @Test func theLastSessionIsKeptForModerators() {
    let capacity = CallCapacity(maximumSessions: 16, callsPerCaller: 2)
    #expect(capacity.refusal(callsUp: 14, ofCaller: 0, role: .publisher) == nil)
    #expect(capacity.refusal(callsUp: 15, ofCaller: 0, role: .publisher) == .busy)
    #expect(capacity.refusal(callsUp: 15, ofCaller: 0, role: .subscriber) == .busy)
    #expect(capacity.refusal(callsUp: 15, ofCaller: 1, role: .moderator) == nil)
    #expect(capacity.refusal(callsUp: 16, ofCaller: 0, role: .moderator) == .busy)
    #expect(
      CallCapacity(maximumSessions: 1, callsPerCaller: 2).refusal(callsUp: 0, ofCaller: 0, role: .publisher) == nil)
  }

  @Test func oneCallerHasAFewCalls() {
    let capacity = CallCapacity(maximumSessions: 16, callsPerCaller: 2)
    #expect(capacity.refusal(callsUp: 2, ofCaller: 1, role: .publisher) == nil)
    #expect(capacity.refusal(callsUp: 2, ofCaller: 2, role: .publisher) == .rateLimited)
    #expect(capacity.refusal(callsUp: 2, ofCaller: 2, role: .moderator) == .rateLimited)
  }

  private static let ringing = PolicyDecision.ring(
    RingSettings(timeout: .seconds(60), then: .reject(.declined), answer: AnswerSettings()))

  @Test func aCallerWhoseCallsRingDoesNotMakeTheDeviceBusy() async throws {
    let bench = try EngineBench(Self.ringing)
    for number in 1...16 { await bench.call(SessionID("s\(number)")!, role: .publisher) }
    for number in 3...16 { await bench.log.wait(for: "hub reject s\(number) rate-limited") }
    #expect(await bench.engine.currentCalls.count == 2)
    await bench.call("operator", callerID: "olga")
    #expect(await bench.engine.currentCalls.count == 3)
  }

  @Test func manyCallersWhoseCallsRingLeaveRoomForAnOperator() async throws {
    let bench = try EngineBench(Self.ringing)
    for number in 1...16 { await bench.call(SessionID("s\(number)")!, callerID: "c\(number)", role: .publisher) }
    await bench.log.wait(for: "hub reject s16 busy")
    await bench.call("operator", callerID: "olga", role: .moderator)
    await bench.log.wait(for: "hub ring operator")
    #expect(await bench.engine.currentCalls.count == 16)
  }

  @Test func aCallThatIsOverMakesRoom() async throws {
    let bench = try EngineBench(Self.ringing)
    for id: SessionID in ["a", "b", "c"] { await bench.call(id) }
    await bench.log.wait(for: "hub reject c rate-limited")
    await bench.hubEnds("a")
    await bench.call("d")
    await bench.log.wait(for: "hub ring d")
  }

  @Test func thePolicySetsTheNumber() async throws {
    let rule = try PolicyRule(name: "all", conditions: [], decision: Self.ringing)
    let bench = try EngineBench(policy: CallPolicy(rules: [rule], callsPerCaller: 1))
    for id: SessionID in ["a", "b"] { await bench.call(id) }
    await bench.log.wait(for: "hub reject b rate-limited")
  }
}
