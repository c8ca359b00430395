import FoundationEssentials
import Signalling
import Testing

@testable import HubCore

struct PresenceTests {
  private let watcher = Principal.person("watcher")
  private let door = Principal.device("door")

  private func visible(_ hub: inout VirtualHub) throws -> [String] {
    try hub.state.nearby(NearbyQuery(), asker: watcher, now: hub.now).map(\.userID)
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
    let told = hub.events(of: watcher)
    #expect(told.count == 1 && told.first?.data.contains(#""isOnline":false"#) == true)
  }

  @Test func thePositionsAgeGrowsUntilAHeartbeatTellsItAnew() throws {
    var hub = VirtualHub()
    try hub.connect(watcher)
    try hub.goOnline(door, at: UserLocation(latitude: 1, longitude: 2))
    var ages: [Int?] = []
    for age in [nil, 30, 0] as [Int?] {
      var update = PresenceUpdate.available(stream: "stream-door")
      update.positionAge = age
      try hub.state.updatePresence(of: door, update, now: hub.now)
      hub.advance(seconds: 12)
      ages += try hub.state.nearby(NearbyQuery(), asker: watcher, now: hub.now).map(\.positionAge)
    }
    #expect(ages == [nil, 42, 12])
    var update = PresenceUpdate.available(stream: "stream-door")
    update.positionAge = -1
    #expect(throws: HubRefusal.self) { try hub.state.updatePresence(of: door, update, now: hub.now) }
  }

  @Test func whatADevicePermitsIsListedToABound() throws {
    var hub = VirtualHub()
    try hub.connect(watcher)
    try hub.goOnline(door)
    var update = PresenceUpdate.available(stream: "stream-door")
    for permits in [["call", "later-word"], [], nil] as [[String]?] {
      update.permits = permits
      try hub.state.updatePresence(of: door, update, now: hub.now)
      #expect(try hub.state.nearby(NearbyQuery(), asker: watcher, now: hub.now).map(\.permits) == [permits])
    }
    let tooMany = (0...DevicePermission.maximumCount).map { "word-\($0)" }
    for permits in [tooMany, ["two words"], [String(repeating: "x", count: 65)]] {
      update.permits = permits
      #expect(throws: HubRefusal.self) { try hub.state.updatePresence(of: door, update, now: hub.now) }
    }
  }

  @Test func presenceLastsAsLongAsTheStreamAndIsForgottenAMinuteLater() throws {
    var hub = VirtualHub()
    try hub.connect(watcher)
    try hub.goOnline(door)
    hub.advance(seconds: 1_000)
    #expect(try visible(&hub) == ["door"])
    hub.disconnect(door)
    hub.advance(seconds: 60)
    #expect(try visible(&hub).isEmpty)
    #expect(hub.state.gauges.presences == 1)
    hub.advance(seconds: 1)
    #expect(hub.state.gauges.presences == 0)
  }

  @Test func whoNeverHadAStreamIsForgottenAMinuteAfterTheLastUpdate() throws {
    var hub = VirtualHub()
    try hub.state.updatePresence(of: door, .available(), now: hub.now)
    hub.advance(seconds: 60)
    #expect(hub.state.gauges.presences == 1)
    hub.advance(seconds: 1)
    #expect(hub.state.gauges.presences == 0)
  }

  @Test func streamsAreToldHowOftenToSendHeartbeats() throws {
    var limits = HubLimits()
    limits.heartbeatInterval = .seconds(300)
    var state = HubState(epoch: "e", limits: limits)
    let opening = try state.openStream("s", for: door, lastEventID: nil, now: .now)
    let hello = try JSONDecoder().decode(HelloEvent.self, from: Data(opening.hello.data.utf8))
    #expect(hello.heartbeatInterval == 300)
    let old = try JSONDecoder().decode(HelloEvent.self, from: Data(#"{"eventStreamID":"s","isReset":false}"#.utf8))
    #expect(old.heartbeatInterval == nil)
  }

  @Test func aHeartbeatWithoutPositionKeepsTheLast() throws {
    var hub = VirtualHub()
    try hub.goOnline(door, at: UserLocation(latitude: 1, longitude: 2))
    try hub.heartbeat(door)
    let asker = Principal.person("o", role: .operator)
    let item = try #require(try hub.state.nearby(NearbyQuery(), asker: asker, now: hub.now).first)
    #expect(item.userLocation == UserLocation(latitude: 1, longitude: 2))
  }

  @Test func aPositionThatIsTakenBackIsGoneAtOnceAndCallsGoOn() throws {
    var hub = VirtualHub()
    try hub.connect(watcher)
    try hub.goOnline(door, at: UserLocation(latitude: 1, longitude: 2))
    try hub.call("a", from: watcher, .call("door"))
    try hub.state.answer("a", by: "door", sdp: "answer", now: hub.now)
    var update = PresenceUpdate.available(stream: "stream-door", sessions: ["a"])
    update.location = .withdrawn
    try hub.state.updatePresence(of: door, update, now: hub.now)
    let asker = Principal.person("o", role: .operator)
    let item = try #require(try hub.state.nearby(NearbyQuery(), asker: asker, now: hub.now).first)
    #expect(item.userLocation == nil)
    #expect(hub.state.gauges.liveSessions == 1)
    #expect(!hub.eventNames(of: watcher).contains(.callEnded))
  }

  @Test(
    "A position that is absent stays, one that is null goes (RFC 7396)",
    arguments: [
      ("", LocationUpdate.unchanged), (#""userLocation":null,"#, .withdrawn),
      (#""userLocation":{"latitude":1,"longitude":2},"#, .at(UserLocation(latitude: 1, longitude: 2))),
    ])
  func positionsInJSON(member: String, location: LocationUpdate) throws {
    let json = "{\(member)\"status\":\"available\",\"kind\":\"device\",\"isAudio\":true,\"isVideo\":true}"
    let update = try JSONDecoder().decode(PresenceUpdate.self, from: Data(json.utf8))
    #expect(update.location == location)
    let again = try JSONDecoder().decode(PresenceUpdate.self, from: try JSONEncoder().encode(update))
    #expect(again.location == location)
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
    #expect(hub.eventNames(of: watcher) == [.presence])
    hub.advance(seconds: 1)
    try hub.heartbeat(door)
    #expect(hub.events(of: watcher).isEmpty)
    try hub.setStatus(.busy, of: door)
    let told = hub.events(of: watcher)
    #expect(told.map(\.name) == [.presence])
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
    hub.advance(seconds: 1)
    hub.state.withdrawPresence(userID: "door", now: hub.now)
    #expect(hub.eventNames(of: watcher).isEmpty)
    hub.disconnect(second)
    hub.advance(seconds: 1)
    try hub.heartbeat(door)
    #expect(hub.eventNames(of: watcher) == [.presence])
  }
}
