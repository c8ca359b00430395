import Signalling
import Testing

@testable import HubCore

/// Every event in every state, by either party.
struct CallSessionTests {
  private enum Stage: CaseIterable {
    case calling, ringing, answered, offering, ended
  }

  private let now = Instant.now

  private func session(_ stage: Stage) throws -> CallSession {
    let context = CallContext(
      .call("bob"), from: (.person("alice"), nil), to: (.device("bob"), nil), known: nil)
    let placement = CallPlacement(
      sessionID: "s", caller: .person("alice"), request: .call("bob"), context: context,
      tokens: PartyTokens(caller: "caller-token", receiver: "receiver-token"),
      receiverICEServers: [])
    var session = CallSession(placement, now: now)
    switch stage {
    case .calling: break
    case .ringing: _ = try session.ring(by: .receiver)
    case .answered: _ = try session.answer(by: .receiver, SessionDescription(sdp: "answer"))
    case .offering:
      _ = try session.answer(by: .receiver, SessionDescription(sdp: "answer"))
      _ = try session.offer(by: .caller, sdp: "again")
    case .ended: _ = session.end(reason: .vanished, now: now)
    }
    return session
  }

  /// What an event did: whom it told what, or why it was refused.
  private func outcome(
    _ stage: Stage, _ event: (inout CallSession) throws(HubRefusal) -> [Delivery]
  ) throws -> String {
    var session = try session(stage)
    do {
      let told = try event(&session).map { "\($0.userID):\($0.event.name.rawValue)" }
      return told.isEmpty ? "nothing" : told.joined(separator: " ")
    } catch {
      return error.problem.type
    }
  }

  private func outcomes(_ event: (inout CallSession) throws(HubRefusal) -> [Delivery]) throws -> [String] {
    try Stage.allCases.map { try outcome($0, event) }
  }

