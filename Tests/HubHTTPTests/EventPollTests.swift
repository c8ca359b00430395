import Foundation
import HTTPConnections
import HubCore
import HubStore
import HubStoreSQLite
import NIOCore
import NIOHTTP1
import Signalling
import Testing

@testable import HubHTTP

/// Long polling of the log that event streams read.
@Suite(.timeLimit(.minutes(1)))
struct EventPollTests {
  @Test func proxiesAreAskedToPassAStreamOn() async throws {
    try await HubFixture.run { hub in
      let user = try await hub.addPerson("user")
      let response = try await hub.open(.GET, "/v1/events", by: user)
      #expect(response.headers.first(name: "X-Accel-Buffering") == "no")
      #expect(response.headers.first(name: "Cache-Control") == "no-store, no-transform")
      #expect(response.headers.first(name: "Content-Type") == "text/event-stream")
    }
  }

  @Test func theFirstPollIsGreetedAtOnceAndTheNextBringsWhatComes() async throws {
    try await HubFixture.run { hub in
      let (user, device) = (try await hub.addPerson("user"), try await hub.addDevice("door"))
      let first = try await hub.poll(by: device)
      let hello = try #require(first.hello)
      #expect(!hello.isReset)
      let update = PresenceUpdate(kind: .device, isAudio: true, isVideo: true, eventStreamID: hello.eventStreamID)
      #expect(try await hub.send(.PUT, "/v1/presence", update, by: device).status == 204)
      async let answer = hub.poll(hello.eventStreamID, after: first.lastEventID, by: device)
      let call = SessionRequest(receiverID: device.id, isAudio: true, isVideo: true, offer: "v=0")
      let path = "/v1/sessions/\(UUID().uuidString.lowercased())"
      #expect(try await hub.send(.PUT, path, call, by: user).status == 201)
      let second = try await answer
      #expect(second.events.map(\.name) == ["call.incoming"] && second.lastEventID != first.lastEventID)
      #expect(try await hub.send(.DELETE, path, by: user).status == 204)
      let third = try await hub.poll(hello.eventStreamID, after: second.lastEventID, by: device)
      #expect(third.events.map(\.name) == ["call.ended"])
    }
  }

  /// The client whose answer got lost asks after the same event once more, on a stream of its own.
  @Test func anAnswerThatGotLostIsRepeated() async throws {
    try await HubFixture.run { hub in
      let (user, device) = (try await hub.addPerson("user"), try await hub.addDevice("door"))
      let first = try await hub.poll(by: device)
      let hello = try #require(first.hello)
      let update = PresenceUpdate(kind: .device, isAudio: true, isVideo: true, eventStreamID: hello.eventStreamID)
      #expect(try await hub.send(.PUT, "/v1/presence", update, by: device).status == 204)
      let call = SessionRequest(receiverID: device.id, isAudio: true, isVideo: true, offer: "v=0")
      let path = "/v1/sessions/\(UUID().uuidString.lowercased())"
      #expect(try await hub.send(.PUT, path, call, by: user).status == 201)
      _ = try await hub.poll(hello.eventStreamID, after: first.lastEventID, by: device)
      let again = try await hub.poll(hello.eventStreamID, after: first.lastEventID, by: device)
      #expect(again.events.map(\.name) == ["hello", "call.incoming"])
      #expect(again.hello?.eventStreamID != hello.eventStreamID && again.hello?.isReset == false)
    }
  }

  @Test func aPollWithoutEventsEndsBeforeIdleLimitsDo() async throws {
    try await HubFixture.run { hub in
      let user = try await hub.addPerson("user")
      let first = try await hub.poll(by: user)
      let hello = try #require(first.hello)
      var waits: [Duration] = []
      // The account's being added wakes all streams once.
      for _ in 0..<2 {
        let start = ContinuousClock.now
        let next = try await hub.poll(hello.eventStreamID, after: first.lastEventID, by: user)
        #expect(next.events.isEmpty && next.lastEventID == first.lastEventID)
        waits.append(ContinuousClock.now - start)
      }
      #expect(waits.allSatisfy { $0 < .seconds(9.5) } && waits.contains { $0 > .seconds(5) })
      #expect(try await hub.metric("event_streams") == 1)
    }
  }

  @Test func aUserIsOnlineBetweenPollsAndGoneWithoutThem() async throws {
    try await HubFixture.run { hub in
      let device = try await hub.addDevice("door")
      let first = try await hub.poll(by: device)
      try await Task.sleep(for: .seconds(3))
      #expect(try await hub.metric("event_streams") == 1)
      let second = try await hub.poll(first.hello?.eventStreamID ?? "", after: first.lastEventID, by: device)
      #expect(second.hello == nil)
      try await Task.sleep(for: PolledStreams.timeout)
      try await hub.eventually { try await hub.metric("event_streams") == 0 }
    }
  }

  @Test func nobodyReadsAnothersStream() async throws {
    try await HubFixture.run { hub in
      let (user, other) = (try await hub.addPerson("user"), try await hub.addPerson("other"))
      let first = try await hub.poll(by: user)
      let theirs = try await hub.poll(first.hello?.eventStreamID ?? "", after: first.lastEventID, by: other)
      #expect(theirs.hello?.eventStreamID != first.hello?.eventStreamID)
      #expect(try await hub.send(.GET, "/v1/events?poll=").status == 401)
    }
  }

  @Test func pollsOfOneUserAreLimited() async throws {
    var limits = HubLimits()
    limits.eventPollsPerMinute = 2
    try await HubFixture.run(limits: limits) { hub in
      let user = try await hub.addPerson("user")
      for _ in 0..<2 { #expect(try await hub.send(.GET, "/v1/events?poll=", by: user).status == 200) }
      let refused = try await hub.send(.GET, "/v1/events?poll=", by: user)
      #expect(refused.status == 429 && refused.headers.first(name: "Retry-After") != nil)
    }
  }

  @Test func aPollThatWaitsEndsWithItsAccount() async throws {
    try await HubFixture.run { hub in
      let user = try await hub.addPerson("user")
      let first = try await hub.poll(by: user)
      try await hub.store.removeUser(id: user.id)
      let path = "/v1/events?poll=\(first.hello?.eventStreamID ?? "")"
      let headers = [("Last-Event-ID", first.lastEventID)]
      #expect(try await hub.send(.GET, path, by: user, headers: headers).status == 401)
      try await hub.eventually { try await hub.metric("event_streams") == 0 }
    }
  }
}

/// What one poll brought.
private struct Polled {
  var events: [ServerSentEvent]
  var lastEventID: String
  var hello: HelloEvent? {
    events.first { $0.name == "hello" }.flatMap { try? JSONDecoder().decode(HelloEvent.self, from: Data($0.data)) }
  }
}

extension HubFixture {
  fileprivate func poll(_ streamID: String = "", after lastEventID: String = "", by member: Member) async throws
    -> Polled
  {
    let headers = lastEventID.isEmpty ? [] : [("Last-Event-ID", lastEventID)]
    let reply = try await send(.GET, "/v1/events?poll=\(streamID)", by: member, headers: headers)
    guard reply.status == 200 else { throw FixtureError.unexpected(reply.status, reply.text) }
    var parser = ServerSentEventParser(lastEventID: lastEventID)
    let events = parser.push(Array(reply.body.readableBytesView)).filter { $0.name != "presence" }
    return Polled(events: events, lastEventID: parser.lastEventID)
  }
}
