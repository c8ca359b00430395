import Foundation
import HubCore
import NIOHTTP1
import Signalling
import Testing

/// An operator and a device with open event streams, and the path of a session between them.
private struct Parties: Sendable {
  let hub: HubFixture
  let caller: Member
  let device: Member
  let callerEvents: EventReader
  let deviceEvents: EventReader
  let id = SessionID(UUID().uuidString.lowercased())!

  static func run(_ body: @Sendable (Parties) async throws -> Void) async throws {
    try await HubFixture.run { hub in
      let caller = try await hub.addPerson("Control room", role: .operator)
      let device = try await hub.addDevice("Front door")
      try await hub.withEvents(of: caller) { callerEvents in
        try await hub.withEvents(of: device) { deviceEvents in
          try await hub.publish(device, stream: deviceEvents, at: UserLocation(latitude: 52.52, longitude: 13.405))
          try await body(
            Parties(hub: hub, caller: caller, device: device, callerEvents: callerEvents, deviceEvents: deviceEvents))
        }
      }
    }
  }

  var path: String { "/v1/sessions/\(id)" }

  func place() async throws -> Reply { try await hub.send(.PUT, path, makeCall(to: device), by: caller) }

  func post(_ verb: String, _ body: some Encodable, by member: Member) async throws -> Int {
    try await hub.send(.POST, "\(path)/\(verb)", body, by: member).status
  }

  /// Places the call and answers it; its events are read.
  func connect() async throws {
    #expect(try await place().status == 201)
    _ = try await deviceEvents.next(.callIncoming, as: IncomingCallEvent.self)
    #expect(try await post("answer", SessionDescription(sdp: "answer"), by: device) == 204)
    #expect(try await callerEvents.next(.callAnswered, as: DescriptionEvent.self).sdp == "answer")
    #expect(try await deviceEvents.next(.callTaken, as: CallTakenEvent.self).outcome == .answered)
  }
}

private func makeCall(to receiver: Member) -> SessionRequest {
  SessionRequest(receiverID: receiver.id, isAudio: true, isVideo: true, offer: "v=0 offer")
}

/// Two users, a real server, real event streams.
@Suite(.timeLimit(.minutes(1)))
struct SignallingTests {
  @Test func aDeviceIsFoundNearby() async throws {
    try await Parties.run { parties async throws in
      let query = "/v1/users?latitude=52.4&longitude=13.4&within=200mi"
      let found = try await parties.hub.send(.GET, query, by: parties.caller).decode(NearbyUsers.self)
      #expect(found.count == 1 && found.items.first?.userID == parties.device.id)
      #expect(abs((found.items.first?.distance ?? 0) - 13_348) < 10)
    }
  }

  @Test func aCallRingsAndIsAnswered() async throws {
    try await Parties.run { parties async throws in
      let placed = try await parties.place()
      #expect(placed.status == 201)
      let grant = try placed.decode(SessionGrant.self)
      #expect(grant.sessionID == parties.id && grant.publisherToken != nil && grant.subscriberToken == nil)
      let incoming = try await parties.deviceEvents.next(.callIncoming, as: IncomingCallEvent.self)
      #expect(incoming.sessionID == parties.id && incoming.callerID == parties.caller.id)
      #expect(incoming.callerTitle == "Control room" && incoming.callerRole == "operator")
      #expect(incoming.offer == "v=0 offer" && incoming.callerGroups == ["default"] && !incoming.token.isEmpty)
      #expect(try await parties.hub.send(.POST, parties.path + "/ringing", by: parties.device).status == 204)
      #expect(try await parties.callerEvents.next(.callRinging, as: SessionEvent.self).sessionID == parties.id)
      #expect(try await parties.post("answer", SessionDescription(sdp: "yes"), by: parties.device) == 204)
      #expect(try await parties.callerEvents.next(.callAnswered, as: DescriptionEvent.self).sdp == "yes")
    }
  }

  @Test func whoAnswersTooLateIsToldSo() async throws {
    try await Parties.run { parties async throws in
      try await parties.connect()
      let late = SessionDescription(sdp: "from another tab", offerNumber: 0)
      let refused = try await parties.hub.send(.POST, parties.path + "/answer", late, by: parties.device)
      #expect(refused.status == 409 && refused.problem == "answered-elsewhere")
    }
  }

  @Test func candidatesAndRenewedOffersPass() async throws {
    try await Parties.run { parties async throws in
      try await parties.connect()
      let line = "candidate:1 1 udp 1 192.0.2.1 9 typ host"
      let candidates = SessionCandidates(candidates: [.init(candidate: line, sdpMid: "0", sdpMLineIndex: 0)])
      #expect(try await parties.post("candidates", candidates, by: parties.caller) == 204)
      let trickled = try await parties.deviceEvents.next(.callCandidates, as: CandidatesEvent.self).candidates
      #expect(trickled.first?.candidate == line && trickled.first?.sdpMLineIndex == 0)
      #expect(try await parties.post("offer", SessionDescription(sdp: "again"), by: parties.device) == 204)
      #expect(try await parties.callerEvents.next(.callOffer, as: DescriptionEvent.self).sdp == "again")
      #expect(try await parties.post("answer", SessionDescription(sdp: "yes"), by: parties.caller) == 204)
      #expect(try await parties.deviceEvents.next(.callAnswered, as: DescriptionEvent.self).sdp == "yes")
    }
  }

