import SystemSupport
import Testing

@testable import ControlAPI

@Suite("Client registry")
struct ClientRegistryTests {
  private final class Closed: Sendable {
    private let list = Mutex<[String]>([])
    var names: [String] { list.withLock { $0 } }
    func closure(_ name: String) -> @Sendable () -> Void { { self.list.withLock { $0.append(name) } } }
  }

  private let start = ContinuousClock.now
  private let closed = Closed()
  private let registry: ClientRegistry
  private static let own: UInt32 = 990

  init() {
    var limits = ControlServerLimits()
    (limits.clients, limits.clientsPerUser, limits.reservedClients) = (4, 2, 1)
    limits.idleTimeout = .seconds(60)
    registry = ClientRegistry(limits: limits, ownUserID: Self.own)
  }

  private func admit(_ name: String, _ userID: UInt32?, at second: Int = 0) -> ClientRegistry.Ticket? {
    registry.admit(userID: userID, now: start + .seconds(second), close: closed.closure(name))
  }

  private func admitBusy(_ name: String, _ userID: UInt32?) throws {
    registry.setBusy(try #require(admit(name, userID)), true, now: start)
  }

  @Test func oneUserReplacesNobodyButItself() {
    #expect(admit("a1", 1, at: 1) != nil)
    #expect(admit("b1", 2, at: 0) != nil)
    #expect(admit("a2", 1, at: 2) != nil)
    #expect(admit("a3", 1, at: 3) != nil)
    #expect(closed.names == ["a1"])
    for second in 4..<100 { #expect(admit("a", 1, at: second) != nil) }
    #expect(!closed.names.contains("b1"))
  }

  @Test func whoIsBusyIsNotReplaced() throws {
    try admitBusy("a1", 1)
    try admitBusy("a2", 1)
    #expect(admit("a3", 1) == nil)
    try admitBusy("b1", 2)
    try admitBusy("b2", 2)
    #expect(admit("c1", 3) == nil)
    #expect(closed.names == [])
  }

  @Test func rootAndTheDaemonItselfAlwaysFindAPlace() throws {
    for name in ["a", "b"] { try admitBusy(name, 1) }
    for name in ["c", "d"] { try admitBusy(name, 2) }
    #expect(admit("reload", Self.own) != nil)
    // The next takes the place of the one before.
    #expect(admit("root", 0) != nil)
    #expect(closed.names == ["reload"])
    #expect(admit("e", 3) == nil)
  }

  @Test func whoComesAndGoesLeavesRoom() throws {
    for second in 0..<100 { registry.remove(try #require(admit("a", 1, at: second))) }
    #expect(closed.names == [])
  }

  @Test func idleOnesAreClosedAfterATime() throws {
    _ = admit("idle", 1, at: 0)
    try admitBusy("busy", 2)
    let called = try #require(admit("called", 3, at: 0))
    registry.setBusy(called, true, now: start + .seconds(30))
    registry.setBusy(called, false, now: start + .seconds(31))
    registry.closeIdle(now: start + .seconds(59))
    #expect(closed.names == [])
    registry.closeIdle(now: start + .seconds(61))
    #expect(closed.names == ["idle"])
    registry.closeIdle(now: start + .seconds(91))
    #expect(closed.names.contains("called"))
  }

  @Test func unknownUsersShareThePlacesOfOne() {
    for name in ["a", "b", "c"] { _ = admit(name, nil) }
    #expect(closed.names.count == 1)
  }
}
