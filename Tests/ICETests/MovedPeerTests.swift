import ICE
import MediaCore
import Testing

/// What packets of media tell of the path: that it is silent, or that the peer has moved.
@Suite struct MovedPeerTests {
  let a = address("192.0.2.1", 1000)
  let b = address("192.0.2.2", 2000)
  let moved = address("203.0.113.9", 4242)
  let stranger = address("198.51.100.66", 6666)

  static let roles: [(ICERole, ICERole)] = [(.controlling, .controlled), (.controlled, .controlling)]

  private func connected(_ roles: (ICERole, ICERole)) throws -> Simulation {
    let simulation = Simulation(roles: roles)
    simulation.addHost(0, a, isSignalled: true)
    simulation.addHost(1, b, isSignalled: true)
    simulation.exchangeCredentials()
    _ = try #require(simulation.runUntilConnected())
    simulation.run(for: .seconds(10))
    return simulation
  }

  /// Agent 1 hears a packet of media every 20 ms, as from `source`, for so long.
  private func hear(_ simulation: Simulation, from source: TransportAddress, for span: TimeSpan) {
    let end = simulation.now + span
    while simulation.now < end {
      simulation.agents[1].notePacket(from: source, to: b, now: simulation.now)
      simulation.drain()
      simulation.run(for: .milliseconds(20))
    }
  }

  /// Agent 0's NAT forgets its mapping: what it sends comes from elsewhere, and nothing reaches it under the old
  /// address.
  private func rebind(_ simulation: Simulation) {
    simulation.owners[moved] = 0
    simulation.owners[a] = nil
    simulation.translate = { if $0.from == self.a { $0.from = self.moved } }
    simulation.receiveAs[moved] = a
  }

  @Test(arguments: roles) func mediaFromANewAddressMovesThePathWithinASecond(roles: (ICERole, ICERole)) throws {
    let simulation = try connected(roles)
    hear(simulation, from: a, for: .seconds(5))
    rebind(simulation)
    hear(simulation, from: moved, for: .milliseconds(800))
    #expect(simulation.agents[1].selectedPair?.remote == moved)
    #expect(simulation.events[1].last == .selectedPairChanged(ICESelectedPair(local: b, remote: moved)))
    simulation.run(for: .seconds(120))
    #expect(!simulation.events[1].contains(.disconnected))
    #expect(!simulation.events[1].contains(.suspected))
  }

  /// Whoever repeats the peer's packets from elsewhere, faster than the peer itself, moves nothing and is sent little.
  @Test(arguments: roles) func repeatedPacketsMoveNothing(roles: (ICERole, ICERole)) throws {
    let simulation = try connected(roles)
    var sent = 0
    simulation.isLost = { datagram in
      if datagram.to == self.stranger { sent += 1 }
      return false
    }
    hear(simulation, from: stranger, for: .seconds(60))
    #expect(simulation.agents[1].selectedPair?.remote == a)
    #expect(simulation.events[1].count == 1)
    // Three thousand packets came.
    #expect((1...60).contains(sent))
  }

  @Test func manyAddressesAreNotAllChecked() throws {
    let simulation = try connected((.controlling, .controlled))
    var sent: [TransportAddress: Int] = [:]
    simulation.isLost = { datagram in
      if datagram.from == self.b, datagram.to != self.a { sent[datagram.to, default: 0] += 1 }
      return false
    }
    for port in 1...2_000 { hear(simulation, from: address("198.51.100.66", UInt16(port)), for: .milliseconds(1)) }
    #expect(simulation.agents[1].selectedPair?.remote == a)
    #expect(sent.count <= 16)
    #expect(sent.values.allSatisfy { $0 <= 7 })
  }

  /// A stranger that repeats packets and answers checks, but does not know the password.
  @Test func answersWithoutIntegrityMoveNothing() throws {
    let simulation = try connected((.controlling, .controlled))
    simulation.owners[a] = nil
    simulation.translate = { datagram in
      // What goes to the stranger comes back as it is.
      if datagram.to == self.stranger { (datagram.from, datagram.to) = (self.stranger, self.b) }
    }
    hear(simulation, from: stranger, for: .seconds(20))
    #expect(simulation.agents[1].selectedPair?.remote == a)
  }

  @Test(arguments: roles) func anotherPathIsTakenSoonAfterMediaStops(roles: (ICERole, ICERole)) throws {
    let other = address("198.51.100.1", 1000)
    let simulation = try #require(Simulation.twoInterfaces(a, other, to: b, roles: roles))
    hear(simulation, from: a, for: .seconds(3))
    simulation.isLost = { $0.from == self.a || $0.to == self.a }
    simulation.run(for: .milliseconds(2_500))
    #expect(simulation.agents[1].selectedPair?.remote == other)
  }

  @Test func aSilentPathIsReportedOnceAndComesBack() throws {
    let simulation = try connected((.controlling, .controlled))
    hear(simulation, from: a, for: .seconds(3))
    simulation.isLost = { _ in true }
    simulation.run(for: .milliseconds(4_800))
    #expect(!simulation.events[1].contains(.suspected))
    simulation.run(for: .milliseconds(400))
    #expect(simulation.events[1].last == .suspected)
    simulation.run(for: .seconds(15))
    #expect(simulation.events[1].count { $0 == .suspected } == 1)
    simulation.isLost = { _ in false }
    simulation.run(for: .seconds(8))
    simulation.isLost = { _ in true }
    simulation.run(for: .seconds(15))
    // The second silence is told like the first one.
    #expect(simulation.events[1].count { $0 == .suspected } == 2)
    #expect(!simulation.events[1].contains(.disconnected))
  }

  @Test func aPeerThatPausesIsNotSuspected() throws {
    let simulation = try connected((.controlling, .controlled))
    hear(simulation, from: a, for: .seconds(3))
    simulation.sentCount = [0, 0]
    simulation.run(for: .seconds(600))
    #expect(simulation.events.allSatisfy { $0.count == 1 })
    // Consent alone keeps the path, and one question when the media stopped.
    #expect((200...305).contains(simulation.sentCount[1]))
  }
}
