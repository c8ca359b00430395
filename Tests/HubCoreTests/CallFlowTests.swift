import Signalling
import Testing

@testable import HubCore

/// Calls through the whole state: who may call whom, and how calls end by themselves.
struct CallFlowTests {
  private let alice = Principal.person("alice")
  private let bob = Principal.device("bob")
  private let admin = Principal.person("admin", role: .operator)

  private func hub(_ principals: Principal..., limits: HubLimits = HubLimits()) throws -> VirtualHub {
    var hub = VirtualHub(limits: limits)
    for principal in principals { try hub.goOnline(principal) }
    hub.advance(seconds: 1)
    for principal in principals { try hub.heartbeat(principal) }
    for principal in principals { _ = hub.events(of: principal) }
    return hub
  }

  @Test func aCallReachesItsReceiver() throws {
    var hub = try hub(alice, bob)
    try hub.call("s", from: alice, .call("bob"))
    let event = try #require(hub.events(of: bob).first)
    #expect(event.name == .callIncoming)
    #expect(event.data.contains(#""callerID":"alice""#) && event.data.contains(#""callerRole":"user""#))
    try hub.state.ring("s", by: "bob", now: hub.now)
    try hub.state.answer("s", by: "bob", sdp: "sdp", now: hub.now)
    #expect(hub.eventNames(of: alice) == [.callRinging, .callAnswered])
  }

  @Test func eachPartyIsToldTheOthersToken() throws {
    var hub = try hub(alice, bob)
    try hub.call("s", from: alice, .call("bob"))
    let incoming = try #require(hub.events(of: bob).first).data
    #expect(incoming.contains(#""callerToken":"caller-token""#) && incoming.contains(#""token":"receiver-token""#))
    try hub.state.answer("s", by: "bob", sdp: "sdp", now: hub.now)
    #expect(try #require(hub.events(of: alice).first).data.contains(#""token":"receiver-token""#))
    // Later answers are by a party that is known.
    try hub.state.offer("s", by: "bob", sdp: "again", now: hub.now)
    try hub.state.answer("s", by: "alice", sdp: "yes", now: hub.now)
    #expect(try #require(hub.events(of: bob).last).data.contains("token") == false)
  }

  @Test func unansweredCallsOfOneCallerAreLimited() throws {
    let receivers = (1...5).map { Principal.device("door\($0)") }
    var hub = try hub(alice, bob)
    for receiver in receivers { try hub.goOnline(receiver) }
    for number in 1...4 { try hub.call(SessionID("\(number)")!, from: alice, .call("door\(number)")) }
    let tooMany = HubRefusal.tooMany("unanswered calls of one caller", retryAfter: 10)
    #expect(throws: tooMany) { try hub.call("5", from: alice, .call("door5")) }
    // Repeating an earlier request stays harmless, and others still call.
    try hub.call("1", from: alice, .call("door1"))
    try hub.call("6", from: bob, .call("door5"))
    try hub.state.answer("1", by: "door1", sdp: "sdp", now: hub.now)
    try hub.call("5", from: alice, .call("door5"))
    #expect(throws: tooMany) { try hub.call("7", from: alice, .call("bob")) }
  }

  @Test func repeatingTheRequestDeliversNothingMore() throws {
    var hub = try hub(alice, bob)
    try hub.call("s", from: alice, .call("bob"))
    try hub.call("s", from: alice, .call("bob"))
    #expect(hub.eventNames(of: bob) == [.callIncoming])
    #expect(hub.state.gauges.liveSessions == 1)
  }

