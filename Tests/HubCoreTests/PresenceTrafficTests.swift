import Foundation
import Signalling
import TestSupport
import Testing

@testable import HubCore

/// What presence may cost others, whoever sends how much of it.
struct PresenceTrafficTests {
  private let watcher = Principal.person("watcher")
  private let door = Principal.device("door")

  private func presences(_ events: [LoggedEvent]) throws -> [PresenceEvent] {
    try events.filter { $0.name == .presence }.map {
      try JSONDecoder().decode(PresenceEvent.self, from: Data($0.data.utf8))
    }
  }

  private func boundless() -> HubLimits {
    var limits = HubLimits()
    limits.presenceUpdatesPerMinute = 1_000_000
    return limits
  }

  @Test func updatesOfOneUserAreLimited() throws {
    var hub = VirtualHub()
    try hub.goOnline(door)
    for _ in 1..<hub.state.limits.presenceUpdatesPerMinute { try hub.heartbeat(door) }
    #expect(throws: HubRefusal.tooMany("presence updates", retryAfter: 1)) { try hub.heartbeat(door) }
    #expect(hub.state.counters.presenceRefused == 1)
    try hub.goOnline(Principal.device("other"))
    hub.wait(.milliseconds(500))
    try hub.heartbeat(door)
  }

  @Test func aDeviceThatMovesAndChangesIsNeverRefused() throws {
    var hub = VirtualHub()
    try hub.goOnline(door)
    for second in 1...1_800 {
      hub.advance(seconds: 1)
      if second.isMultiple(of: 20) { try hub.heartbeat(door) }
      if second.isMultiple(of: 10) { try hub.heartbeat(door, at: UserLocation(latitude: 1, longitude: 2)) }
      if second.isMultiple(of: 60) {
        for change in 0..<20 { try hub.setStatus(change.isMultiple(of: 2) ? .busy : .available, of: door) }
      }
    }
  }

  @Test func listsForOneUserAreLimited() throws {
    var hub = VirtualHub()
    let now = hub.now
    for _ in 0..<hub.state.limits.nearbyQueriesPerMinute {
      _ = try hub.state.nearby(NearbyQuery(), asker: watcher, now: now)
    }
    #expect(throws: HubRefusal.tooMany("lists of users", retryAfter: 1)) {
      try hub.state.nearby(NearbyQuery(), asker: watcher, now: now)
    }
  }

  @Test func aStormReachesOthersOnceASecondAndItsLastStateDoes() throws {
    var hub = VirtualHub(limits: boundless())
    try hub.connect(watcher)
    try hub.goOnline(door)
    var told: [PresenceEvent] = []
    for step in 0..<10_000 {
      try hub.setStatus(step.isMultiple(of: 2) ? .busy : .available, of: door)
      hub.wait(.milliseconds(1))
      if step % 1_000 == 999 { hub.advance(seconds: 0) }
      told += try presences(hub.events(of: watcher))
    }
    try hub.setStatus(.doNotDisturb, of: door)
    hub.advance(seconds: 2)
    told += try presences(hub.events(of: watcher))
    #expect((10...13).contains(told.count))
    #expect(told.last?.status == .doNotDisturb)
    hub.advance(seconds: 2)
    #expect(hub.events(of: watcher).isEmpty)
    #expect(hub.state.presenceTraffic.announcements.userCount == 0)
  }

  @Test func aStormPushesNoCallOut() throws {
    var hub = VirtualHub(limits: boundless())
    let crowd = (0..<300).map { Principal.device("device \($0)") }
    let caller = Principal.person("caller")
    try hub.goOnline(watcher)
    try hub.goOnline(caller)
    try hub.call("s", from: caller, .call("watcher"))
    for device in crowd { try hub.connect(device) }
    for second in 0..<50 {
      for device in crowd { try hub.setStatus(second.isMultiple(of: 2) ? .busy : .available, of: device) }
      hub.advance(seconds: 1)
      if second.isMultiple(of: 10) { try hub.heartbeat(watcher) }
    }
    let unread = hub.events(of: watcher)
    #expect(unread.contains { $0.name == .callIncoming })
    #expect(hub.state.counters.streamsOverrun == 0)
    let told = try presences(unread)
    #expect(told.count == 301 && Set(told.map(\.userID)).count == 301)
  }

  /// Whoever listens knows, once things are quiet, how everybody is.
  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func theLastStateArrives(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var hub = VirtualHub(limits: boundless())
    try hub.connect(watcher)
    let devices = (0..<5).map { Principal.device("\($0)") }
    var known: [String: PresenceEvent] = [:]
    for _ in 0..<400 {
      let device = devices.randomElement(using: &random) ?? door
      switch Int.random(in: 0..<6, using: &random) {
      case 0: try? hub.connect(device)
      case 1: hub.disconnect(device)
      case 2: hub.state.withdrawPresence(userID: device.userID, now: hub.now)
      case 3: hub.advance(seconds: Int.random(in: 0...3, using: &random))
      case 4: try hub.state.updatePresence(of: device, .available(), now: hub.now)
      default: try? hub.setStatus(Bool.random(using: &random) ? .busy : .available, of: device)
      }
      hub.wait(.milliseconds(Int.random(in: 0...800, using: &random)))
      if Bool.random(using: &random) {
        for event in try presences(hub.events(of: watcher)) { known[event.userID] = event }
      }
    }
    hub.advance(seconds: 8)
    for event in try presences(hub.events(of: watcher)) { known[event.userID] = event }
    let online = try hub.state.nearby(NearbyQuery(), asker: watcher, now: hub.now)
    #expect(Set(known.values.filter(\.isOnline).map(\.userID)) == Set(online.map(\.userID)))
    for user in online { #expect(known[user.userID]?.status == user.status) }
  }
}
