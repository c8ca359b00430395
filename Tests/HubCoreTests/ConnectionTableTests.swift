import Testing

@testable import HubCore

struct ConnectionTableTests {
  private func table(total: Int = 6, perAddress: Int = 3, proxies: [String] = []) -> ConnectionTable {
    var limits = ConnectionLimits()
    limits.total = total
    limits.perAddress = perAddress
    return ConnectionTable(limits: limits, trustedProxies: proxies.compactMap(AddressRange.init))
  }

  private func admit(_ address: String, _ table: inout ConnectionTable) -> ConnectionTable.Admission {
    table.admit(from: IPAddress(address))
  }

  /// Those that are given up when a connection holds so many bytes.
  private func hold(_ byteCount: Int, _ id: UInt64, _ table: inout ConnectionTable) -> [UInt64] {
    table.note(byteCount: byteCount, of: id)
  }

  @Test func strangersTogetherHoldABoundedMemory() {
    var limits = ConnectionLimits()
    limits.anonymousMemory = 100
    var table = ConnectionTable(limits: limits, trustedProxies: [])
    for address in ["192.0.2.1", "192.0.2.1", "192.0.2.1", "192.0.2.2", "192.0.2.3"] { _ = admit(address, &table) }
    table.noteAuthenticated(5)
    #expect(hold(1_000, 5, &table) == [] && table.anonymousBytes == 0)
    #expect(hold(30, 4, &table) == [] && hold(10, 1, &table) == [])
    #expect(hold(35, 2, &table) == [])
    #expect(hold(26, 3, &table) == [2])
    #expect(table.anonymousBytes == 66 && table.count == 4)
    table.noteAuthenticated(4)
    #expect(table.anonymousBytes == 36)
    table.close(3)
    #expect(table.anonymousBytes == 10 && hold(500, 3, &table) == [])
  }

  @Test func anAddressDisplacesItsOwnOldest() {
    var table = table()
    for id in 1...3 { #expect(admit("192.0.2.1", &table) == .admitted(UInt64(id), evicting: nil)) }
    #expect(admit("192.0.2.2", &table) == .admitted(4, evicting: nil))
    #expect(admit("192.0.2.1", &table) == .admitted(5, evicting: 1))
    #expect(admit("192.0.2.1", &table) == .admitted(6, evicting: 2))
    #expect(table.count == 4)
  }

  @Test func anIPv6NetworkIsOneAddress() {
    var table = table()
    for id in 1...3 { #expect(admit("2001:db8::\(id)", &table) == .admitted(UInt64(id), evicting: nil)) }
    #expect(admit("2001:db8::ffff:1", &table) == .admitted(4, evicting: 1))
    #expect(admit("2001:db8:0:1::1", &table) == .admitted(5, evicting: nil))
  }

  @Test func aFullTableGivesUpTheOldestOfTheAddressWithMost() {
    var table = table(total: 5)
    _ = admit("192.0.2.9", &table)
    for _ in 2...4 { _ = admit("192.0.2.1", &table) }
    _ = admit("192.0.2.8", &table)
    #expect(admit("192.0.2.7", &table) == .admitted(6, evicting: 2))
    #expect(admit("192.0.2.6", &table) == .admitted(7, evicting: 3))
    #expect(table.count == 5)
  }

  @Test func membersStay() {
    var table = table(total: 4)
    for id in 1...3 {
      _ = admit("192.0.2.1", &table)
      table.noteAuthenticated(UInt64(id))
    }
    #expect(admit("192.0.2.1", &table) == .refused)
    #expect(admit("192.0.2.2", &table) == .admitted(4, evicting: nil))
    #expect(admit("192.0.2.3", &table) == .admitted(5, evicting: 4))
    table.noteAuthenticated(5)
    #expect(admit("192.0.2.4", &table) == .refused)
    #expect(table.authenticatedCount == 4)
    table.close(2)
    #expect(admit("192.0.2.1", &table) == .admitted(6, evicting: nil))
  }

  @Test func theLimitPerAddressDoesNotHoldForProxies() {
    var table = table(total: 5, proxies: ["192.0.2.0/28"])
    for id in 1...5 { #expect(admit("192.0.2.1", &table) == .admitted(UInt64(id), evicting: nil)) }
    #expect(admit("192.0.2.1", &table) == .admitted(6, evicting: 1))
    #expect(table.admit(from: nil) == .admitted(7, evicting: 2))
  }

  @Test func whatIsClosedLeavesRoomAndIsClosedOnce() {
    var table = table(total: 2)
    _ = admit("192.0.2.1", &table)
    _ = admit("192.0.2.2", &table)
    #expect(admit("192.0.2.3", &table) == .admitted(3, evicting: 1) || table.count == 2)
    table.close(1)
    table.close(2)
    table.close(3)
    table.close(3)
    table.noteAuthenticated(3)
    #expect(table.count == 0 && table.authenticatedCount == 0)
    #expect(admit("192.0.2.1", &table) == .admitted(4, evicting: nil))
  }

  /// Against a model that looks at everything each time.
  @Test func queuesFindTheOldestOfTheGreatest() {
    var queues = EvictionQueues<Int>()
    var model: [(id: UInt64, origin: Int)] = []
    var random = SeededGenerator(seed: 7)
    for id in 1...5_000 as ClosedRange<UInt64> {
      if Bool.random(using: &random) || model.isEmpty {
        let origin = Int.random(in: 0..<9, using: &random)
        queues.append(id, from: origin)
        model.append((id, origin))
      } else {
        let gone = model.remove(at: Int.random(in: 0..<model.count, using: &random))
        queues.remove(gone.id, from: gone.origin)
        queues.remove(gone.id, from: gone.origin)
      }
      let counts = Dictionary(grouping: model, by: \.origin)
      let greatest = counts.values.map(\.count).max()
      let candidates = counts.values.filter { $0.count == greatest }.map { $0[0].id }
      #expect(queues.oldestOfGreatest.map(candidates.contains) ?? model.isEmpty)
    }
  }
}

/// The same numbers each time (xorshift).
private struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return state
  }
}
