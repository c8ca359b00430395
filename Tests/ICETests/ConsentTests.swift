import ICE
import MediaCore
import Testing

/// Consent freshness (RFC 7675) and the ways in which a path changes.
@Suite struct ConsentTests {
  let a = address("192.0.2.1", 1000)
  let b = address("192.0.2.2", 2000)
  let moved = address("203.0.113.9", 4242)

  private func connected(_ roles: (ICERole, ICERole) = (.controlling, .controlled)) throws -> Simulation {
    let simulation = Simulation(roles: roles)
    simulation.addHost(0, a, isSignalled: true)
    simulation.addHost(1, b, isSignalled: true)
    simulation.exchangeCredentials()
    _ = try #require(simulation.runUntilConnected())
    simulation.run(for: .seconds(10))
    return simulation
  }

  @Test func consentIsAskedForEveryFourToSixSeconds() throws {
    let simulation = try connected()
    simulation.sentCount = [0, 0]
    simulation.run(for: .seconds(600))
    // Each sends its own requests and as many responses.
    #expect((200...300).contains(simulation.sentCount[0]))
    #expect(simulation.events.allSatisfy { $0.count == 1 })
  }

  @Test func silenceEndsConsentAfterThirtySeconds() throws {
    let simulation = try connected()
    simulation.isLost = { _ in true }
    simulation.run(for: .seconds(23))
    #expect(simulation.agents[0].selectedPair != nil)
    simulation.run(for: .seconds(8))
    #expect(simulation.agents[0].selectedPair == nil)
    #expect(simulation.events[0].last == .disconnected)
    simulation.run(for: .seconds(31))
    #expect(simulation.events[0].last == .failed(.connectionLost))
  }

  @Test func pathComesBackAfterConsentWasLost() throws {
    let simulation = try connected()
    simulation.isLost = { _ in true }
    simulation.run(for: .seconds(35))
    simulation.isLost = { _ in false }
    #expect(simulation.runUntilConnected() != nil)
    #expect(simulation.events[0].suffix(2) == [.disconnected, .connected(ICESelectedPair(local: a, remote: b))])
  }

  /// The controlling peer's NAT gives it a new address: its next check says so.
  @Test(arguments: [0, 1])
  func followsAPeerToItsNewAddress(mover: Int) throws {
    let simulation = try connected(mover == 0 ? (.controlling, .controlled) : (.controlled, .controlling))
    simulation.owners[moved] = 0
    simulation.owners[a] = nil
    simulation.translate = { if $0.from == self.a { $0.from = self.moved } }
    // What the network delivers to the new address arrives at the mover's own.
    simulation.receiveAs[moved] = a
    simulation.run(for: .seconds(12))
    #expect(simulation.agents[1].selectedPair?.remote == moved)
    #expect(simulation.agents[0].selectedPair == ICESelectedPair(local: a, remote: b))
    simulation.run(for: .seconds(120))
    #expect(!simulation.events[1].contains(.disconnected))
  }

  @Test(arguments: [(ICERole.controlling, ICERole.controlled), (.controlled, .controlling)])
  func movesToAnotherInterfaceWhenOneDies(roles: (ICERole, ICERole)) throws {
    let other = address("198.51.100.1", 1000)
    let simulation = try #require(Simulation.twoInterfaces(a, other, to: b, roles: roles))
    #expect(simulation.agents[1].selectedPair?.remote == a)
    simulation.isLost = { $0.from == self.a || $0.to == self.a }
    simulation.run(for: .seconds(29))
    #expect(simulation.agents[0].selectedPair?.local == other)
    #expect(simulation.agents[1].selectedPair?.remote == other)
    #expect(!simulation.events[0].contains(.disconnected))
  }

  @Test func restartKeepsTheOldPathUntilTheNewOneStands() throws {
    let simulation = try connected()
    let candidates = [[ICECandidate.host(a)], [.host(b)]]
    for index in 0..<2 {
      simulation.agents[index].restart(
        credentials: .make(crypto: simulation.crypto), candidates: candidates[index], now: simulation.now)
    }
    simulation.run(for: .seconds(20))
    #expect(simulation.agents[0].selectedPair != nil)
    #expect(simulation.agents[0].previousLocalCredentials != nil)
    for index in 0..<2 { simulation.agents[index].addRemoteCandidate(candidates[1 - index][0], now: simulation.now) }
    simulation.exchangeCredentials()
    simulation.run(for: .seconds(60))
    #expect(simulation.agents.allSatisfy { $0.selectedPair != nil && $0.previousLocalCredentials == nil })
    #expect(!simulation.events[0].contains(.disconnected))
    simulation.run(for: .seconds(60))
    #expect(!simulation.events[1].contains(.disconnected))
  }
}
