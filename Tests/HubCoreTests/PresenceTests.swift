import Signalling
import Testing

@testable import HubCore

struct PresenceTests {
  private let watcher = Principal.person("watcher")
  private let door = Principal.device("door")

  private func visible(_ hub: inout VirtualHub) throws -> [String] {
    try hub.state.nearby(NearbyQuery(), asker: watcher).map(\.userID)
  }

  @Test func onlineMeansCanBeCalled() throws {
    var hub = VirtualHub()
    try hub.connect(watcher)
    try hub.state.updatePresence(of: door, .available(), now: hub.now)
    #expect(try visible(&hub).isEmpty)
    try hub.connect(door)
    #expect(try visible(&hub) == ["door"])
    hub.disconnect(door)
    hub.advance(seconds: 4)
    #expect(try visible(&hub) == ["door"])
    hub.advance(seconds: 1)
    #expect(try visible(&hub).isEmpty)
    #expect(hub.eventNames(of: watcher) == [.presence, .presence])
  }

  @Test func presenceExpiresAMinuteAfterTheLastHeartbeat() throws {
    var hub = VirtualHub()
    try hub.connect(watcher)
    try hub.goOnline(door)
    hub.advance(seconds: 40)
    try hub.heartbeat(door)
    hub.advance(seconds: 60)
    #expect(try visible(&hub) == ["door"])
    hub.advance(seconds: 1)
    #expect(try visible(&hub).isEmpty)
    #expect(hub.state.gauges.presences == 0)
  }

  @Test func aHeartbeatWithoutPositionKeepsTheLast() throws {
    var hub = VirtualHub()
    try hub.goOnline(door, at: UserLocation(latitude: 1, longitude: 2))
    try hub.heartbeat(door)
    let asker = Principal.person("o", role: .operator)
    let item = try #require(try hub.state.nearby(NearbyQuery(), asker: asker).first)
    #expect(item.userLocation == UserLocation(latitude: 1, longitude: 2))
  }

  @Test func aHeartbeatMustNameAnOpenStream() throws {
    var hub = VirtualHub()
    try hub.connect(door)
    #expect(throws: HubRefusal.eventStreamGone) {
      try hub.state.updatePresence(of: door, .available(stream: "other"), now: hub.now)
    }
  }

  @Test func nobodyAppearsUnderAnotherTitleOrOffTheEarth() throws {
    var hub = VirtualHub()
    var update = PresenceUpdate.available()
    update.userTitle = "Police"
    #expect(throws: HubRefusal.self) { try hub.state.updatePresence(of: door, update, now: hub.now) }
    let nowhere = PresenceUpdate.available(at: UserLocation(latitude: .nan, longitude: 0))
    #expect(throws: HubRefusal.self) { try hub.state.updatePresence(of: door, nowhere, now: hub.now) }
  }

  @Test func onlyChangesAreAnnouncedAndOnlyToTheGroup() throws {
    let stranger = Principal.person("stranger", groups: ["other"])
    var hub = VirtualHub()
    try hub.connect(watcher)
    try hub.connect(stranger)
    try hub.goOnline(door)
    try hub.heartbeat(door)
    var busy = PresenceUpdate.available(stream: "stream-door")
    busy.status = .busy
    try hub.state.updatePresence(of: door, busy, now: hub.now)
    let told = hub.events(of: watcher)
    #expect(told.map(\.name) == [.presence, .presence])
    #expect(told.last?.data.contains("busy") == true)
    #expect(hub.events(of: stranger).isEmpty && hub.events(of: door).isEmpty)
  }

  @Test func withTooManyListenersPresenceIsNotPushed() throws {
    var limits = HubLimits()
    limits.presenceListeners = 1
    var hub = VirtualHub(limits: limits)
    try hub.connect(watcher)
    try hub.goOnline(door)
    #expect(hub.eventNames(of: watcher) == [.presence])
    let second = Principal.person("second")
    try hub.connect(second)
    hub.state.withdrawPresence(userID: "door", now: hub.now)
    #expect(hub.eventNames(of: watcher).isEmpty)
    hub.disconnect(second)
    try hub.heartbeat(door)
    #expect(hub.eventNames(of: watcher) == [.presence])
  }
}
