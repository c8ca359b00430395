import Signalling
import Testing

@testable import HubCore

/// One person at several pages, each with an event stream of its own.
struct SeveralClientsTests {
  private let person = Principal.person("p")
  private let door = Principal.device("door")
  private let watcher = Principal.person("w", role: .operator)

  /// The person has the streams "one" and "two".
  private func hub() throws -> VirtualHub {
    var hub = VirtualHub()
    try hub.goOnline(door)
    try hub.connect(watcher)
    for stream in ["one", "two"] {
      _ = try hub.state.openStream(stream, for: person, lastEventID: nil, now: hub.now)
      try hub.report(person, stream)
    }
    _ = hub.events(of: watcher)
    return hub
  }

  @Test func onePageInACallDoesNotMakeThePersonBusy() throws {
    var hub = try hub()
    try hub.report(person, "one", .busy)
    #expect(try hub.status(of: person, for: watcher) == .available)
    try hub.report(person, "two", .busy)
    #expect(try hub.status(of: person, for: watcher) == .busy)
    try hub.report(person, "two")
    #expect(try hub.status(of: person, for: watcher) == .available)
  }

  @Test func notToBeDisturbedIsSaidForAllPages() throws {
    var hub = try hub()
    try hub.report(person, "one", .doNotDisturb)
    try hub.report(person, "two")
    #expect(try hub.status(of: person, for: watcher) == .doNotDisturb)
  }

  @Test func aPageThatLeavesEndsItsOwnCallAlone() throws {
    var hub = try hub()
    for id: SessionID in ["a", "b"] {
      try hub.call(id, from: person, .call("door"))
      try hub.state.answer(id, by: "door", sdp: "answer", now: hub.now)
    }
    for _ in 0..<2 {
      try hub.heartbeat(door, sessions: ["a", "b"])
      try hub.report(person, "one", .busy, sessions: ["a"])
      try hub.report(person, "two", .busy, sessions: ["b"])
      hub.advance(seconds: 15)
    }
    _ = hub.events(of: watcher)

    hub.state.withdrawPresence(userID: "p", streamID: "one", now: hub.now)
    #expect(hub.state.gauges.liveSessions == 1)
    #expect(try hub.status(of: person, for: watcher) == .busy)

    hub.state.closeStream("one", of: "p", now: hub.now)
    hub.state.withdrawPresence(userID: "p", streamID: "two", now: hub.now)
    #expect(hub.state.gauges.liveSessions == 0)
    #expect(try hub.status(of: person, for: watcher) == nil)
  }

  @Test func aPageThatIsClosedTakesItsStatusAlong() throws {
    var hub = try hub()
    try hub.report(person, "one", .doNotDisturb)
    hub.state.closeStream("one", of: "p", now: hub.now)
    #expect(try hub.status(of: person, for: watcher) == .available)
  }

  @Test func aPageWithoutPositionLeavesTheAgeOfAnothers() throws {
    var hub = try hub()
    var update = PresenceUpdate.available(at: UserLocation(latitude: 1, longitude: 2), stream: "one", sessions: [])
    update.positionAge = 100
    try hub.state.updatePresence(of: person, update, now: hub.now)
    try hub.report(person, "two")
    let users = try hub.state.nearby(NearbyQuery(), asker: watcher, now: hub.now)
    #expect(users.first { $0.userID == "p" }?.positionAge == 100)
  }

  @Test func aPageThatLeavesTakesItsStatusAlong() throws {
    var hub = try hub()
    try hub.report(person, "one", .doNotDisturb)
    _ = hub.events(of: watcher)
    hub.advance(seconds: 5)
    hub.state.withdrawPresence(userID: "p", streamID: "one", now: hub.now)
    #expect(try hub.status(of: person, for: watcher) == .available)
    #expect(hub.eventNames(of: watcher).contains(.presence))
  }
}

extension VirtualHub {
  fileprivate mutating func report(
    _ principal: Principal, _ stream: String, _ status: PresenceStatus = .available, sessions: [SessionID] = []
  ) throws {
    var update = PresenceUpdate.available(stream: stream, sessions: sessions)
    update.status = status
    try state.updatePresence(of: principal, update, now: now)
  }

  fileprivate mutating func status(of principal: Principal, for asker: Principal) throws -> PresenceStatus? {
    let users = try state.nearby(NearbyQuery(), asker: asker, now: now)
    return users.first { $0.userID == principal.userID }?.status
  }
}
