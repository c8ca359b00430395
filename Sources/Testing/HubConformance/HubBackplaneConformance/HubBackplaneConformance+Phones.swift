internal import HubCore
internal import Signalling
internal import TestSupport
internal import Testing

extension HubBackplaneConformance {
  /// At whichever node a call is placed, changed and ended: each message is ordered once.
  func phonesRingOnce() async throws {
    let (alice, bob) = try await callerAndSubscriber("phones")
    await #expect(throws: HubRefusal.receiverOffline) {
      try await placeCall("phones-0", from: alice.principal, to: bob.principal.userID, on: fleet.nodes[0])
    }
    for node in fleet.nodes { try await ring(bob, "phones-1", by: alice, on: node) }
    #expect(contents("phones-1") == [.incoming(isVideo: true)])
    #expect(fleet.pushes.orders(about: "phones-1").allSatisfy { $0.receiverID == bob.principal.userID })
    for phone in ["p1", "p2"] {
      try await fleet.nodes[2].notePhones(PhoneReport(reached: [phone], isSettled: phone == "p2"), in: "phones-1")
    }
    try await alice.awaitEvent(.callRinging, about: #""phones":2"#)
    try await bob.connect()
    try await bob.awaitEvent(.callIncoming, about: "phones-1")
    try await bob.say(.ringing, in: "phones-1")
    try await bob.answer("phones-1")
    try await alice.awaitEvent(.callAnswered)
    try await eventually("the phones stop") { contents("phones-1").count == 2 }
    try await fleet.nodes[1].notePhones(PhoneReport(reached: ["p3"], isSettled: true), in: "phones-1")
    try await bob.say(.end(nil), in: "phones-1")
    try await alice.awaitEvent(.callEnded)
    try await eventually("the last phone stops") { contents("phones-1").count == 3 }
    #expect(contents("phones-1") == [.incoming(isVideo: true), .ended(.answered), .ended(.answered)])
    #expect(fleet.pushes.orders(about: "phones-1").map(\.subscriptionIDs) == [nil, ["p1", "p2"], ["p3"]])
  }

  func aCallThatReachesNoPhoneEnds() async throws {
    let (alice, bob) = try await callerAndSubscriber("nophone")
    try await ring(bob, "nophone-1", by: alice, on: fleet.nodes[0])
    try await fleet.nodes[1].notePhones(PhoneReport(reached: [], isSettled: true), in: "nophone-1")
    #expect(try await alice.awaitEvent(.callEnded).contains("unreachable"))
    #expect(contents("nophone-1") == [.incoming(isVideo: true)])
    try await fleet.nodes[1].notePhones(PhoneReport(reached: ["late"], isSettled: true), in: "nophone-1")
    try await eventually("the late phone stops") { contents("nophone-1").last == .ended(.missed) }
    try await fleet.nodes[1].notePhones(PhoneReport(reached: [], isSettled: true), in: "never-placed")
  }

  func aPageThatClosesLeavesThePhonesRinging() async throws {
    let (alice, bob) = try await callerAndSubscriber("close")
    try await bob.goOnline()
    try await ring(bob, "close-1", by: alice, on: fleet.nodes[0])
    try await fleet.nodes[0].notePhones(PhoneReport(reached: ["p"], isSettled: true), in: "close-1")
    try await bob.say(.ringing, in: "close-1")
    try await Task.sleep(for: BackplaneFleet.limits.reconciliationGrace)
    try await bob.announce(sessions: [])
    try await bob.node.withdrawPresence(userID: bob.principal.userID, streamID: bob.streamID)
    bob.disconnect()
    #expect(try await alice.node.isInSession(alice.principal.userID))
    #expect(try await alice.awaitEvent(.callEnded).contains("unanswered"))
    try await eventually("the phone says who called") { contents("close-1").last == .ended(.missed) }
    #expect(contents("close-1").count == 2)
  }

  private func callerAndSubscriber(_ name: String) async throws -> (BackplaneClient, BackplaneClient) {
    let users = ["alice", "bob"].map { title in
      Principal(
        userID: "\(title)-\(name)", userTitle: title, role: .user, kind: .person, groups: ["group-\(name)"])
    }
    let caller = fleet.client(users[0], on: 0)
    try await caller.goOnline()
    return (caller, fleet.client(users[1], on: 1))
  }

  private func ring(
    _ receiver: BackplaneClient, _ id: SessionID, by caller: BackplaneClient, on node: any HubBackplane
  ) async throws {
    try await placeCall(
      id, from: caller.principal, to: receiver.principal.userID, subscriber: receiver.principal, on: node)
  }

  private func contents(_ id: SessionID) -> [PushOrder.Content] { fleet.pushes.orders(about: id).map(\.content) }
}