  @Test func ringing() throws {
    #expect(
      try outcomes { session throws(HubRefusal) in try session.ring(by: .receiver) }
        == ["alice:call.ringing", "nothing", "wrong-state", "wrong-state", "session-ended"])
    #expect(
      try outcomes { session throws(HubRefusal) in try session.ring(by: .caller) }
        == ["not-allowed", "not-allowed", "not-allowed", "not-allowed", "session-ended"])
  }

  private func answerEvent(from receiver: Principal, to caller: Principal) throws -> DescriptionEvent? {
    let context = CallContext(.call(receiver.userID), from: (caller, nil), to: (receiver, nil), known: nil)
    let placement = CallPlacement(
      sessionID: "s", caller: caller, request: .call(receiver.userID), context: context,
      tokens: PartyTokens(caller: "caller-token", receiver: "receiver-token"), receiverICEServers: [])
    var session = CallSession(placement, now: now)
    guard case .callAnswered(let event) = try session.answer(by: .receiver, SessionDescription(sdp: "a")).first?.event
    else { return nil }
    return event
  }

  /// What the caller receives of the first and second page that rings.
  private func ringingEvents(to caller: Principal) throws -> [SessionEvent] {
    let receiver = Principal.person("bob", groups: ["residents", "default"])
    let context = CallContext(.call("bob"), from: (caller, nil), to: (receiver, nil), known: nil)
    let placement = CallPlacement(
      sessionID: "s", caller: caller, request: .call("bob"), context: context,
      tokens: PartyTokens(caller: "caller-token", receiver: "receiver-token"), receiverICEServers: [])
    var session = CallSession(placement, now: now)
    var deliveries = try session.ring(by: .receiver)
    deliveries += try session.ring(by: .receiver)
    return deliveries.compactMap { if case .callRinging(let event) = $0.event { event } else { nil } }
  }

  @Test func aDeviceLearnsAtWhomItRingsFromEachPage() throws {
    let toDevice = try ringingEvents(to: .device("gate"))
    #expect(toDevice.map(\.receiverRole) == ["user", "user"])
    #expect(toDevice.map(\.receiverGroups) == [["default", "residents"], ["default", "residents"]])
    #expect(toDevice.map(\.token) == ["receiver-token", "receiver-token"])
    let toPerson = try ringingEvents(to: .person("alice"))
    #expect(toPerson.map(\.receiverRole) == [nil])
    #expect(toPerson.map(\.receiverGroups) == [nil])
    #expect(toPerson.map(\.token) == [nil])
  }

  @Test func aDeviceLearnsWhoAnswersItAndAPersonDoesNot() throws {
    let alice = Principal.person("alice", groups: ["residents", "default"])
    let toDevice = try #require(try answerEvent(from: alice, to: .device("door")))
    #expect(toDevice.receiverRole == "user")
    #expect(toDevice.receiverGroups == ["default", "residents"])
    let toPerson = try #require(try answerEvent(from: alice, to: .person("bob")))
    #expect(toPerson.receiverRole == nil)
    #expect(toPerson.receiverGroups == nil)
    #expect(toPerson.token == "receiver-token")
  }

  @Test func answering() throws {
    #expect(
      try outcomes { session throws(HubRefusal) in try session.answer(by: .receiver, SessionDescription(sdp: "new")) }
        == [
          "alice:call.answered bob:call.taken", "alice:call.answered bob:call.taken", "answered-elsewhere",
          "alice:call.answered", "session-ended",
        ])
    #expect(
      try outcomes { session throws(HubRefusal) in try session.answer(by: .caller, SessionDescription(sdp: "new")) }
        == ["not-allowed", "not-allowed", "wrong-state", "wrong-state", "session-ended"])
  }

  @Test func repeatingAnAnswerIsHarmless() throws {
    #expect(
      try outcome(.answered) { session throws(HubRefusal) in
        try session.answer(by: .receiver, SessionDescription(sdp: "answer"))
      }
        == "nothing")
  }

  @Test func rejecting() throws {
    #expect(
      try outcomes { session throws(HubRefusal) in try session.reject(by: .receiver, reason: "busy", now: now) }
        == [
          "alice:call.rejected bob:call.taken", "alice:call.rejected bob:call.taken", "wrong-state", "wrong-state",
          "session-ended",
        ])
    #expect(
      try outcomes { session throws(HubRefusal) in try session.reject(by: .caller, reason: "busy", now: now) }
        == ["not-allowed", "not-allowed", "not-allowed", "not-allowed", "session-ended"])
  }

  @Test func renegotiating() throws {
    #expect(
      try outcomes { session throws(HubRefusal) in try session.offer(by: .receiver, sdp: "o") }
        == ["wrong-state", "wrong-state", "alice:call.offer", "wrong-state", "session-ended"])
    #expect(
      try outcomes { session throws(HubRefusal) in try session.offer(by: .caller, sdp: "o") }
        == ["wrong-state", "wrong-state", "bob:call.offer", "bob:call.offer", "session-ended"])
  }

  @Test func theOffererGetsTheAnswerToItsOffer() throws {
    var session = try session(.answered)
    _ = try session.offer(by: .receiver, sdp: "o")
    let deliveries = try session.answer(by: .caller, SessionDescription(sdp: "a"))
    #expect(deliveries.map(\.userID) == ["bob"])
    #expect(session.state == .answered(offering: nil))
  }

  @Test func anAnswerToAnOlderOfferIsRefused() throws {
    let answers = [("to 1", 1), ("to 2", 2), ("to 0", 0)].map { SessionDescription(sdp: $0, offerNumber: $1) }
    let outcomes = try answers.map { answer in
      try outcome(.offering) { session throws(HubRefusal) in
        _ = try session.offer(by: .caller, sdp: "newer")
        return try session.answer(by: .receiver, answer)
      }
    }
    #expect(outcomes == ["wrong-state", "alice:call.answered", "answered-elsewhere"])
  }

  @Test func theFirstAnswerRepeatedIsNotTakenForTheNext() throws {
    let again = SessionDescription(sdp: "answer", offerNumber: 0)
    #expect(
      try outcome(.offering) { session throws(HubRefusal) in try session.answer(by: .receiver, again) } == "nothing")
  }

  @Test func offersAreNumberedInTheOrderOfBothParties() throws {
    var session = try session(.answered)
    let deliveries = try session.offer(by: .receiver, sdp: "1") + session.offer(by: .caller, sdp: "2")
    let numbers = deliveries.map { delivery -> Int? in
      guard case .callOffer(let offer) = delivery.event else { return nil }
      return offer.offerNumber
    }
    #expect(numbers == [1, 2])
  }

  @Test func aReceiverThatHangsUpWhileItRingsTellsItsOtherClients() throws {
    #expect(
      try outcomes { session throws(HubRefusal) in session.hangUp(by: .receiver, reason: "hangup", now: now) }
        == [
          "alice:call.ended bob:call.taken", "alice:call.ended bob:call.taken", "alice:call.ended", "alice:call.ended",
          "nothing",
        ])
  }

  @Test(arguments: [Party.caller, .receiver])
  func exchangeGoesToTheOtherWhileItLives(party: Party) throws {
    let other = party == .caller ? "bob" : "alice"
    let live = { (name: String) in Array(repeating: "\(other):\(name)", count: 4) + ["session-ended"] }
    #expect(
      try outcomes { session throws(HubRefusal) in try session.candidates(by: party, []) } == live("call.candidates"))
    #expect(
      try outcomes { session throws(HubRefusal) in
        try session.signal(by: party, SessionSignal(type: "chat", data: "hi"))
      } == live("signal"))
    #expect(
      try outcomes { session throws(HubRefusal) in try session.control(by: party, SessionControl(action: "mute")) }
        == live("control"))
    let result = SessionControlResult(action: "mute", target: nil, isDone: true, reason: nil)
    #expect(
      try outcomes { session throws(HubRefusal) in try session.controlResult(by: party, result) }
        == live("control.result"))
  }

  @Test func anArchivesEndIsToldEvenAfterTheSessions() throws {
    let stopped = ArchiveAnnouncement(sessionID: "s", archiveID: "a", status: .stopped)
    #expect(
      try outcomes { session throws(HubRefusal) in session.archive(by: .receiver, stopped) }
        == Array(repeating: "alice:archive.stopped", count: 5))
  }

  @Test func hangingUpTellsTheOtherOnce() throws {
    #expect(
      try outcomes { session throws(HubRefusal) in session.hangUp(by: .caller, reason: "hangup", now: now) }
        == Array(repeating: "bob:call.ended", count: 4) + ["nothing"])
  }

  @Test func anEndThatNobodyAskedForIsToldToBoth() throws {
    #expect(
      try outcomes { session throws(HubRefusal) in session.end(reason: .unanswered, now: now) }
        == Array(repeating: "alice:call.ended bob:call.ended", count: 4) + ["nothing"])
  }

  @Test func onlyAnUnansweredSessionHasADeadline() throws {
    let deadlines = try Stage.allCases.map { try session($0).deadline(HubLimits())?.time }
    let due = now + .seconds(60)
    #expect(deadlines == [due, due, nil, nil, nil])
  }

  @Test func controlCarriesTheSendersRole() throws {
    let delivery = try session(.answered).control(by: .caller, SessionControl(action: "mute", target: "camera"))
    guard case .control(let event) = delivery.first?.event else {
      Issue.record("no control event")
      return
    }
    #expect(event.role == .publisher && event.userID == "alice" && event.target == "camera")
  }
}
