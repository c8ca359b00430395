internal import HubCore
internal import Signalling
internal import TestSupport
internal import Testing

/// Viewers, who have an event stream only while a request of theirs waits.
extension HubBackplaneConformance {
  func aViewNeedsNoStreamOfTheViewers() async throws {
    let (viewer, device) = try await view("views-1", "views")
    try await device.say(.ringing, in: "views-1")
    try await device.answer("views-1")
    try await viewer.awaitEvent(.callAnswered)
    viewer.disconnect()
    // What is not read for so long is forgotten.
    try await device.awaitEvent(.callTaken)
    try await waitForTwiceTheResumeWindow()
    for node in fleet.nodes {
      let call = try #require(try await node.ongoingCall("views-1"))
      #expect(call.caller.role == .viewer && call.view == CallView(offer: "offer"))
    }
    // Another request, at another node, has the answer to another offer.
    viewer.node = fleet.nodes[2]
    try await viewer.connect()
    try await viewer.say(.offer(SessionDescription(sdp: "again")), in: "views-1")
    try await device.awaitEvent(.callOffer, about: "again")
    try await device.answer("views-1", sdp: "again, too")
    try await viewer.awaitEvent(.callAnswered, about: "again, too")
    let view = try #require(try await fleet.nodes[0].ongoingCall("views-1")?.view)
    #expect(view.offer == "again" && view.generation == 1)
    try await viewer.say(.end(nil), in: "views-1", on: fleet.nodes[1])
    try await device.awaitEvent(.callEnded)
    #expect(try await fleet.nodes[0].ongoingCall("views-1") == nil)
  }

  func aViewEndsWithItsTime() async throws {
    let (viewer, device) = try await view("views-2", "view-time", endsAt: .now + .milliseconds(700))
    try await device.answer("views-2")
    try await viewer.awaitEvent(.callAnswered)
    #expect(try await device.awaitEvent(.callEnded).contains("max-duration"))
  }

  func aViewEndsWithItsLink() async throws {
    let (viewer, device) = try await view("views-3", "view-link")
    try await device.answer("views-3")
    try await viewer.awaitEvent(.callAnswered)
    viewer.disconnect()
    try await fleet.nodes[2].withdrawPresence(userID: viewer.principal.userID, streamID: nil)
    try await device.awaitEvent(.callEnded)
  }

  /// A wall of screens begins at once.
  func viewersHaveLimitsOfTheirOwn() async throws {
    let (viewer, _) = try await view("views-4", "view-limits")
    let devices = (0..<BackplaneFleet.limits.unansweredCallsPerCaller + 2).map { number in
      fleet.client(.device("screen-\(number)", groups: ["view-limits"]), on: number)
    }
    for (number, device) in devices.enumerated() {
      try await device.goOnline()
      try await viewer.call(device, SessionID("view-limits-\(number)")!)
    }
    for number in 0..<BackplaneFleet.limits.streamsPerUser + 1 {
      try await fleet.client(viewer.principal, on: number).connect()
    }
    // No one calls a viewer, and a viewer sees devices alone.
    await #expect(throws: HubRefusal.receiverOffline) {
      try await devices[0].call(viewer, "view-limits-x")
    }
    let person = fleet.client(.person("person-view", groups: ["view-limits"]), on: 1)
    try await person.goOnline()
    await #expect(throws: HubRefusal.receiverOffline) { try await viewer.call(person, "view-limits-y") }
  }

  /// A viewer of a device that is online, and has been called.
  private func view(
    _ id: SessionID, _ group: String, endsAt: Instant? = nil
  ) async throws -> (BackplaneClient, BackplaneClient) {
    let account = Principal.person("account-\(group)", role: .operator, groups: [group])
    let viewer = fleet.client(.viewer(of: account, loginID: "login"), on: 0)
    let device = fleet.client(.device("camera-\(group)", groups: [group]), on: 1)
    try await device.goOnline()
    try await viewer.connect()
    try await placeCall(
      id, from: viewer.principal, to: device.principal.userID, endsAt: endsAt, on: viewer.node)
    let incoming = try await device.awaitEvent(.callIncoming)
    #expect(incoming.contains(#""callerRole":"viewer""#) && incoming.contains(#""callerID":"viewer-account-"#))
    return (viewer, device)
  }

  private func waitForTwiceTheResumeWindow() async throws {
    try await Task.sleep(for: BackplaneFleet.limits.resumeWindow * 2)
  }
}
