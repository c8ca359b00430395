import ICE
import MediaCore

/// Two agents that connect, and keep consent for two minutes (RFC 7675).
func checkICE() {
  for seed in 1...3 as ClosedRange<UInt64> {
    let simulation = Simulation(seed: seed)
    simulation.addHost(0, address("192.0.2.1", 1_000), isSignalled: true)
    simulation.addHost(1, address("2001:db8::2", 2_000), isSignalled: true)
    simulation.addHost(1, address("192.0.2.2", 2_000), isSignalled: true)
    simulation.exchangeCredentials()
    let time = simulation.runUntilConnected()
    expect(time.map { $0 <= .milliseconds(500) } == true)
    if seed == 1 { simulation.run(for: .seconds(120)) }
    expect(simulation.agents.allSatisfy { $0.selectedPair != nil })
  }
}