  @Test func whoLostEventsHearsOfTheCallThatStillRings() throws {
    var limits = HubLimits()
    limits.eventsPerUser = 3
    var hub = try hub(alice, bob, limits: limits)
    let opening = try hub.state.openStream("slow", for: bob, lastEventID: nil, now: hub.now)
    try hub.call("s", from: alice, .call("bob"))
    let candidates = SessionCandidates(candidates: [])
    for _ in 0..<4 { try hub.state.addCandidates("s", by: "alice", candidates, now: hub.now) }
    #expect(hub.state.readStream(of: "bob", after: opening.cursor) == nil)

    func names(resumingAs stream: String) throws -> [EventName] {
      let again = try hub.state.openStream(stream, for: bob, lastEventID: opening.hello.id, now: hub.now)
      #expect(again.hello.data.contains(#""isReset":true"#))
      let read = hub.state.readStream(of: "bob", after: again.cursor)
      return try #require(read).events.map(\.name)
    }
    #expect(try names(resumingAs: "1").contains(.callIncoming))
    try hub.state.answer("s", by: "bob", sdp: "sdp", now: hub.now)
    for _ in 0..<4 { try hub.state.addCandidates("s", by: "alice", candidates, now: hub.now) }
    #expect(try !names(resumingAs: "2").contains(.callIncoming))
  }

  @Test func aRepeatedRequestGivesTheSameRoleOrNone() throws {
    var hub = try hub(alice, bob)
    try hub.call("s", from: alice, .call("bob"))
    for other in [
      SessionRequest.call("bob", isAudio: false, isVideo: false), .call("bob", isVideo: false),
      SessionRequest(receiverID: "bob", isAudio: true, isVideo: true, offer: "another"),
    ] {
      #expect(throws: HubRefusal.sessionExists) { try hub.call("s", from: alice, other) }
    }
    var promoted = alice
    promoted.role = .operator
    let context = try hub.state.prepareCall("s", from: promoted, .call("bob"), now: hub.now)
    #expect(context.callerRole == .publisher)
    #expect(hub.eventNames(of: bob) == [.callIncoming])
  }

