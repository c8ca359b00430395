import Signalling
import Testing

@testable import HubCore

/// Calls to people with push subscriptions.
@Suite("Calls to phones") struct PhoneCallTests {
  private let alice = Principal.person("alice")
  private let bob = Principal.person("bob")

  private func ring(_ hub: inout VirtualHub, _ id: SessionID = "s", subscriber: Principal? = nil) throws {
    let context = try hub.state.prepareCall(id, from: alice, .call("bob"), subscriber: subscriber ?? bob, now: hub.now)
    let placement = CallPlacement(
      sessionID: id, caller: alice, request: .call("bob"), context: context,
      tokens: PartyTokens(caller: "caller-token", receiver: "receiver-token"), receiverICEServers: [])
    try hub.state.placeCall(placement, now: hub.now)
  }

  private func makeHub(isBobOnline: Bool = false) throws -> VirtualHub {
    var hub = VirtualHub()
    try hub.goOnline(alice)
    if isBobOnline { try hub.goOnline(bob) }
    _ = hub.events(of: alice)
    _ = hub.state.drainActions()
    return hub
  }

  private func pushes(_ hub: inout VirtualHub) -> [PushOrder] { hub.state.drainActions().pushes }

  @Test func whoIsNotThereIsCalledByPhoneAlone() throws {
    var hub = try makeHub()
    #expect(throws: HubRefusal.receiverOffline) { try hub.call("s", from: alice, .call("bob")) }
    let stranger = Principal.person("bob", groups: ["elsewhere"])
    #expect(throws: HubRefusal.receiverOffline) { try ring(&hub, subscriber: stranger) }
    try ring(&hub)
    let orders = pushes(&hub)
    #expect(orders.map(\.content) == [.incoming(isVideo: true)])
    #expect(orders.map(\.timeLeft) == [hub.state.limits.unansweredTimeout])
    #expect(orders.first?.receiverID == "bob" && orders.first?.caller == alice)
    try ring(&hub)
    #expect(pushes(&hub).isEmpty)
  }

  @Test func thePageThatOpensGetsTheCall() throws {
    var hub = try makeHub()
    try ring(&hub)
    hub.state.notePhones(PhoneReport(reached: ["p"], isSettled: true), in: "s", now: hub.now)
    hub.advance(seconds: 50)
    try hub.goOnline(bob)
    #expect(hub.eventNames(of: bob) == [.callIncoming])
    try hub.state.answer("s", by: "bob", sdp: "answer", now: hub.now)
    _ = pushes(&hub)
    hub.advance(seconds: 30)
    #expect(hub.state.isInSession("alice"))
    hub.disconnect(bob)
    hub.advance(seconds: 61)
    #expect(!hub.state.isInSession("alice"))
  }

  /// A second page gets what rings at phones, too; what rings at pages alone goes to those that were there.
  @Test func aFurtherPageGetsTheCall() throws {
    var hub = try makeHub(isBobOnline: true)
    try hub.call("pages", from: alice, .call("bob"))
    try ring(&hub, "phones")
    _ = hub.events(of: bob)
    let opening = try hub.state.openStream("second", for: bob, lastEventID: nil, now: hub.now)
    let events = hub.state.readStream(of: "bob", after: opening.cursor)?.events ?? []
    #expect(events.map(\.name) == [.callIncoming] && events.allSatisfy { $0.data.contains("phones") })
  }

