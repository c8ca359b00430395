import ICE
import MediaCore
import Testing

@Suite struct LocalCandidateTests {
  private let hosts = [address("10.0.0.1", 1_000), address("10.0.0.2", 2_000)]
  private let relayed = address("192.0.2.1", 50_000)

  @Test(arguments: [ICERole.controlling, .controlled])
  func aRelayedAddressThatComesLateMakesThePath(role: ICERole) throws {
    let simulation = try connectOverRelay(role)
    #expect(simulation.agents[0].selectedPair == ICESelectedPair(local: relayed, remote: hosts[1]))
    #expect(simulation.agents[1].selectedPair == ICESelectedPair(local: hosts[1], remote: relayed))
  }

  @Test(arguments: [ICERole.controlling, .controlled])
  func whenItIsGoneAnotherPathIsFoundAtOnce(role: ICERole) throws {
    let simulation = try connectOverRelay(role)
    simulation.run(for: .seconds(40))
    simulation.isLost = { $0.from == self.relayed || $0.to == self.relayed }
    let start = simulation.now
    simulation.agents[0].removeLocalCandidate(relayed, now: simulation.now)
    #expect(simulation.agents[0].selectedPair == nil)
    simulation.drain()
    simulation.run(for: .milliseconds(200))
    #expect(simulation.agents[0].selectedPair == ICESelectedPair(local: hosts[0], remote: hosts[1]))
    simulation.run(for: .seconds(60))
    #expect(simulation.agents[1].selectedPair == ICESelectedPair(local: hosts[1], remote: hosts[0]))
    #expect(simulation.now > start)
    #expect(!simulation.events[0].contains(.disconnected))
    #expect(!simulation.events[1].contains(.disconnected))
  }

  @Test func withoutAnyOtherPairNothingIsSelected() throws {
    let simulation = Simulation(roles: (.controlled, .controlling))
    addRelayed(simulation)
    simulation.addHost(1, hosts[1], isSignalled: true)
    simulation.exchangeCredentials()
    _ = try #require(simulation.runUntilConnected())
    simulation.owners[relayed] = nil
    simulation.agents[0].removeLocalCandidate(relayed, now: simulation.now)
    simulation.run(for: .seconds(40))
    let hasPairs = simulation.agents[0].hasPairs
    #expect(!hasPairs)
    #expect(simulation.events[0].last == .failed(.connectionLost))
  }

  @Test func aReflexiveCandidateMakesNoPairs() {
    let simulation = Simulation()
    simulation.addHost(0, hosts[0], isSignalled: false)
    simulation.addHost(1, hosts[1], isSignalled: true)
    let count = simulation.agents[0].pairCount
    simulation.agents[0].addLocalCandidate(
      .serverReflexive(
        address("203.0.113.1", 9), base: hosts[0], server: address("192.0.2.1", 3_478), localPreference: 1),
      now: simulation.now)
    #expect(simulation.agents[0].pairCount == count)
  }

  @Test func relayedCandidatesComeLast() {
    let relayed = ICECandidate.relayed(relayed, server: address("192.0.2.1", 3_478), localPreference: .max)
    #expect(relayed.priority < ICECandidate.host(hosts[0], localPreference: 0).priority)
    #expect(relayed.base == relayed.address)
  }

  /// Agent 0 is reached over its relayed address, since its host address is cut off at first.
  private func connectOverRelay(_ role: ICERole) throws -> Simulation {
    let simulation = Simulation(roles: (role, role == .controlling ? .controlled : .controlling))
    simulation.addHost(0, hosts[0], isSignalled: true)
    simulation.addHost(1, hosts[1], isSignalled: true)
    simulation.isLost = { [hosts] in $0.from == hosts[0] || $0.to == hosts[0] }
    simulation.exchangeCredentials()
    simulation.run(for: .seconds(1))
    addRelayed(simulation)
    _ = try #require(simulation.runUntilConnected())
    simulation.run(for: .seconds(4))
    simulation.isLost = { _ in false }
    return simulation
  }

  private func addRelayed(_ simulation: Simulation) {
    simulation.owners[relayed] = 0
    simulation.agents[0].addLocalCandidate(
      .relayed(relayed, server: address("192.0.2.1", 3_478), localPreference: .max), now: simulation.now)
    simulation.drain()
  }
}