  @Test func chatControlAndArchivesPass() async throws {
    try await Parties.run { parties async throws in
      try await parties.connect()
      #expect(try await parties.post("signal", SessionSignal(type: "chat", data: "a\nb"), by: parties.device) == 204)
      let heard = try await parties.callerEvents.next(.signal, as: SignalEvent.self)
      #expect(heard.data == "a\nb" && heard.type == "chat" && heard.userID == parties.device.id)
      let control = SessionControl(action: "mute", target: "camera")
      #expect(try await parties.post("control", control, by: parties.caller) == 204)
      #expect(try await parties.deviceEvents.next(.control, as: ControlEvent.self).role == .moderator)
      let result = SessionControlResult(action: "mute", target: "camera", isDone: false, reason: "not-allowed")
      #expect(try await parties.post("control/result", result, by: parties.device) == 204)
      #expect(try await parties.callerEvents.next(.controlResult, as: ControlResultEvent.self).reason == "not-allowed")
      let archive = ArchiveAnnouncement(sessionID: parties.id, archiveID: "a", status: .started)
      #expect(try await parties.post("archive", archive, by: parties.device) == 204)
      #expect(try await parties.callerEvents.next(.archiveStarted, as: ArchiveAnnouncement.self).archiveID == "a")
      #expect(try await parties.post("archive", archive, by: parties.caller) == 403)
    }
  }

  @Test func hangingUpEndsItForBoth() async throws {
    try await Parties.run { parties async throws in
      try await parties.connect()
      #expect(try await parties.hub.send(.DELETE, parties.path, by: parties.caller).status == 204)
      #expect(try await parties.deviceEvents.next(.callEnded, as: SessionEndedEvent.self).reason == "hangup")
      #expect(try await parties.hub.send(.DELETE, parties.path, by: parties.device).status == 204)
      let chat = SessionSignal(type: "chat", data: "late")
      let late = try await parties.hub.send(.POST, parties.path + "/signal", chat, by: parties.device)
      #expect(late.status == 410 && late.problem == "session-ended")
    }
  }

  @Test func aRejectionCarriesItsReason() async throws {
    try await Parties.run { parties async throws in
      #expect(try await parties.place().status == 201)
      #expect(try await parties.post("reject", SessionEnding(reason: "busy"), by: parties.caller) == 403)
      #expect(try await parties.post("reject", SessionEnding(reason: "busy"), by: parties.device) == 204)
      #expect(try await parties.callerEvents.next(.callRejected, as: SessionEndedEvent.self).reason == "busy")
    }
  }

  @Test func repeatingTheRequestIsHarmless() async throws {
    try await Parties.run { parties async throws in
      for _ in 0..<2 { #expect(try await parties.place().status == 201) }
      #expect(try await parties.post("reject", SessionEnding(reason: "busy"), by: parties.device) == 204)
      _ = try await parties.deviceEvents.next(.callIncoming, as: IncomingCallEvent.self)
      #expect(try await parties.hub.metric("calls_placed_total") == 1)
    }
  }

  @Test func aClientThatResumesMissesNothing() async throws {
    try await HubFixture.run { hub in
      let caller = try await hub.addPerson("caller")
      let device = try await hub.addDevice("door")
      let path = "/v1/sessions/\(UUID().uuidString)"
      let lastID = try await hub.withEvents(of: device) { events in
        try await hub.publish(device, stream: events)
        #expect(try await hub.send(.PUT, path, makeCall(to: device), by: caller).status == 201)
        return try await events.next().id
      }
      try await hub.eventually { try await hub.metric("event_streams") == 0 }
      for number in 1...3 {
        let signal = SessionSignal(type: "chat", data: "\(number)")
        #expect(try await hub.send(.POST, path + "/signal", signal, by: caller).status == 204)
      }
      try await hub.withEvents(of: device, after: lastID) { events async throws in
        #expect(!events.hello.isReset)
        for number in 1...3 {
          #expect(try await events.next(.signal, as: SignalEvent.self).data == "\(number)")
        }
      }
      try await hub.withEvents(of: device, after: "another-run-7") { events in #expect(events.hello.isReset) }
    }
  }

  @Test func aClientThatGoesIsNoticed() async throws {
    try await HubFixture.run { hub in
      let device = try await hub.addDevice("door")
      try await hub.withEvents(of: device) { events in
        try await hub.publish(device, stream: events)
        #expect(try await hub.metric("event_streams") == 1)
      }
      try await hub.eventually { try await hub.metric("event_streams") == 0 }
    }
  }

  @Test func aHeartbeatForAStreamThatIsGoneIsRefused() async throws {
    try await HubFixture.run { hub in
      let device = try await hub.addDevice("door")
      let update = PresenceUpdate(kind: .device, isAudio: true, isVideo: true, eventStreamID: "gone")
      let reply = try await hub.send(.PUT, "/v1/presence", update, by: device)
      #expect(reply.status == 409 && reply.problem == "event-stream-gone")
    }
  }

  @Test func whoIsNotOnlineOrNotInTheGroupCannotBeCalled() async throws {
    try await HubFixture.run { hub in
      let caller = try await hub.addPerson("caller")
      let device = try await hub.addDevice("theirs", groups: ["other"])
      try await hub.withEvents(of: device) { events in
        try await hub.publish(device, stream: events)
        let reply = try await hub.send(.PUT, "/v1/sessions/\(UUID().uuidString)", makeCall(to: device), by: caller)
        #expect(reply.status == 404 && reply.problem == "receiver-offline")
        #expect(try await hub.send(.GET, "/v1/users", by: caller).decode(NearbyUsers.self).count == 0)
      }
    }
  }

  @Test func tooManyStreamsOfOneUserAreRefused() async throws {
    var limits = HubLimits()
    limits.streamsPerUser = 1
    try await HubFixture.run(limits: limits) { hub in
      let device = try await hub.addDevice("door")
      try await hub.withEvents(of: device) { _ in
        let reply = try await hub.send(.GET, "/v1/events", by: device)
        #expect(reply.status == 429 && reply.headers.first(name: "Retry-After") == "5")
      }
    }
  }
}
