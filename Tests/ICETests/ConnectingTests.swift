import ICE
import MediaCore
import TestSupport
import Testing

@Suite struct ConnectingTests {
  let a = address("192.0.2.1", 1000)
  let b = address("192.0.2.2", 2000)

  @Test func connectsWithSignalledCandidates() throws {
    let simulation = Simulation()
    simulation.addHost(0, a, isSignalled: true)
    simulation.addHost(1, b, isSignalled: true)
    simulation.exchangeCredentials()
    let time = try #require(simulation.runUntilConnected())
    #expect(time <= .milliseconds(100))
    #expect(simulation.agents[0].selectedPair == ICESelectedPair(local: a, remote: b))
    #expect(simulation.agents[1].selectedPair == ICESelectedPair(local: b, remote: a))
    #expect(simulation.events[0] == [.connected(ICESelectedPair(local: a, remote: b))])
    #expect(simulation.events[1] == [.connected(ICESelectedPair(local: b, remote: a))])
  }

  /// Browsers without camera permission signal no candidate at all.
  @Test(arguments: [0, 1])
  func connectsThroughPeerReflexiveCandidate(silent: Int) throws {
    let simulation = Simulation()
    simulation.addHost(silent, a, isSignalled: false)
    simulation.addHost(1 - silent, b, isSignalled: true)
    simulation.exchangeCredentials()
    let time = try #require(simulation.runUntilConnected())
    #expect(time <= .milliseconds(150))
  }

  @Test func connectsOverIPv6() throws {
    let simulation = Simulation()
    simulation.addHost(0, address("2001:db8::1", 1), isSignalled: true)
    simulation.addHost(1, address("2001:db8::2", 2), isSignalled: true)
    simulation.exchangeCredentials()
    #expect(simulation.runUntilConnected() != nil)
  }

  @Test func trickledCandidateConnectsLater() throws {
    let simulation = Simulation()
    simulation.addHost(0, a, isSignalled: false)
    simulation.addHost(1, b, isSignalled: false)
    simulation.exchangeCredentials()
    simulation.run(for: .seconds(3))
    #expect(simulation.agents[0].selectedPair == nil)
    simulation.agents[1].addRemoteCandidate(.host(a), now: simulation.now)
    simulation.drain()
    #expect(simulation.runUntilConnected() != nil)
  }

  /// The offerer's answer is still on its way when the first checks arrive.
  @Test func checksBeforeRemoteCredentialsCount() throws {
    let simulation = Simulation()
    simulation.addHost(0, a, isSignalled: true)
    simulation.addHost(1, b, isSignalled: false)
    simulation.setRemoteCredentials(of: 1)
    simulation.run(for: .milliseconds(300))
    #expect(simulation.agents[1].selectedPair == nil)
    simulation.isLost = { $0.from == self.b && $0.bytes[0] == 0 }
    simulation.setRemoteCredentials(of: 0)
    simulation.run(for: .milliseconds(300))
    #expect(simulation.agents[0].selectedPair == ICESelectedPair(local: a, remote: b))
  }

  @Test func prefersTheBetterPath() throws {
    let simulation = Simulation()
    let slow = address("198.51.100.1", 1001)
    simulation.addHost(0, slow, localPreference: 10, isSignalled: true)
    simulation.addHost(0, a, localPreference: 60_000, isSignalled: true)
    simulation.addHost(1, b, isSignalled: true)
    simulation.exchangeCredentials()
    #expect(simulation.runUntilConnected() != nil)
    #expect(simulation.agents[0].selectedPair?.local == a)
    #expect(simulation.agents[1].selectedPair?.remote == a)
  }

  @Test func fallsBackToTheWorsePath() throws {
    let simulation = Simulation()
    let slow = address("198.51.100.1", 1001)
    simulation.addHost(0, slow, localPreference: 10, isSignalled: true)
    simulation.addHost(0, a, localPreference: 60_000, isSignalled: true)
    simulation.addHost(1, b, isSignalled: true)
    simulation.isLost = { $0.from == self.a || $0.to == self.a }
    simulation.exchangeCredentials()
    let time = try #require(simulation.runUntilConnected())
    #expect(time < .milliseconds(500))
    #expect(simulation.agents[1].selectedPair?.remote == slow)
  }

  @Test(arguments: 1...20)
  func connectsThroughLoss(seed: UInt64) throws {
    let simulation = Simulation(seed: seed)
    let random = SeededCrypto(seed: seed &* 77)
    simulation.latency = .milliseconds(50)
    simulation.isLost = { _ in random.randomUInt64() % 100 < 30 }
    simulation.addHost(0, a, isSignalled: seed % 2 == 0)
    simulation.addHost(1, b, isSignalled: true)
    simulation.exchangeCredentials()
    let time = try #require(simulation.runUntilConnected())
    #expect(time < .seconds(8))
    simulation.run(for: .seconds(300))
    #expect(simulation.agents[0].selectedPair == ICESelectedPair(local: a, remote: b))
    #expect(!simulation.events[0].contains(.disconnected))
  }

  /// Answers that take longer than the peer's next check must still count.
  @Test func connectsOverASlowPath() throws {
    let simulation = Simulation()
    simulation.latency = .milliseconds(900)
    simulation.addHost(0, a, isSignalled: true)
    simulation.addHost(1, b, isSignalled: true)
    simulation.exchangeCredentials()
    let time = try #require(simulation.runUntilConnected())
    #expect(time < .seconds(6))
  }

  @Test(arguments: [ICERole.controlling, .controlled], [UInt64](1...4))
  func roleConflictIsResolved(role: ICERole, seed: UInt64) throws {
    let simulation = Simulation(roles: (role, role), seed: seed)
    simulation.addHost(0, a, isSignalled: true)
    simulation.addHost(1, b, isSignalled: true)
    simulation.exchangeCredentials()
    #expect(simulation.runUntilConnected() != nil)
    #expect(simulation.agents[0].role != simulation.agents[1].role)
  }

  @Test func failsWithoutAnAnswer() {
    let simulation = Simulation()
    simulation.addHost(0, a, isSignalled: true)
    simulation.addHost(1, b, isSignalled: true)
    simulation.isLost = { _ in true }
    simulation.exchangeCredentials()
    simulation.run(for: .seconds(40))
    #expect(simulation.events[0] == [.failed(.noAnswer)])
    #expect(simulation.agents[0].deadline == nil)
    #expect(simulation.sentCount[0] <= 8)
  }

  @Test func checksArePaced() {
    let simulation = Simulation()
    simulation.isLost = { _ in true }
    simulation.addHost(0, a, isSignalled: false)
    for port in 1...40 {
      simulation.agents[0].addRemoteCandidate(.host(address("192.0.2.9", UInt16(port))), now: simulation.now)
    }
    simulation.exchangeCredentials()
    simulation.run(for: .milliseconds(490))
    #expect((9...11).contains(simulation.sentCount[0]))
  }

  /// Two checks of one pair are under way, and an answer to the first must not end the repetition of what came after
  /// it.
  @Test(arguments: 1...100 as ClosedRange<UInt64>) func connectsWhateverIsLost(seed: UInt64) throws {
    let simulation = Simulation(seed: seed)
    let random = SeededCrypto(seed: seed + 1_000)
    simulation.latency = .milliseconds(50)
    simulation.isLost = { _ in random.randomUInt64() % 100 < 10 }
    simulation.addHost(0, a, isSignalled: true)
    simulation.addHost(1, b, isSignalled: true)
    simulation.exchangeCredentials()
    #expect(try #require(simulation.runUntilConnected()) <= .seconds(6))
  }
}