  @Test func aSessionsIDCannotBeTakenOver() throws {
    let carol = Principal.person("carol")
    var hub = try hub(alice, bob, carol)
    try hub.call("s", from: alice, .call("bob"))
    #expect(throws: HubRefusal.sessionExists) { try hub.call("s", from: carol, .call("bob")) }
    #expect(throws: HubRefusal.sessionUnknown) {
      try hub.state.hangUp("s", by: "carol", reason: "hangup", now: hub.now)
    }
  }

  @Test func strangersAndTheAbsentAreOffline() throws {
    let stranger = Principal.device("stranger", groups: ["other"])
    var hub = try hub(alice, stranger)
    #expect(throws: HubRefusal.receiverOffline) { try hub.call("s", from: alice, .call("stranger")) }
    #expect(throws: HubRefusal.receiverOffline) { try hub.call("s", from: alice, .call("nobody")) }
    #expect(throws: HubRefusal.notAllowed("one cannot call oneself")) {
      try hub.call("s", from: alice, .call("alice"))
    }
  }

  @Test func rolesFollowWhoCallsAndWhatFor() throws {
    var hub = try hub(alice, bob, admin)
    func role(_ caller: Principal, _ request: SessionRequest) throws -> SessionRole {
      try hub.state.prepareCall("s", from: caller, request, now: hub.now).callerRole
    }
    #expect(try role(alice, .call("bob")) == .publisher)
    #expect(try role(alice, .call("bob", isAudio: false, isVideo: false)) == .subscriber)
    #expect(try role(admin, .call("bob", isAudio: false, isVideo: false)) == .moderator)
  }

  @Test func callsAreLimitedAMinute() throws {
    var limits = HubLimits()
    limits.callsPerMinute = 2
    var hub = try hub(alice, bob, limits: limits)
    try hub.call("1", from: alice, .call("bob"))
    try hub.call("2", from: alice, .call("bob"))
    #expect(throws: HubRefusal.tooMany("calls", retryAfter: 30)) { try hub.call("3", from: alice, .call("bob")) }
    hub.advance(seconds: 30)
    try hub.call("3", from: alice, .call("bob"))
  }

  @Test func sessionsOfOneUserAreLimited() throws {
    var limits = HubLimits()
    limits.sessionsPerUser = 1
    var hub = try hub(alice, bob, limits: limits)
    try hub.call("1", from: alice, .call("bob"))
    #expect(throws: HubRefusal.self) { try hub.call("2", from: alice, .call("bob")) }
    try hub.state.hangUp("1", by: "alice", reason: "hangup", now: hub.now)
    try hub.call("2", from: alice, .call("bob"))
  }

  @Test func anUnansweredCallEndsAfterAMinute() throws {
    var hub = try hub(alice, bob)
    try hub.call("s", from: alice, .call("bob"))
    try hub.state.ring("s", by: "bob", now: hub.now)
    hub.advance(seconds: 59)
    #expect(hub.state.gauges.liveSessions == 1)
    hub.advance(seconds: 1)
    #expect(hub.eventNames(of: alice) == [.callRinging, .callEnded])
    let last = try #require(hub.events(of: bob).last)
    #expect(last.name == .callEnded && last.data.contains("unanswered"))
    #expect(throws: HubRefusal.sessionEnded) { try hub.state.answer("s", by: "bob", sdp: "late", now: hub.now) }
  }

  @Test func anEndedSessionIsForgottenInTheEnd() throws {
    var hub = try hub(alice, bob)
    try hub.call("s", from: alice, .call("bob"))
    try hub.state.hangUp("s", by: "alice", reason: "hangup", now: hub.now)
    hub.advance(seconds: 61)
    #expect(throws: HubRefusal.sessionUnknown) {
      try hub.state.hangUp("s", by: "alice", reason: "hangup", now: hub.now)
    }
  }

  @Test func aPartyWithoutStreamVanishesAfterTheResumeWindow() throws {
    var hub = try hub(alice, bob)
    try hub.call("s", from: alice, .call("bob"))
    try hub.state.answer("s", by: "bob", sdp: "sdp", now: hub.now)
    hub.disconnect(bob)
    hub.advance(seconds: 59)
    #expect(hub.state.gauges.liveSessions == 1)
    hub.advance(seconds: 1)
    #expect(hub.state.gauges.liveSessions == 0)
    let last = try #require(hub.events(of: alice).last)
    #expect(last.name == .callEnded && last.data.contains("vanished"))
  }

  @Test func aPartyThatReconnectsInTimeKeepsItsCall() throws {
    var hub = try hub(alice, bob)
    try hub.call("s", from: alice, .call("bob"))
    try hub.state.answer("s", by: "bob", sdp: "sdp", now: hub.now)
    hub.disconnect(bob)
    hub.advance(seconds: 50)
    try hub.connect(bob)
    hub.advance(seconds: 60)
    #expect(hub.state.gauges.liveSessions == 1)
  }

  @Test func withdrawingPresenceEndsCalls() throws {
    var hub = try hub(alice, bob)
    try hub.call("s", from: alice, .call("bob"))
    hub.state.withdrawPresence(userID: "bob", now: hub.now)
    #expect(hub.eventNames(of: alice) == [.callEnded, .presence])
  }

  @Test func aCallerWithoutStreamHasTheResumeWindowToOpenOne() throws {
    var hub = try hub(bob)
    try hub.call("s", from: alice, .call("bob"))
    try hub.state.answer("s", by: "bob", sdp: "sdp", now: hub.now)
    hub.advance(seconds: 59)
    #expect(hub.state.gauges.liveSessions == 1)
    hub.advance(seconds: 1)
    #expect(hub.state.gauges.liveSessions == 0)
  }

  @Test func inGlareTheLowerUserIDWinsWhoeverWasFirst() throws {
    var hub = try hub(alice, bob)
    try hub.call("a", from: alice, .call("bob"))
    #expect(throws: HubRefusal.glare) { try hub.call("b", from: bob, .call("alice")) }
    #expect(hub.eventNames(of: bob) == [.callIncoming])

    hub = try self.hub(alice, bob)
    try hub.call("b", from: bob, .call("alice"))
    try hub.call("a", from: alice, .call("bob"))
    #expect(hub.eventNames(of: alice) == [.callIncoming, .callEnded])
    #expect(hub.eventNames(of: bob) == [.callEnded, .callIncoming])
    #expect(hub.state.sessions.liveSessionIDs(of: "alice") == ["a"])
  }

  @Test func anAnsweredCallIsNoGlare() throws {
    var hub = try hub(alice, bob)
    try hub.call("a", from: alice, .call("bob"))
    try hub.state.answer("a", by: "bob", sdp: "sdp", now: hub.now)
    try hub.call("b", from: bob, .call("alice"))
    #expect(hub.state.gauges.liveSessions == 2)
  }

  @Test func aDeviceCallsAPerson() throws {
    var hub = try hub(alice, bob)
    try hub.call("s", from: bob, .call("alice"))
    let event = try #require(hub.events(of: alice).first)
    #expect(event.name == .callIncoming)
    try hub.state.ring("s", by: "alice", now: hub.now)
    try hub.state.answer("s", by: "alice", sdp: "sdp", now: hub.now)
    #expect(hub.eventNames(of: bob) == [.callRinging, .callAnswered])
    hub.advance(seconds: 20)
    try hub.heartbeat(bob, sessions: ["s"])
    #expect(hub.state.sessions.liveSessionIDs(of: "alice") == ["s"])
  }

  @Test func eitherPartyOffersAnewAndTheOtherAnswers() throws {
    var hub = try hub(alice, bob)
    try hub.call("s", from: bob, .call("alice"))
    try hub.state.answer("s", by: "alice", sdp: "sdp", now: hub.now)
    _ = (hub.events(of: alice), hub.events(of: bob))
    for (offerer, answerer) in [(bob, alice), (alice, bob)] {
      try hub.state.offer("s", by: offerer.userID, sdp: "o", now: hub.now)
      #expect(hub.eventNames(of: answerer) == [.callOffer])
      try hub.state.answer("s", by: answerer.userID, sdp: "a", now: hub.now)
      #expect(hub.eventNames(of: offerer) == [.callAnswered])
    }
  }

  @Test("Of two offers that cross the caller's goes on", arguments: [true, false])
  func crossingOffers(callerIsFirst: Bool) throws {
    var hub = try hub(alice, bob)
    try hub.call("s", from: bob, .call("alice"))
    try hub.state.answer("s", by: "alice", sdp: "sdp", now: hub.now)
    _ = (hub.events(of: alice), hub.events(of: bob))
    if callerIsFirst {
      try hub.state.offer("s", by: "bob", sdp: "caller's", now: hub.now)
      #expect(throws: HubRefusal.wrongState("the other party's offer is not answered yet")) {
        try hub.state.offer("s", by: "alice", sdp: "receiver's", now: hub.now)
      }
    } else {
      try hub.state.offer("s", by: "alice", sdp: "receiver's", now: hub.now)
      try hub.state.offer("s", by: "bob", sdp: "caller's", now: hub.now)
      #expect(throws: HubRefusal.wrongState("there is no offer to answer")) {
        try hub.state.answer("s", by: "bob", sdp: "late", now: hub.now)
      }
    }
    #expect(hub.eventNames(of: alice) == [.callOffer])
    try hub.state.answer("s", by: "alice", sdp: "a", now: hub.now)
    #expect(hub.eventNames(of: bob) == (callerIsFirst ? [.callAnswered] : [.callOffer, .callAnswered]))
  }

  @Test func aHeartbeatForgetsWhatTheDeviceNoLongerHolds() throws {
    var hub = try hub(alice, bob)
    try hub.call("kept", from: alice, .call("bob"))
    try hub.call("lost", from: alice, .call("bob"))
    for id: SessionID in ["kept", "lost"] { try hub.state.answer(id, by: "bob", sdp: "sdp", now: hub.now) }
    hub.advance(seconds: 20)
    try hub.heartbeat(bob, sessions: ["kept"])
    #expect(hub.state.sessions.liveSessionIDs(of: "alice") == ["kept"])
    let last = try #require(hub.events(of: alice).last)
    #expect(last.data.contains("lost") && last.data.contains("vanished"))
  }

  @Test func aHeartbeatThatCrossesACallDoesNotEndIt() throws {
    var hub = try hub(alice, bob)
    try hub.call("young", from: alice, .call("bob"))
    try hub.state.answer("young", by: "bob", sdp: "sdp", now: hub.now)
    hub.advance(seconds: 9)
    try hub.heartbeat(bob, sessions: [])
    #expect(hub.state.gauges.liveSessions == 1)
    try hub.state.hangUp("young", by: "bob", reason: "hangup", now: hub.now)
    try hub.call("unheard", from: alice, .call("bob"))
    hub.advance(seconds: 20)
    try hub.heartbeat(bob, sessions: [])
    #expect(hub.state.gauges.liveSessions == 1)
  }

  @Test func oneOfTwoTabsDoesNotDisownTheOthersCall() throws {
    var hub = try hub(alice, bob)
    _ = try hub.state.openStream("second", for: alice, lastEventID: nil, now: hub.now)
    try hub.call("s", from: alice, .call("bob"))
    hub.advance(seconds: 20)
    try hub.state.updatePresence(of: alice, .available(stream: "second", sessions: []), now: hub.now)
    #expect(hub.state.gauges.liveSessions == 1)
    try hub.heartbeat(alice, sessions: ["s"])
    try hub.state.updatePresence(of: alice, .available(stream: "second", sessions: []), now: hub.now)
    #expect(hub.state.gauges.liveSessions == 1)
    try hub.heartbeat(alice, sessions: [])
    #expect(hub.state.gauges.liveSessions == 0)
  }

  /// The hub's clock runs while anything has a deadline, and is started when the first one comes.
  @Test func theClockIsNeededWhileSomethingHasADeadline() throws {
    #expect(!VirtualHub().state.needsTicks)
    var hub = try hub(alice, bob)
    hub.advance(seconds: 90)
    _ = hub.state.drainActions()
    #expect(!hub.state.needsTicks)
    try hub.call("s", from: alice, .call("bob"))
    let started = hub.state.drainActions().startsClock
    let startedAgain = hub.state.drainActions().startsClock
    #expect(started && !startedAgain && hub.state.needsTicks)
    try hub.state.hangUp("s", by: "alice", reason: "hangup", now: hub.now)
    hub.advance(seconds: 90)
    #expect(!hub.state.needsTicks)
    hub.state.closeStream("stream-bob", of: "bob", now: hub.now)
    #expect(hub.state.needsTicks)
    hub.advance(seconds: 90)
    #expect(!hub.state.needsTicks)
  }

  @Test func sizesOfMessagesAreBounded() throws {
    var hub = try hub(alice, bob)
    try hub.call("s", from: alice, .call("bob"))
    let now = hub.now
    #expect(throws: HubRefusal.invalid(field: "type", reason: "longer than 128 bytes")) {
      try hub.state.signal(
        "s", by: "alice", SessionSignal(type: String(repeating: "t", count: 129), data: ""), now: now)
    }
    #expect(throws: HubRefusal.invalid(field: "data", reason: "longer than 8 KiB")) {
      try hub.state.signal(
        "s", by: "alice", SessionSignal(type: "t", data: String(repeating: "d", count: 8_193)), now: now)
    }
    try hub.state.signal(
      "s", by: "alice", SessionSignal(type: "t", data: String(repeating: "d", count: 8_192)), now: now)
    #expect(throws: HubRefusal.self) { try hub.state.hangUp("s", by: "alice", reason: "Not a word!", now: now) }
  }

  @Test(arguments: [
    "", "Mute", "mu te", "mute\r\n", "../mute", "<b>", "mu\u{202E}te", String(repeating: "m", count: 65),
  ])
  func whatIsSaidInWordsHasTheFormOfWords(word: String) {
    #expect(throws: HubRefusal.self) { try MessageSizes.check(action: word, target: nil) }
    #expect(throws: HubRefusal.self) { try MessageSizes.check(action: "mute", target: word) }
    for result in [
      SessionControlResult(action: word, target: nil, isDone: true, reason: nil),
      SessionControlResult(action: "mute", target: word, isDone: true, reason: nil),
      SessionControlResult(action: "mute", target: nil, isDone: false, reason: word),
      SessionControlResult(action: "mute", target: nil, isDone: false, reason: "not-allowed", detail: word),
    ] { #expect(throws: HubRefusal.self) { try MessageSizes.check(result) } }
  }

  @Test func typesOfSignalsAreSeen() throws {
    for type in ["", "ch at", "chat\n", "ch\u{202E}at", "\u{1B}[2J"] {
      #expect(throws: HubRefusal.self, "\(type)") { try MessageSizes.check(signalType: type) }
    }
    try MessageSizes.check(signalType: "org.example/thing+1")
    try MessageSizes.check(
      SessionControlResult(
        action: "choose-camera", target: "yard_2", isDone: false, reason: "not-allowed", detail: "policy"))
  }

  @Test func candidatesAreBoundedInSize() throws {
    var hub = try hub(alice, bob)
    try hub.call("s", from: alice, .call("bob"))
    func candidate(_ count: Int, mid: String? = nil) -> SessionCandidates.Candidate {
      .init(candidate: String(repeating: "c", count: count), sdpMid: mid, sdpMLineIndex: 0)
    }
    for long in [candidate(1_025), candidate(1_024, mid: "0"), candidate(0, mid: String(repeating: "m", count: 2_000))]
    {
      #expect(throws: HubRefusal.invalid(field: "candidates.[1]", reason: "longer than 1 KiB")) {
        let message = SessionCandidates(candidates: [candidate(9), long])
        try hub.state.addCandidates("s", by: "alice", message, now: hub.now)
      }
    }
    try hub.state.addCandidates("s", by: "alice", .init(candidates: [candidate(1_023, mid: "0")]), now: hub.now)
  }

  @Test func descriptionsAreBoundedInSize() throws {
    var hub = try hub(alice, bob)
    let long = String(repeating: "v", count: 32_769)
    let request = SessionRequest(receiverID: "bob", isAudio: true, isVideo: true, offer: long)
    #expect(throws: HubRefusal.invalid(field: "offer", reason: "longer than 32 KiB")) {
      try hub.call("s", from: alice, request)
    }
    try hub.call("s", from: alice, .call("bob"))
    #expect(throws: HubRefusal.invalid(field: "sdp", reason: "longer than 32 KiB")) {
      try hub.state.answer("s", by: "bob", sdp: long, now: hub.now)
    }
    try hub.state.answer("s", by: "bob", sdp: String(long.dropLast()), now: hub.now)
    #expect(throws: HubRefusal.invalid(field: "sdp", reason: "longer than 32 KiB")) {
      try hub.state.offer("s", by: "alice", sdp: long, now: hub.now)
    }
  }

  @Test func onlyDevicesAnnounceArchives() throws {
    var hub = try hub(alice, bob)
    try hub.call("s", from: alice, .call("bob"))
    let started = ArchiveAnnouncement(sessionID: "s", archiveID: "a", status: .started)
    #expect(throws: HubRefusal.self) { try hub.state.announceArchive(started, by: alice, now: hub.now) }
    try hub.state.announceArchive(started, by: bob, now: hub.now)
    #expect(hub.eventNames(of: alice) == [.archiveStarted])
    let failed = ArchiveAnnouncement(sessionID: "s", archiveID: "a", status: .failed)
    #expect(throws: HubRefusal.invalid(field: "status", reason: "must be started or stopped")) {
      try hub.state.announceArchive(failed, by: bob, now: hub.now)
    }
  }

  @Test func theDistanceIsToldWhenBothPlacesAreKnown() throws {
    var hub = VirtualHub()
    try hub.goOnline(alice, at: UserLocation(latitude: 52, longitude: 13))
    try hub.goOnline(bob, at: UserLocation(latitude: 53, longitude: 13))
    let distance = try hub.state.prepareCall("s", from: alice, .call("bob"), now: hub.now).distance
    #expect(abs(try #require(distance) - 111_195) < 10)
  }
}