  @Test func theCallerLearnsHowManyRing() throws {
    var hub = try makeHub()
    try ring(&hub)
    for (phone, isSettled) in [("p", false), ("p", false), ("q", true)] {
      hub.state.notePhones(PhoneReport(reached: [phone], isSettled: isSettled), in: "s", now: hub.now)
    }
    let events = hub.events(of: alice)
    #expect(events.map(\.name) == [.callRinging, .callRinging])
    #expect(events.map { $0.data.contains(#""phones":2"#) } == [false, true])
    try hub.goOnline(bob)
    try hub.state.ring("s", by: "bob", now: hub.now)
    #expect(
      hub.events(of: alice).filter { $0.name == .callRinging }.map(\.data).allSatisfy { $0.contains(#""phones":2"#) })
  }

  @Test func withoutPhoneAndPageTheCallEnds() throws {
    var hub = try makeHub()
    try ring(&hub)
    hub.state.notePhones(PhoneReport(reached: [], isSettled: false), in: "s", now: hub.now)
    #expect(hub.state.isInSession("alice"))
    hub.state.notePhones(PhoneReport(reached: [], isSettled: true), in: "s", now: hub.now)
    let last = try #require(hub.events(of: alice).last)
    #expect(last.name == .callEnded && last.data.contains("unreachable"))
    // It rang at no phone, so none is to stop; one that was late is.
    #expect(pushes(&hub).map(\.content) == [.incoming(isVideo: true)])
    hub.state.notePhones(PhoneReport(reached: ["late"], isSettled: true), in: "s", now: hub.now)
    #expect(pushes(&hub).map(\.content) == [.ended(.missed)])
  }

  @Test func withoutPhoneThePageStillRings() throws {
    var hub = try makeHub(isBobOnline: true)
    try ring(&hub)
    hub.state.notePhones(PhoneReport(reached: [], isSettled: true), in: "s", now: hub.now)
    #expect(hub.state.isInSession("alice"))
    // And ends with it, since no phone rings.
    hub.state.withdrawPresence(userID: "bob", now: hub.now)
    #expect(!hub.state.isInSession("alice"))
  }

  @Test func aHeldCallOutlivesItsReceiversPages() throws {
    var hub = try makeHub(isBobOnline: true)
    try ring(&hub)
    hub.state.notePhones(PhoneReport(reached: ["p"], isSettled: true), in: "s", now: hub.now)
    try hub.state.ring("s", by: "bob", now: hub.now)
    hub.advance(seconds: 11)
    try hub.heartbeat(bob, sessions: [])
    hub.state.withdrawPresence(userID: "bob", now: hub.now)
    hub.disconnect(bob)
    hub.advance(seconds: 48)
    #expect(hub.state.isInSession("alice"))
    hub.advance(seconds: 1)
    #expect(hub.events(of: alice).last?.data.contains("unanswered") == true)
  }

  @Test func theCallerMustStayAllTheSame() throws {
    var hub = try makeHub()
    try ring(&hub)
    hub.state.withdrawPresence(userID: "alice", now: hub.now)
    #expect(!hub.state.isInSession("bob"))
  }

  private enum End: CaseIterable {
    case answer, reject, hangUpByReceiver, hangUpByCaller, timeOut
  }

  @Test(arguments: End.allCases) private func phonesLearnOfTheEnd(end: End) throws {
    var hub = try makeHub(isBobOnline: true)
    try ring(&hub)
    hub.state.notePhones(PhoneReport(reached: ["p", "q"], isSettled: true), in: "s", now: hub.now)
    _ = pushes(&hub)
    let outcome: PushMessage.Outcome
    switch end {
    case .answer:
      try hub.state.answer("s", by: "bob", sdp: "answer", now: hub.now)
      outcome = .answered
    case .reject:
      try hub.state.reject("s", by: "bob", reason: "declined", now: hub.now)
      outcome = .ended
    case .hangUpByReceiver:
      try hub.state.hangUp("s", by: "bob", reason: "hangup", now: hub.now)
      outcome = .ended
    case .hangUpByCaller:
      try hub.state.hangUp("s", by: "alice", reason: "hangup", now: hub.now)
      outcome = .missed
    case .timeOut:
      hub.advance(seconds: 60)
      outcome = .missed
    }
    let orders = pushes(&hub)
    #expect(orders.map(\.content) == [.ended(outcome)] && orders.first?.subscriptionIDs == ["p", "q"])
    // Once.
    try hub.state.hangUp("s", by: "alice", reason: "hangup", now: hub.now)
    hub.advance(seconds: 5)
    #expect(pushes(&hub).isEmpty)
  }

  @Test func anotherDirectionsCallIsNoMissedOne() throws {
    var hub = try makeHub(isBobOnline: true)
    let context = try hub.state.prepareCall("s", from: bob, .call("alice"), subscriber: alice, now: hub.now)
    try hub.state.placeCall(
      CallPlacement(
        sessionID: "s", caller: bob, request: .call("alice"), context: context,
        tokens: PartyTokens(caller: "c", receiver: "r"), receiverICEServers: []), now: hub.now)
    hub.state.notePhones(PhoneReport(reached: ["p"], isSettled: true), in: "s", now: hub.now)
    _ = pushes(&hub)
    try hub.call("t", from: alice, .call("bob"))
    #expect(pushes(&hub).map(\.content) == [.ended(.ended)])
  }
}
